// Works on several items at the same time, within a limit that may change meanwhile.

/**
 * Resolves with the results in the order of the items. After a failure no further item is begun, and the ones in progress end before the
 * rejection: a repeated step would write to their files.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: () => number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Promise<Result>[] = []
  const running = new Set<Promise<unknown>>()
  let hasFailed = false
  for (const item of items) {
    while (!hasFailed && running.size > 0 && running.size >= atOnce()) await Promise.race(running)
    if (hasFailed) break
    const result = work(item)
    const ended: Promise<unknown> = result
      .catch(() => {
        hasFailed = true
      })
      .finally(() => running.delete(ended))
    running.add(ended)
    results.push(result)
  }
  await Promise.all(running)
  return Promise.all(results)
}
