// Drops frames whose key frame is missing, because no decoder can use them, and requests another key frame.

const REQUEST_AGAIN_MS = 2_000

export class KeyFrames {
  readonly #send: () => void
  readonly #nowMs: () => number
  #requestedMs = Number.NEGATIVE_INFINITY
  isMissing = true
  /** Frames whose key frame never arrived. */
  lost = 0

  constructor(send: () => void, nowMs: () => number) {
    this.#send = send
    this.#nowMs = nowMs
  }

  request(): void {
    const nowMs = this.#nowMs()
    if (nowMs - this.#requestedMs < REQUEST_AGAIN_MS) return
    this.#requestedMs = nowMs
    this.#send()
  }

  /** The next frames need a new key frame. */
  restart(): void {
    this.isMissing = true
    this.request()
  }

  isLost(isKey: boolean): boolean {
    if (!this.isMissing || isKey) {
      this.isMissing = false
      return false
    }
    this.lost++
    this.request()
    return true
  }
}
