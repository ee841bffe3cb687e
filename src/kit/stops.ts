// Undoes what was started, last first.
export type Stops = (() => Promise<unknown>)[]

/** One that fails keeps none of the others from being undone; the first failure that matters is thrown at the end. */
export async function stopAll(stops: Stops, isHarmless: (error: unknown) => boolean): Promise<void> {
  const failures: unknown[] = []
  for (let last = stops.pop(); last; last = stops.pop()) {
    try {
      await last()
    } catch (error) {
      if (!isHarmless(error)) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
