// Orders video frames by RTP timestamp and drops duplicates. The browser delivers a frame once it is complete, so a retransmitted frame
// comes after its successors. A sender that probes the network sends the same frame again.
import { isSame, VIDEO_RATE } from '../codec.ts'
import { positionByTimestamp, ticksBetween } from './stream-position.ts'

export type TimestampedFrame = {
  readonly rtpTimestamp: number
  readonly ssrc: number
  readonly arrivedMs: number
  readonly key: boolean
  readonly payload: Uint8Array
}

/** Longer than a retransmission takes. The wait delays only the disk. */
const HOLD_MS = 250
/** For sources that change owners: longer than a driver takes to learn that this key frame shows another participant. */
const KEY_HOLD_MS = 1_000

export class FrameReorder<Frame extends TimestampedFrame> {
  #held: Frame[] = []
  #released: Frame | null = null
  /** Late frames and duplicates. */
  repeated = 0
  /** Frames dropped because they may belong to the old owner or to the new one. */
  unowned = 0
  #ownedFromMs = Number.NEGATIVE_INFINITY
  readonly #isSlot: boolean

  constructor({ isSlot = false } = {}) {
    this.#isSlot = isSlot
  }

  /** Returns the frames that have waited long enough. */
  push(frame: Frame): readonly Frame[] {
    if (frame.arrivedMs < this.#ownedFromMs) {
      this.unowned++
      return []
    }
    const newest = this.#held.at(-1) ?? this.#released
    const before = newest && positionByTimestamp(frame, newest, VIDEO_RATE) === 'restart' ? this.#restart() : []
    if (this.#isKnown(frame)) this.repeated++
    else this.#insert(frame)
    return [...before, ...this.release(frame.arrivedMs)]
  }

  release(nowMs: number): readonly Frame[] {
    // Frames leave in order, so the first one that is too young holds back all behind it.
    const keyHoldMs = this.#isSlot || Number.isFinite(this.#ownedFromMs) ? KEY_HOLD_MS : HOLD_MS
    const young = this.#held.findIndex(({ arrivedMs, key }) => nowMs - arrivedMs < (key ? keyHoldMs : HOLD_MS))
    return this.#out(young < 0 ? this.#held.length : young)
  }

  flush(): readonly Frame[] {
    return this.#out(this.#held.length)
  }

  /** The owner changed with one of the held key frames. Drops every frame since the first of them, also those that are still to arrive. */
  dropUnowned(nowMs: number): void {
    const at = this.#held.findIndex(({ key }) => key)
    if (at >= 0) this.unowned += this.#held.splice(at).length
    this.#ownedFromMs = nowMs
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

  /** Late or a duplicate. Layers of one picture share a timestamp and differ in their bytes. */
  #isKnown(frame: Frame): boolean {
    const isCopy = (known: Frame) => known.rtpTimestamp === frame.rtpTimestamp && isSame(known.payload, frame.payload)
    if (this.#held.some(isCopy)) return true
    if (!this.#released) return false
    return isCopy(this.#released) || positionByTimestamp(frame, this.#released, VIDEO_RATE) === 'late'
  }

  #insert(frame: Frame): void {
    let at = this.#held.length
    while (at > 0 && isBefore(frame, this.#held[at - 1])) at--
    this.#held.splice(at, 0, frame)
  }
}

function isBefore(frame: TimestampedFrame, other: TimestampedFrame | undefined): boolean {
  return other !== undefined && ticksBetween(other.rtpTimestamp, frame.rtpTimestamp) < 0
}
