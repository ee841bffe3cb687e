// How often a node looks for work that any node can do. The more nodes look, the less often each of them does: the fleet looks often enough.
import type { FleetSize } from '../db/node-leases.ts'

/** One for all loops of a node. Its supervision measures the size now and then. */
export type FleetPace = { size: FleetSize; readonly random: () => number }

export function newFleetPace(random: () => number): FleetPace {
  return { size: { nodes: 1, withSeats: 1 }, random }
}

export type Looks = {
  /** The pause of a node in a small fleet. */
  readonly everyMs: number
  /** How many looks a second of all nodes are enough. */
  readonly perSecond: number
}

/** The size of the fleet is known this late. */
const LONGEST_MS = 10_000

/**
 * Added to the pause before a look. It is random, so that a large fleet does not look at one moment when the next bot is due: the first of many
 * nodes looks soon, and takes the work. None in a small fleet.
 */
export function spreadMs({ random }: FleetPace, looking: number, { everyMs, perSecond }: Looks): number {
  const shareMs = Math.min(LONGEST_MS, (looking / perSecond) * 1000)
  return 2 * random() * Math.max(0, shareMs - everyMs)
}
