// Frames depend on the key frame before them: without it they cannot be decoded and are not written.

const ASK_AGAIN_MS = 2_000

export class KeyFrames {
  readonly #ask: () => void
  readonly #nowMs: () => number
  #askedMs = Number.NEGATIVE_INFINITY
  isMissing = true
  /** Frames whose key frame never came. */
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

  /** The next frames need a key frame of their own. */
  restart(): void {
    this.isMissing = true
    this.ask()
  }

  isLost(isKey: boolean): boolean {
    if (!this.isMissing || isKey) {
      this.isMissing = false
      return false
    }
    this.lost++
    this.ask()
    return true
  }
}
