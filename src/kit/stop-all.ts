// Stops started parts, the last first, within a time limit. A part that hangs or fails does not block the others.

type Stop = () => Promise<unknown>
export type Stops = Stop[]

/** The time for each part whose turn comes after the limit. */
const LEAST_MS = 250

/** Adds a started part, which stops before those that were added earlier. Returns it. */
export function stopLater<Part extends { stop(): Promise<unknown> }>(stops: Stops, part: Part): Part {
  stops.push(() => part.stop())
  return part
}

/** Empties `stops`. `onProblem` receives the error of a part, or that it took too long. */
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
