// The figures and budgets of the crash bench.
import { atMost, type Budget, none, type Report } from '../harness/report.ts'
import { spreadOf } from '../harness/statistics.ts'
import { FAULTS, type Kind } from './faults.ts'
import type { MeasuredFault, Round } from './run.ts'

/** A recording is synced every second. */
const MOST_LOST_SECONDS = 2

/** `left`: processes that outlived their service. */
export type Outcome = { readonly rounds: readonly Round[]; readonly left: number }

export function crashReport({ rounds, left }: Outcome, machine: Report['figures'][string]): Report {
  const faults = rounds.flatMap((round) => round.faults)
  const byKind = Map.groupBy(faults, ({ kind }) => kind)
  const rejoins = (kind: Kind) => rounds.filter((round) => round.faults[0]?.kind === kind).reduce((sum, round) => sum + round.rejoins, 0)
  const total = (key: 'doubles' | 'deaths' | 'unanswered') => rounds.reduce((sum, round) => sum + round[key], 0)
  const kept = (key: keyof Round['kept']) => rounds.reduce((sum, round) => sum + round.kept[key], 0)
  return {
    figures: {
      'kind of fault': Object.fromEntries([...byKind].map(([kind, some]) => [kind, { ...rowOf(some), rejoins: rejoins(kind) }])),
      kept: {
        bots: { acknowledged: kept('acknowledged'), lost: kept('lost') },
        events: { written: kept('events'), missing: kept('missing'), disordered: kept('disordered'), repeated: kept('repeated') },
      },
      service: { all: { 'ended by itself': total('deaths'), 'requests without an answer': total('unanswered'), 'left behind': left } },
      machine,
    },
    budgets: [
      none('acknowledged bots that were lost', kept('lost')),
      none('events that did not arrive', kept('missing')),
      none('bots whose events came out of order', kept('disordered')),
      none('double joins', total('doubles')),
      ...[...byKind].flatMap(([kind, some]) => budgetsOf(kind, some, rejoins(kind))),
      none('ends of the service without being killed', total('deaths')),
      none('processes left behind', left),
    ],
  }
}

function rowOf(faults: readonly MeasuredFault[]) {
  const back = spreadOf(faults.flatMap(({ backMs }) => backMs).map((ms) => ms / 1_000))
  const { before, after } = lostSeconds(faults)
  return {
    faults: faults.length,
    recovered: faults.filter(({ recovered }) => recovered).length,
    'sessions ended': sessionsEnded(faults),
    'back, p50 s': orDash(back.p50),
    'back, p95 s': orDash(back.p95),
    'back, max s': orDash(back.max),
    'lost before, max s': Math.max(...before),
    'lost after, max s': Math.max(...after),
  }
}

function budgetsOf(kind: Kind, faults: readonly MeasuredFault[], rejoins: number): readonly Budget[] {
  const { before, after } = lostSeconds(faults)
  const most = Math.max(...before.map((seconds, index) => seconds + (after[index] ?? 0)))
  const { session, mostLostSeconds = MOST_LOST_SECONDS, mostAwaySeconds } = FAULTS[kind]
  const away = spreadOf(faults.flatMap(({ backMs }) => backMs).map((ms) => ms / 1_000))
  return [
    none(`${kind}: faults without recovery`, faults.filter(({ recovered }) => !recovered).length),
    atMost(`${kind}: sound lost by one fault, beside the absence`, most, mostLostSeconds, ' s'),
    ...(mostAwaySeconds ? [atMost(`${kind}: from the fault to the return of a bot`, away.max, mostAwaySeconds, ' s')] : []),
    ...(session === 'stays' ? [none(`${kind}: bots that had to come again`, rejoins)] : []),
  ]
}

function lostSeconds(faults: readonly MeasuredFault[]) {
  return { before: faults.map(({ lostBeforeMs }) => lostBeforeMs / 1_000), after: faults.map(({ lostAfterMs }) => lostAfterMs / 1_000) }
}

function sessionsEnded(faults: readonly MeasuredFault[]): number {
  return faults.reduce((sum, { ended }) => sum + ended, 0)
}

function orDash(value: number): number | string {
  return Number.isNaN(value) ? '-' : value
}
