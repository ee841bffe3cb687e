// Writes the containers that the page records itself. Each starts with its own header, so each is a segment.
import type { WireFrame } from '../wire.ts'
import type { TrackWriter } from '../write/track-writer.ts'
import type { KeyFrames } from './key-frames.ts'

export class ContainerSource {
  readonly #writer: TrackWriter
  readonly #keys: KeyFrames

  constructor(writer: TrackWriter, keys: KeyFrames) {
    this.#writer = writer
    this.#keys = keys
  }

  push(frame: WireFrame, arrivedMs: number): void {
    if (!this.#writer.records(arrivedMs)) {
      this.#keys.isMissing = true
      return
    }
    if (frame.first) this.#writer.close(arrivedMs)
    if (this.#keys.isLost(frame.first)) return
    const written = { atMs: arrivedMs, durationMs: 0, key: frame.first, payload: frame.payload }
    if (!this.#writer.write(frame, written, null)) this.#keys.isMissing = true
  }
}
