// Video of one source: ordered and timed once, split into segments at key frames.
import { TrackClock } from './clock.ts'
import { isSame, privateData, VIDEO_RATE } from './codec.ts'
import { FrameOrder } from './frame-order.ts'
import type { KeyFrames } from './key-frames.ts'
import type { Segment } from './segment.ts'
import { LONGEST_SEGMENT_MS, type TrackWriter } from './track-writer.ts'
import type { WireFrame } from './wire.ts'

/** Old enough to be split at the next key frame, and to ask for one: once a segment, which no meeting feels. */
const RIPE_SEGMENT_MS = 8_000
const LONGEST_FRAME_MS = 1_000

type Arrived = WireFrame & { readonly arrivedMs: number }

export class VideoSource {
  readonly kind = 'video'
  readonly speaking = false
  readonly #writer: TrackWriter
  readonly #keys: KeyFrames
  readonly #nowMs: () => number
  readonly #order: FrameOrder<Arrived>
  readonly #clock = new TrackClock(VIDEO_RATE, { compresses: true })
  #codecPrivate: Uint8Array | null = null

  constructor(writer: TrackWriter, keys: KeyFrames, { nowMs, isSlot }: { readonly nowMs: () => number; readonly isSlot: boolean }) {
    this.#writer = writer
    this.#keys = keys
    this.#nowMs = nowMs
    this.#order = new FrameOrder({ isSlot })
  }

  get losses() {
    return { dropped: this.#order.unowned, repeated: this.#order.repeated }
  }

  take(frame: WireFrame, arrivedMs: number): void {
    for (const next of this.#order.push({ ...frame, arrivedMs })) this.#write(next)
  }

  /** The owner changed with one of the last key frames. Frames since then are dropped: their owner is unknown. */
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
    // The next frames depend on the one that is missing.
    if (!this.#writer.write(frame, { atMs, durationMs, key, payload }, this.#codecPrivate)) this.#keys.isMissing = true
    if (this.#writer.segment && this.#writer.segment.ageMs(atMs) >= RIPE_SEGMENT_MS) this.#keys.ask()
  }

  #splits(segment: Segment, frame: WireFrame, atMs: number): boolean {
    const ageMs = segment.ageMs(atMs)
    if (segment.codec !== frame.codec || ageMs >= LONGEST_SEGMENT_MS) return true
    if (!frame.key) return false
    if (ageMs >= RIPE_SEGMENT_MS) return true
    // Only key frames have a size that can be trusted; a new parameter set is a new stream even at the same size.
    if (segment.opened.width !== frame.width || segment.opened.height !== frame.height) return true
    return !isSame(this.#codecPrivate, privateData(frame.codec, frame.payload))
  }
}
