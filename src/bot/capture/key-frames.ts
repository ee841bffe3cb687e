// Pictures hang on one another: without a key frame to begin with, the next ones are of no use.

const ASK_AGAIN_MS = 2_000

export class KeyFrames {
  readonly #ask: () => void
  readonly #nowMs: () => number
  #askedMs = Number.NEGATIVE_INFINITY
  isMissing = true
  /** Frames that hung on one that never came. */
  lost = 0

  constructor(ask: () => void, nowMs: () => number) {
    this.#ask = ask
    this.#nowMs = nowMs
  }

  ask(): void {
    const nowMs = this.#nowMs()
    if (nowMs - this.#askedMs < ASK_AGAIN_MS) return
    this.#askedMs = nowMs
    this.#ask()
  }

  isLost(standsAlone: boolean): boolean {
    if (!this.isMissing || standsAlone) {
      this.isMissing = false
      return false
    }
    this.lost++
    this.ask()
    return true
  }
}
