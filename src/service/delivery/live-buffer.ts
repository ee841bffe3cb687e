// Messages that wait for an open socket. When it is full, the oldest message is dropped and counted.

const MOST_MESSAGES = 256

export class LiveBuffer {
  readonly #now: () => Date
  readonly #messages: string[] = []
  /** The dropped messages since the last report of a gap. */
  #gap: { readonly frames: number; readonly from: Date } | null = null

  constructor(now: () => Date) {
    this.#now = now
  }

  add(text: string): void {
    this.#messages.push(text)
    if (this.#messages.length <= MOST_MESSAGES) return
    this.#messages.shift()
    this.#gap = { frames: (this.#gap?.frames ?? 0) + 1, from: this.#gap?.from ?? this.#now() }
  }

  /** Sends the gap first, then messages for as long as the receiver takes them. */
  flush(send: (text: string) => void, canSend: () => boolean): void {
    if (this.#gap) {
      const { frames, from } = this.#gap
      this.#gap = null
      send(JSON.stringify({ type: 'gap', frames, from: from.toISOString(), to: this.#now().toISOString() }))
    }
    while (this.#messages.length > 0 && canSend()) send(this.#messages.shift() ?? '')
  }
}
