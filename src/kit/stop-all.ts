// Stops what was started, the last first, within a time: a part that hangs or fails keeps none of the others running.

type Stop = () => Promise<unknown>
export type Stops = Stop[]

/** A part whose turn comes when the time is over has this long. */
const LEAST_MS = 250

/** Empties `stops`. `onProblem` is given what a part failed with, or that it took too long. Neither ends the others' turn. */
export async function stopAll(stops: Stops, withinMs: number, onProblem: (problem: unknown) => void): Promise<void> {
  const deadline = performance.now() + withinMs
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    const leftMs = Math.max(LEAST_MS, deadline - performance.now())
    await within(Promise.resolve().then(stop), leftMs).catch(onProblem)
  }
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('A part of the service did not stop in time')), ms)
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
