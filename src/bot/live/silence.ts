// Frames of silence as time passes: counted from the beginning, so that a late timer makes up for what it missed.

export class SilenceClock {
  readonly #startMs: number
  readonly #frameMs: number
  #sent = 0

  constructor(startMs: number, frameMs: number) {
    this.#startMs = startMs
    this.#frameMs = frameMs
  }

  /** How many frames have ended since the last time. */
  due(nowMs: number): number {
    const count = Math.max(0, Math.floor((nowMs - this.#startMs) / this.#frameMs) - this.#sent)
    this.#sent += count
    return count
  }
}
