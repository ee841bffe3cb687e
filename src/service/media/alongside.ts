// Runs two steps at the same time, of which the first matters more.

/**
 * The first step always runs to its end: a failure of the second one is thrown afterwards. If the first fails, the second is aborted and
 * awaited, because a repeated step would write to its files.
 */
export async function alongside<First, Second>(
  first: () => Promise<First>,
  second: (signal: AbortSignal) => Promise<Second>,
): Promise<readonly [First, Second]> {
  const stopping = new AbortController()
  const other = second(stopping.signal)
  const settled = Promise.allSettled([other])
  try {
    return [await first(), await other]
  } catch (error) {
    stopping.abort(error)
    await settled
    throw error
  }
}
