// A scenario as plain data: everything that is chosen by the seed before the run begins, so that a failing one can be made smaller.
import type { WorkspaceId } from '../src/domain/bot.ts'
import { between, oneOf, type Random, randomFrom, wholeBetween } from './random.ts'

export type BotPlan = {
  readonly index: number
  readonly workspace: number
  readonly createAtMs: number
  /** The join time of a scheduled bot. */
  readonly joinAtMs: number | null
  readonly knockMs: number
  readonly admitMs: number
  /** When its meeting ends. */
  readonly endsAtMs: number
  /** How it ends, or what happens to its first session. */
  readonly fate: 'stays' | 'removed' | 'refused' | 'blocked' | 'hangs' | 'crashes' | 'freezes'
  /** The time in the meeting until its trouble. */
  readonly troubleMs: number
}

const FAULTS = {
  'kill service': 'kill -9 of the service: its workers leave, and the database rolls back',
  'lose machine': 'the machine is gone with its workers, and the database does not notice',
  'stop service': 'SIGTERM: bots are handed over',
  'drain service': 'SIGTERM with DRAIN_SECONDS: other nodes join beside its bots, and take them over',
  'pause service': 'SIGSTOP of the service, then SIGCONT',
  'pause worker': 'SIGSTOP of a worker, then SIGCONT',
  'pause machine': 'every process of the machine stops, then goes on',
  'kill worker': 'kill -9 of a worker',
  'cut database': 'nothing arrives between this machine and the database',
  'database away': 'no running node reaches the database, this machine for longest; a node that starts later reaches it',
  'database split': 'no machine but this one reaches the database',
  'lapse, then split': 'the row of the machine lapses while its other statements arrive; then no machine but this one reaches the database',
  'freeze database': 'the database stops, then executes what has arrived, also from connections that are closed since',
  'part nodes': 'no other node reaches this machine',
  'isolate machine': 'the machine reaches neither the database nor other nodes',
  'reset database': 'all connections of this machine to the database break',
  'cut meetings': 'the machine reaches the database, but no meeting',
  'cut receivers': 'webhook receivers cannot be reached from any machine',
  'jump clock': 'the wall clock of the machine jumps',
} as const
export type FaultKind = keyof typeof FAULTS

export type Fault = {
  readonly kind: FaultKind
  readonly machine: number
  readonly atMs: number
  readonly forMs: number
  /** `kill service` only: at once, or around the next statement: before the database gets it, or before its answer arrives. */
  readonly step: 'now' | 'before' | 'after'
}

export type Scenario = {
  readonly seed: number
  readonly machines: number
  readonly workersPerMachine: number
  readonly seatsPerWorker: number
  readonly shareBrowsers: boolean
  /** How many bots join at once on a machine. */
  readonly joinPlaces: number
  readonly skewsMs: readonly number[]
  /** When each machine starts. */
  readonly startsAtMs: readonly number[]
  /** `DATABASE_OUTAGE_SECONDS`. */
  readonly outageSeconds: number
  /** Timers of services fire up to this much late. */
  readonly lateMs: number
  /** The chance that a webhook, or its answer, is lost. */
  readonly loss: number
  readonly bots: readonly BotPlan[]
  readonly faults: readonly Fault[]
}

export type Size = { readonly bots: number; readonly nodes: number }

/** Up to this many bots, faults hit most of them. */
export const SMALL = 50
const MOST_WORKSPACES = 100

export const WORKSPACES = Array.from({ length: MOST_WORKSPACES }, (_, index) => `ws_${index}` as WorkspaceId)
/** All bots of a workspace change its balance, one after the other. */
const BOTS_PER_WORKSPACE = 300
/** Of a large world: 400 bots begin or end in a second. */
const MS_PER_BOT = 2.5
/** Of a large world: the cores of a machine. */
const PLACES_OF_MANY = 4
/** Of some small worlds: longer than an outage and what follows it. */
const LONG_STAY_MS = 50_000
/** The first turns it off. */
const OUTAGE_SECONDS = [0, 10, 40, 120] as const
const LARGEST_SKEW_MS = 20_000
/** Of some small worlds: the join time of all bots. */
const DUE_AT_ONCE_MS = 22_000

export function scenarioOf(seed: number, { bots, nodes }: Size): Scenario {
  const random = randomFrom(seed, 'scenario')
  const randomJoins = randomFrom(seed, 'joins')
  const isSmall = bots <= SMALL
  const shape = isSmall ? smallShape(random, randomJoins) : largeShape(bots, nodes)
  const createdWithinMs = isSmall ? 3_000 : Math.max(30_000, bots * MS_PER_BOT)
  const longestStayMs = Math.max(14_000, isSmall ? (random() < 0.3 ? LONG_STAY_MS : 0) : bots * MS_PER_BOT)
  const plans: Plans = isSmall
    ? {
        createdWithinMs,
        longestStayMs,
        leastEndMs: 0,
        dueAtMs: randomJoins() < 0.2 ? DUE_AT_ONCE_MS : null,
        fates: FATES,
        workspaces: 3,
        ofFirst: 0.6,
      }
    : { createdWithinMs, longestStayMs, leastEndMs: createdWithinMs, dueAtMs: null, ...ofMany(bots) }
  const count = isSmall ? wholeBetween(random, 1, bots) : bots
  const faults = wholeBetween(random, isSmall ? 2 : Math.ceil(nodes / 20), isSmall ? 5 : Math.ceil(nodes / 5))
  return {
    seed,
    machines: nodes,
    ...shape,
    skewsMs: Array.from({ length: nodes }, () => Math.round(between(random, -LARGEST_SKEW_MS, LARGEST_SKEW_MS))),
    startsAtMs: Array.from({ length: nodes }, (_, index) =>
      isSmall && index > 0 && random() < 0.3 ? Math.round(between(random, 0, 15_000)) : 0,
    ),
    outageSeconds: isSmall ? oneOf(random, OUTAGE_SECONDS) : 60,
    bots: Array.from({ length: count }, (_, index) => botPlan(random, index, plans)),
    faults: Array.from({ length: faults }, () => fault(random, nodes, isSmall ? 12_000 : createdWithinMs + longestStayMs)).toSorted(
      (a, b) => a.atMs - b.atMs,
    ),
  }
}

function ofMany(bots: number): Pick<Plans, 'fates' | 'workspaces' | 'ofFirst'> {
  const workspaces = Math.min(MOST_WORKSPACES, Math.max(3, Math.ceil(bots / BOTS_PER_WORKSPACE)))
  return { fates: FATES_OF_MANY, workspaces, ofFirst: 0.02 }
}

type Shape = Pick<Scenario, 'workersPerMachine' | 'seatsPerWorker' | 'shareBrowsers' | 'joinPlaces' | 'lateMs' | 'loss'>

function smallShape(random: Random, randomJoins: Random): Shape {
  return {
    workersPerMachine: wholeBetween(random, 1, 2),
    seatsPerWorker: wholeBetween(random, 1, 3),
    shareBrowsers: random() < 0.7,
    joinPlaces: wholeBetween(randomJoins, 1, 3),
    lateMs: wholeBetween(random, 500, 2_500),
    loss: 0.02,
  }
}

function largeShape(bots: number, nodes: number): Shape {
  const seats = Math.ceil((1.3 * bots) / nodes)
  // Of a million webhooks none should be lost so often that its next attempt comes in ten minutes.
  return {
    workersPerMachine: Math.ceil(seats / 10),
    seatsPerWorker: 10,
    shareBrowsers: true,
    joinPlaces: PLACES_OF_MANY,
    lateMs: 1_000,
    loss: 0.001,
  }
}

const FATES = ['stays', 'stays', 'removed', 'removed', 'refused', 'blocked', 'hangs', 'crashes', 'freezes'] as const
/** A crash takes all bots of a worker with it. */
const FATES_OF_MANY = [...FATES, ...Array.from({ length: 91 }, () => 'stays' as const)] as const

type Plans = {
  readonly createdWithinMs: number
  readonly longestStayMs: number
  /** The join time of all bots; null: a few are scheduled, each for its own. */
  readonly dueAtMs: number | null
  /** No meeting ends before, so that all bots of a large world run at the same time. */
  readonly leastEndMs: number
  readonly fates: readonly [BotPlan['fate'], ...BotPlan['fate'][]]
  readonly workspaces: number
  /** The part of the bots that is the first workspace's: the others must not wait behind them. */
  readonly ofFirst: number
}

function botPlan(
  random: Random,
  index: number,
  { createdWithinMs, longestStayMs, dueAtMs, leastEndMs, fates, workspaces, ofFirst }: Plans,
): BotPlan {
  const createAtMs = Math.round(between(random, 0, createdWithinMs))
  const ownJoinAtMs = random() < 0.2 ? createAtMs + Math.round(between(random, 10_000, 16_000)) : null
  const joinAtMs = dueAtMs ?? ownJoinAtMs
  const knockMs = Math.round(between(random, 100, 3_000))
  const admitMs = Math.round(between(random, 50, 2_000))
  const stayMs = Math.round(between(random, 3_000, longestStayMs))
  return {
    index,
    createAtMs,
    joinAtMs,
    knockMs,
    admitMs,
    workspace: random() < ofFirst ? 0 : wholeBetween(random, 1, workspaces - 1),
    endsAtMs: Math.max((joinAtMs ?? createAtMs) + knockMs + admitMs, leastEndMs) + stayMs,
    fate: oneOf(random, fates),
    troubleMs: Math.round(between(random, 200, stayMs)),
  }
}

/** Others are of worlds of their own. */
const KINDS = Object.keys(FAULTS).filter((kind) => kind !== 'drain service') as [FaultKind, ...FaultKind[]]

/** Those that the leases, fences and the outbox exist for. */
const FREQUENT = [
  'kill service',
  'cut database',
  'cut database',
  'pause service',
  'database away',
  'database away',
  'database split',
] as const satisfies readonly FaultKind[]

function fault(random: Random, machines: number, withinMs: number): Fault {
  return {
    kind: oneOf(random, random() < 0.5 ? FREQUENT : KINDS),
    machine: wholeBetween(random, 0, machines - 1),
    atMs: Math.round(between(random, 200, withinMs)),
    forMs: Math.round(random() < 0.5 ? between(random, 200, 6_000) : between(random, 6_000, 25_000)),
    step: oneOf(random, ['now', 'before', 'after', 'after']),
  }
}

/** When the last fault is over and the last meeting has ended. */
export function calmAfterMs({ bots, faults }: Scenario): number {
  const ends = [...bots.map(({ endsAtMs }) => endsAtMs), ...faults.map(({ atMs, forMs }) => atMs + forMs)]
  return ends.reduce((latest, end) => Math.max(latest, end), 0)
}
