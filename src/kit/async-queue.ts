// An async iterable queue: events push items, a loop reads them in order.

export type AsyncQueue<Item> = ReturnType<typeof createQueue<Item>>

export function createQueue<Item>() {
  const items: Item[] = []
  let ended = false
  let wake = (): void => undefined

  async function* read(): AsyncGenerator<Item> {
    for (;;) {
      const item = items.shift()
      if (item !== undefined) yield item
      else if (ended) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }

  return {
    push(item: Item): void {
      if (ended) return
      items.push(item)
      wake()
    },
    /** Ends reading after the queued items. Later pushes are ignored. */
    end(): void {
      ended = true
      wake()
    },
    [Symbol.asyncIterator]: read,
  }
}
