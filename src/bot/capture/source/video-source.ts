// Video of one source: orders and times its frames, and splits them into segments at key frames.

import { isSame, privateData, VIDEO_RATE } from '../codec.ts'
import { FrameReorder } from '../time/frame-reorder.ts'
import { TrackClock } from '../time/track-clock.ts'
import type { WireFrame } from '../wire.ts'
import type { Segment } from '../write/segment.ts'
import { LONGEST_SEGMENT_MS, type TrackWriter } from '../write/track-writer.ts'
import type { KeyFrames } from './key-frames.ts'

/** From this age on a segment ends at the next key frame, and one is requested. One request per segment is no load for a meeting. */
const RIPE_SEGMENT_MS = 8_000
const LONGEST_FRAME_MS = 1_000

type Arrived = WireFrame & { readonly arrivedMs: number }

export class VideoSource {
  readonly kind = 'video'
  readonly speaking = false
  readonly #writer: TrackWriter
  readonly #keys: KeyFrames
  readonly #nowMs: () => number
  readonly #order: FrameReorder<Arrived>
  readonly #clock = new TrackClock(VIDEO_RATE, { correctsAtOnce: true })
  #codecPrivate: Uint8Array | null = null

  constructor(writer: TrackWriter, keys: KeyFrames, { nowMs, isSlot }: { readonly nowMs: () => number; readonly isSlot: boolean }) {
    this.#writer = writer
    this.#keys = keys
    this.#nowMs = nowMs
    this.#order = new FrameReorder({ isSlot })
  }

  get losses() {
    return { dropped: this.#order.unowned, repeated: this.#order.repeated }
  }

  push(frame: WireFrame, arrivedMs: number): void {
    for (const next of this.#order.push({ ...frame, arrivedMs })) this.#write(next)
  }

  /** The owner changed with one of the last key frames. The owner of the frames since then is unknown, so they are dropped. */
  split(): void {
    this.#order.dropUnowned(this.#nowMs())
    this.flush()
  }

  flush(): void {
    for (const frame of this.#order.flush()) this.#write(frame)
  }

  tick(nowMs: number): void {
    for (const frame of this.#order.release(nowMs)) this.#write(frame)
  }

  #write(frame: Arrived): void {
    const atMs = this.#clock.at(frame, frame.arrivedMs)
    if (!this.#writer.records(atMs) || this.#keys.isLost(frame.key)) return
    const { key, payload, codec } = frame
    const durationMs = Math.min(LONGEST_FRAME_MS, atMs - (this.#writer.lastMs ?? atMs))
    if (this.#writer.segment && this.#splits(this.#writer.segment, frame, atMs)) this.#writer.close(atMs)
    if (key) this.#codecPrivate = privateData(codec, payload)
    // The next frames depend on the one that was not written.
    if (!this.#writer.write(frame, { atMs, durationMs, key, payload }, this.#codecPrivate)) this.#keys.isMissing = true
    if (this.#writer.segment && this.#writer.segment.ageMs(atMs) >= RIPE_SEGMENT_MS) this.#keys.request()
  }

  #splits(segment: Segment, frame: WireFrame, atMs: number): boolean {
    const ageMs = segment.ageMs(atMs)
    if (segment.codec !== frame.codec || ageMs >= LONGEST_SEGMENT_MS) return true
    if (!frame.key) return false
    if (ageMs >= RIPE_SEGMENT_MS) return true
    // Only key frames carry a reliable size. A new parameter set starts a new stream even at the same size.
    if (segment.opened.width !== frame.width || segment.opened.height !== frame.height) return true
    return !isSame(this.#codecPrivate, privateData(frame.codec, frame.payload))
  }
}
