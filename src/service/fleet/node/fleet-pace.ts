// How often a node looks for work that any node can do, and how early it begins when many bots are due at once.
import type { FleetSize } from '../../db/fleet/node-leases.ts'
import type { Peak } from '../../db/fleet/peak.ts'

/** One for all loops of a node. Its supervision measures it now and then. */
export type FleetPace = {
  size: FleetSize
  /** On the monotonic clock; null: no more bots are due at once than can join at once. */
  peak: { readonly beginsMs: number; readonly dueMs: number } | null
  readonly random: () => number
}

export function newFleetPace(random: () => number): FleetPace {
  return { size: { nodes: 1, withSeats: 1 }, peak: null, random }
}

export function notePeak(pace: FleetPace, peak: Peak | null, nowMs: number): void {
  pace.peak = peak && { beginsMs: nowMs + peak.beginsInMs, dueMs: nowMs + peak.dueInMs }
}

/** How long before their time scheduled bots begin now. */
export function aheadMs({ peak }: FleetPace, nowMs: number): number {
  return peak && nowMs >= peak.beginsMs ? Math.max(0, peak.dueMs - nowMs) : 0
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
