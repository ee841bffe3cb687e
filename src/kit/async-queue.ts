// An async iterable queue: events push items, a loop reads them in order.

export type AsyncQueue<Item> = AsyncIterable<Item> & {
  push(item: Item): void
  /** Ends reading after the queued items. Later pushes are ignored. */
  end(): void
}

export function createQueue<Item>(): AsyncQueue<Item> {
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
    push(item) {
      if (ended) return
      items.push(item)
      wake()
    },
    end() {
      ended = true
      wake()
    },
    [Symbol.asyncIterator]: read,
  }
}
