// How many more bots this machine can take, from what it has free and from what its running bots cost.

/** `busyCores` includes work of other programs. */
export type MachineLoad = { readonly cores: number; readonly busyCores: number; readonly freeMegabytes: number }

/** What the workers of this node use, with their browsers. */
export type WorkerUse = { readonly cores: number; readonly megabytes: number }

export type Running = {
  readonly use: WorkerUse
  /** Bots that have been in a seat long enough to show their use. */
  readonly settled: number
  /** Bots that are about to be launched, join, or have just joined. */
  readonly unsettled: number
}

/** The reservation of a bot whose use is not known yet: a browser of its own, a meeting with video. */
export const RESERVED: WorkerUse = { cores: 0.5, megabytes: 400 }
/** The least that a bot counts as, so that bots in silent meetings do not fill a machine. */
const LEAST: WorkerUse = { cores: 0.1, megabytes: 120 }

/** The rest is for the service and for short peaks. */
const MOST_BUSY = 0.85
const KEPT_MEGABYTES = 300

export function affordableBots({ cores, busyCores, freeMegabytes }: MachineLoad, { use, settled, unsettled }: Running): number {
  const cost = settled > 0 ? costOf(use, settled + unsettled) : RESERVED
  const freeCores = cores * MOST_BUSY - busyCores - unsettled * RESERVED.cores
  const free = freeMegabytes - KEPT_MEGABYTES - unsettled * RESERVED.megabytes
  return Math.max(0, Math.floor(Math.min(freeCores / cost.cores, free / cost.megabytes)))
}

export type Seats = { readonly seats: number; readonly freeSeats: number; readonly freedSeats: number }

/** What the node's row offers: taken seats, and the free ones that the machine can take. */
export function offeredSeats({ seats, freeSeats, freedSeats }: Seats, affordable: number): Seats {
  const offered = Math.min(freeSeats, affordable)
  return { seats: seats - freeSeats + offered, freeSeats: offered, freedSeats }
}

function costOf({ cores, megabytes }: WorkerUse, bots: number): WorkerUse {
  return { cores: Math.max(LEAST.cores, cores / bots), megabytes: Math.max(LEAST.megabytes, megabytes / bots) }
}
