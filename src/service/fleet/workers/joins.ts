// How many bots of a node join at once. A join takes 2 to 3 CPU seconds, and all due bots at once would take the CPU from those in meetings.

/** A bot that has not joined by then waits for the network or the meeting, not for the CPU. */
export const JOIN_MS = 5_000
/** A bot that has asked to join and is not in the meeting by then waits in a lobby, which costs nothing. */
export const ENTER_MS = 1_000

/** One for each core, and at least one where a container has less than a core. */
export function joinPlaces(cores: number): number {
  return Math.max(1, Math.floor(cores))
}

type Joining = { readonly countJoins: () => number }
type Launching = { readonly count: () => number }

/** How many more bots may begin to join. A bot that is about to be launched takes a place too. */
export function freeJoinPlaces(places: number, workers: Joining, launching: Launching): number {
  return places - workers.countJoins() - launching.count()
}
