// Counts the frames of silence that are due. It counts from the start, so a late timer loses none.

export class SilenceClock {
  readonly #startMs: number
  readonly #frameMs: number
  #sent = 0

  constructor(startMs: number, frameMs: number) {
    this.#startMs = startMs
    this.#frameMs = frameMs
  }

  /** Number of frames that have ended since the last call. */
  due(nowMs: number): number {
    const count = Math.max(0, Math.floor((nowMs - this.#startMs) / this.#frameMs) - this.#sent)
    this.#sent += count
    return count
  }
}
