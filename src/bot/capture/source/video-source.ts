// Video of one source: drops frames whose key frame is missing, and splits the others into segments at key frames.

import { isSame, privateData } from '../codec.ts'
import type { Timed } from '../time/source-timing.ts'
import type { Segment } from '../write/segment.ts'
import { LONGEST_SEGMENT_MS, type TrackWriter } from '../write/track-writer.ts'

/** From this age on a segment ends at the next key frame, and one is requested. One request per segment is no load for a meeting. */
const RIPE_SEGMENT_MS = 8_000
const LONGEST_FRAME_MS = 1_000
const REQUEST_AGAIN_MS = 2_000

export class VideoSource {
  readonly kind = 'video'
  readonly #writer: TrackWriter
  readonly #keys: KeyFrames
  #codecPrivate: Uint8Array | null = null

  constructor(writer: TrackWriter, keys: KeyFrames) {
    this.#writer = writer
    this.#keys = keys
  }

  write(frame: Timed): void {
    const { atMs, key, payload, codec } = frame
    if (!this.#writer.records(atMs) || this.#keys.isLost(key)) return
    const durationMs = Math.min(LONGEST_FRAME_MS, atMs - (this.#writer.lastMs ?? atMs))
    if (this.#writer.segment && this.#splits(this.#writer.segment, frame)) this.#writer.close(atMs)
    if (key) this.#codecPrivate = privateData(codec, payload)
    // The next frames depend on the one that was not written.
    if (!this.#writer.write(frame, { atMs, durationMs, key, payload }, this.#codecPrivate)) this.#keys.isMissing = true
    if (this.#writer.segment && this.#writer.segment.ageMs(atMs) >= RIPE_SEGMENT_MS) this.#keys.request()
  }

  #splits(segment: Segment, { atMs, codec, key, width, height, payload }: Timed): boolean {
    const ageMs = segment.ageMs(atMs)
    if (segment.opened.codec !== codec || ageMs >= LONGEST_SEGMENT_MS) return true
    if (!key) return false
    if (ageMs >= RIPE_SEGMENT_MS) return true
    // Only key frames carry a reliable size. A new parameter set starts a new stream even at the same size.
    if (segment.opened.width !== width || segment.opened.height !== height) return true
    return !isSame(this.#codecPrivate, privateData(codec, payload))
  }
}

/** Drops frames whose key frame is missing, because no decoder can use them, and requests another key frame. */
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
    this.isMissing &&= !isKey
    if (!this.isMissing) return false
    this.lost++
    this.request()
    return true
  }
}
