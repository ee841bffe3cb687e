// A queue that is filled by events and read by a loop: what is pushed is read in order, and an end ends the loop.

export type AsyncQueue<Item> = AsyncIterable<Item> & {
  push(item: Item): void
  /** Reading ends after what is already in. Pushing afterwards does nothing. */
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
