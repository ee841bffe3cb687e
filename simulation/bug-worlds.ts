// Worlds that show a planted bug which random worlds rarely show. All bots stay in their meetings, and only the faults of the bug happen.
import type { Fault, Scenario } from './scenario.ts'

export type BugWorld = (random: Scenario) => Scenario

/** The holder starts first, so it holds most of the bots. */
const OTHERS_START_AT_MS = 4_000
/** The list of the holder, which it reads every 5 s, names all nodes by now. It is sure of those that joined 8 s before. */
const KNOWN_AT_MS = 20_000
/** Later timers would delay the questions of the holder until its hold has ended. */
const LATE_MS = 100
/** Most of the others are more than one. A freeze shows its bug only if a look is on its way to the database, which is so more often with more nodes. */
const MANY_NODES = 6

/** The row of a node lapses while its other statements arrive. Then it alone reaches the database. */
export function withLapsedRow(random: Scenario): Scenario {
  return quiet(random, [{ ...LONG, kind: 'lapse, then split', machine: holderOf(random), atMs: 8_000 }])
}

/** The holder reaches neither the database nor the other nodes, which go on. */
export function withIsolatedHolder(random: Scenario): Scenario {
  return withHolder(random, [{ ...LONG, kind: 'isolate machine', machine: holderOf(random) }])
}

/**
 * The others lose the database a little later than the holder, and reach it again when its lease has lapsed and their own rows have not: a node
 * whose row has lapsed asks the holder first, whatever it has promised.
 */
export function withShortOutage(random: Scenario): Scenario {
  const cut = { ...LONG, kind: 'cut database' } as const
  const others = { atMs: cut.atMs + 1_500, forMs: 6_000 }
  return withHolder(
    random,
    machinesOf(random).map((machine) => ({ ...cut, machine, ...(machine !== holderOf(random) && others) })),
  )
}

/** A node starts during an outage and reaches the database. The nodes that started before do not. */
export function withNewNode(random: Scenario): Scenario {
  const newNode = (holderOf(random) + 1) % random.machines
  const world = withHolder(random, [{ ...LONG, kind: 'database away', machine: holderOf(random), forMs: 50_000 }])
  return { ...world, startsAtMs: world.startsAtMs.with(newNode, KNOWN_AT_MS + 5_000) }
}

/** The holder is cut off, and the database stops until its lease has lapsed, while the rows of other nodes may last a little longer. */
export function withFrozenDatabase(random: Scenario): Scenario {
  const many = { ...random, machines: MANY_NODES }
  const cut = { ...LONG, kind: 'cut database', machine: holderOf(many) } as const
  return withHolder(many, [cut, { ...cut, kind: 'freeze database', atMs: cut.atMs + 800, forMs: 6_800 }])
}

/** One node reaches the database, and most others do not. */
export function withSplitDatabase(random: Scenario): Scenario {
  const many = { ...random, machines: MANY_NODES }
  return withHolder(many, [{ ...LONG, kind: 'database split', machine: (holderOf(many) + 1) % MANY_NODES }])
}

const LONG = { atMs: KNOWN_AT_MS, forMs: 20_000, step: 'now' } as const

function withHolder(random: Scenario, faults: readonly Fault[]): Scenario {
  const startsAtMs = machinesOf(random).map((machine) => (machine === holderOf(random) ? 0 : OTHERS_START_AT_MS))
  return { ...quiet(random, faults), startsAtMs, lateMs: LATE_MS }
}

/** Every outage is shorter than `outageSeconds`. */
function quiet(random: Scenario, faults: readonly Fault[]): Scenario {
  const bots = random.bots.map((bot) => ({ ...bot, fate: 'stays' as const, endsAtMs: 70_000 }))
  return { ...random, bots, faults, startsAtMs: [], outageSeconds: 120 }
}

function holderOf({ seed, machines }: Scenario): number {
  return seed % machines
}

function machinesOf({ machines }: Scenario): readonly number[] {
  return Array.from({ length: machines }, (_, index) => index)
}
