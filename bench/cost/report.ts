// The report of the `cost` bench: a row for each deliverable, a column for each step.
import { filmVoids, type Window } from '../capture/report.ts'
import { atMost, largestRows, none, type Report, unless } from '../harness/report.ts'
import type { Attended } from './attend.ts'
import type { StartUps } from './start-ups.ts'

export type RunName = 'audio' | 'grid' | 'speaker'
type Runs = Readonly<Record<RunName, Attended>>
/** CPU seconds per minute of the meeting. */
type Steps = Readonly<Record<string, number>>

/** Work that hardly depends on the length is spread over a meeting of this many minutes: joining, leaving, start-ups, and records in the database. */
const USUAL_MINUTES = 30
const LEAST_SHOWN = 0.1

/** MB by process. */
export type IdleMemory = Readonly<Record<'service' | 'database' | 'warm worker with its browser', number>>

type Rest = {
  readonly startUps: StartUps
  readonly idle: IdleMemory
  readonly machine: Report['figures'][string]
  readonly profile: boolean
}

export function costReport(runs: Runs, films: readonly Window[], { startUps, idle, machine, profile }: Rest): Report {
  const screen = films.reduce((sum, { cost }) => sum + cost.cpuPerMinute, 0) / films.length
  const screenMb = Math.max(...films.map(({ cost }) => cost.pssMb))
  const withAll = (run: Attended): Steps => stepsOf(run, startUps, ['mix', 'transcribe'])
  const without = (run: Attended): Steps => ({ ...stepsOf(run, startUps, ['mix']), transcribe: 0 })
  const deliverables = {
    'audio only': { steps: without(runs.audio), run: runs.audio },
    'audio + transcript': { steps: withAll(runs.audio), run: runs.audio },
    'MP4 grid': { steps: without(runs.grid), run: runs.grid },
    'MP4 speaker view': { steps: without(runs.speaker), run: runs.speaker },
    everything: { steps: withAll(runs.grid), run: runs.grid },
  }
  const rows = Object.entries(deliverables).map(([name, { steps, run }]) => [name, rowOf(steps, run, screen)])
  const voids = filmVoids(films)
  const ratio = (what: string, value: number, limit: number) => unless(voids.length > 0, atMost(what, value, limit, 'x'))
  const times = (name: keyof typeof deliverables) => sumOf(deliverables[name].steps) / screen
  return {
    figures: {
      'CPU s per meeting minute': {
        ...Object.fromEntries(rows),
        'filmed screen (MP4)': { sum: screen, 'x screen': 1, capture: screen, 'MB in the meeting': screenMb },
      },
      'once per recording, CPU s': {
        'start of the mixer': { 'CPU s': startUps.mix, 'per minute of 30': startUps.mix / USUAL_MINUTES },
        'start of the recogniser': { 'CPU s': startUps.transcribe, 'per minute of 30': startUps.transcribe / USUAL_MINUTES },
      },
      'MB before the first bot': Object.fromEntries(Object.entries(idle).map(([what, megabytes]) => [what, { PSS: megabytes }])),
      'every run': Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, runRow(run)])),
      'MB in the meeting, by program': Object.fromEntries(Object.entries(runs).map(([name, { window }]) => [name, window.pssByProgram])),
      'every film': Object.fromEntries(
        films.map(({ cost, proof }, index) => [`${index + 1}`, { 'CPU s/min': cost.cpuPerMinute, ...proof }]),
      ),
      ...(profile && { 'CPU s/min by thread': threadsOf(runs) }),
      machine,
    },
    budgets: [
      ratio('everything, to a filmed screen', times('everything'), 0.7),
      ratio('audio + transcript, to a filmed screen', times('audio + transcript'), 0.35),
      ratio('one bot alone in the meeting', runs.grid.window.cpuPerMinute / screen, 0.33),
      atMost('audio only, alone in the meeting', runs.audio.window.cpuPerMinute, 6, ' CPU s/min'),
      atMost('memory of a first bot', runs.grid.window.pssMb, 300, ' MB'),
      atMost('memory of the service before the first bot', idle.service, 200, ' MB'),
      none('runs in which our bots lost frames', Object.values(runs).filter(({ lost }) => lost).length),
      none('films that lost frames', voids.length),
    ],
    voids,
  }
}

/** A recogniser that an earlier bot started costs this one no start. It is spread all the same: usually a bot starts one. */
function stepsOf(
  { window, after: { seconds, started }, minutes, joinSeconds, servicePerMinute }: Attended,
  startUps: StartUps,
  spread: readonly (keyof StartUps)[],
): Steps {
  const running = (step: keyof StartUps) => Math.max(0, seconds[step] - (started.has(step) ? startUps[step] : 0)) / minutes
  return {
    capture: window.cpuPerMinute,
    mix: running('mix'),
    compose: seconds.compose / minutes,
    transcribe: running('transcribe'),
    'start-ups': spread.reduce((sum, step) => sum + startUps[step], 0) / USUAL_MINUTES,
    // Streams are copied, so their cost is the start of a program.
    streams: seconds.streams / USUAL_MINUTES,
    'join and leave': joinSeconds / USUAL_MINUTES,
    service: servicePerMinute + seconds.service / USUAL_MINUTES,
  }
}

function rowOf(steps: Steps, { window, after }: Attended, screen: number): Readonly<Record<string, number>> {
  const memory = { 'MB in the meeting': window.pssMb, 'MB after it': after.peakMb }
  return { sum: sumOf(steps), 'x screen': sumOf(steps) / screen, ...steps, ...memory }
}

function runRow({ window, after, minutes, joinSeconds, doneSeconds, lost }: Attended): Readonly<Record<string, number | string>> {
  return {
    'minutes recorded': minutes,
    'join and leave, CPU s': joinSeconds,
    'capture, node': window.byProgram.node ?? 0,
    'capture, browser': window.cpuPerMinute - (window.byProgram.node ?? 0),
    'after the call, CPU s': sumOf(after.seconds) - after.seconds.capture,
    's to Done': doneSeconds,
    ...(lost && { lost: 'LOST' }),
  }
}

function threadsOf(runs: Runs): Report['figures'][string] {
  const names = new Set(Object.values(runs).flatMap(({ window }) => Object.keys(window.byThread)))
  const rowOf = (name: string) =>
    Object.fromEntries(Object.entries(runs).map(([run, { window }]) => [run, window.byThread[name] ?? 0] as const))
  return largestRows(Object.fromEntries([...names].map((name) => [name, rowOf(name)])), LEAST_SHOWN)
}

function sumOf(steps: Steps): number {
  return Object.values(steps).reduce((sum, step) => sum + step, 0)
}
