// Video frames in the order they were taken, once each. The browser hands them out as they became whole: one that had to be sent again
// comes after its followers, and what a sender repeats to probe the network comes as the same frame again.

export type OrderedFrame = {
  readonly rtpTimestamp: number
  readonly ssrc: number
  readonly arrivedMs: number
  readonly key: boolean
  readonly payload: Uint8Array
}

/** Longer than a retransmission takes; nothing but the disk waits for it. */
const HOLD_MS = 250
/** Longer than a meeting takes to say that somebody else is shown from this key frame on; for a place that has passed on before. */
const KEY_HOLD_MS = 1_000
/** Further back than this is a sender that counts anew, at 90 kHz. */
const FURTHEST_BACK_TICKS = 10 * 90_000

export class FrameOrder<Frame extends OrderedFrame> {
  #held: Frame[] = []
  #released: Frame | null = null
  /** Came again, or too late to be put in its place. */
  repeated = 0
  /** May have been one owner's or the next one's. */
  unowned = 0
  #passedMs = Number.NEGATIVE_INFINITY

  /** What need not be waited for any more. */
  push(frame: Frame): readonly Frame[] {
    if (frame.arrivedMs < this.#passedMs) {
      this.unowned++
      return []
    }
    const last = this.#held.at(-1) ?? this.#released
    const before = last && isAnew(frame, last) ? this.#restart() : []
    if (this.#isKnown(frame)) this.repeated++
    else this.#insert(frame)
    return [...before, ...this.release(frame.arrivedMs)]
  }

  release(nowMs: number): readonly Frame[] {
    // The first one that is too young holds up the rest, whatever their age: they come after it.
    const keyHoldMs = Number.isFinite(this.#passedMs) ? KEY_HOLD_MS : HOLD_MS
    const young = this.#held.findIndex(({ arrivedMs, key }) => nowMs - arrivedMs < (key ? keyHoldMs : HOLD_MS))
    return this.#out(young < 0 ? this.#held.length : young)
  }

  flush(): readonly Frame[] {
    return this.#out(this.#held.length)
  }

  /** Somebody else is shown since one of the last key frames, nobody knows which: all that came since is forgotten, also what is on its way. */
  passOn(nowMs: number): void {
    const at = this.#held.findIndex(({ key }) => key)
    if (at >= 0) this.unowned += this.#held.splice(at).length
    this.#passedMs = nowMs
  }

  #restart(): readonly Frame[] {
    const rest = this.flush()
    this.#released = null
    return rest
  }

  #out(count: number): readonly Frame[] {
    const frames = this.#held.splice(0, count)
    this.#released = frames.at(-1) ?? this.#released
    return frames
  }

  /** Layers of one picture share a time and differ in content. */
  #isKnown(frame: Frame): boolean {
    if (this.#held.some((held) => held.rtpTimestamp === frame.rtpTimestamp && isSame(held.payload, frame.payload))) return true
    if (!this.#released) return false
    const ahead = distance(frame, this.#released)
    return ahead < 0 || (ahead === 0 && isSame(frame.payload, this.#released.payload))
  }

  #insert(frame: Frame): void {
    let at = this.#held.length
    for (let before = this.#held[at - 1]; before && distance(frame, before) < 0; before = this.#held[at - 1]) at--
    this.#held.splice(at, 0, frame)
  }
}

function isAnew(frame: OrderedFrame, last: OrderedFrame): boolean {
  return frame.ssrc !== last.ssrc || distance(frame, last) < -FURTHEST_BACK_TICKS
}

/** In a count of 32 bits that wraps. */
function distance(frame: OrderedFrame, from: OrderedFrame): number {
  return (frame.rtpTimestamp - from.rtpTimestamp) | 0
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && Buffer.compare(a, b) === 0
}
