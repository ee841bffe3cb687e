// The events of a simulated world, earliest first. Events of one moment run in the order in which they were added.

export type QueuedEvent = { readonly atMs: number; readonly order: number; isCancelled: boolean }

/** A binary heap. */
export class EventQueue<Event extends QueuedEvent> {
  readonly #heap: Event[] = []

  get size(): number {
    return this.#heap.length
  }

  push(event: Event): void {
    let place = this.#heap.push(event) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.#isBefore(place, parent)) return
      this.#swap(place, parent)
      place = parent
    }
  }

  /** The earliest event that is not cancelled. */
  peek(): Event | undefined {
    while (this.#heap[0]?.isCancelled) this.#take()
    return this.#heap[0]
  }

  pop(): Event | undefined {
    this.peek()
    return this.#take()
  }

  #take(): Event | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop()
    if (!last || last === first) return first
    this.#heap[0] = last
    this.#sink()
    return first
  }

  #sink(): void {
    let place = 0
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      let least = place
      if (this.#isBefore(left, least)) least = left
      if (this.#isBefore(right, least)) least = right
      if (least === place) return
      this.#swap(place, least)
      place = least
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (!a || !b) return false
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]]
    if (!a || !b) return
    this.#heap[one] = b
    this.#heap[other] = a
  }
}
