// Adds up the audio of all tracks in blocks of one second, so that memory does not grow with the meeting.
import { readSegment, type SegmentSource } from '../recorded-segment.ts'
import { SAMPLES_PER_MS, TrackDecoder } from './track-decoder.ts'

/** `nextMs` is the start of the track's next segment; null for its last one. */
export type MixSegment = SegmentSource & { readonly trackId: string; readonly endMs: number; readonly nextMs: number | null }

export type MixOrder = { readonly recording: string; readonly totalMs: number; readonly segments: readonly MixSegment[] }

/** Updated while the mixed audio is read. */
export type AudibleTime = { ms: number }

const OPUS = 'A_OPUS'
const BLOCK = 1_000 * SAMPLES_PER_MS
/** Late packets may place audio up to this long before the start of their segment. */
const MARGIN_MS = 1_000
const CONTINUES_WITHIN_MS = 100
const METER_WINDOW = 20 * SAMPLES_PER_MS
/** -60 dB: a live microphone in a quiet room is below this. */
const AUDIBLE = 0.001

/** Yields exactly `totalMs` of 48 kHz mono 32-bit floats. `segments` are sorted by start. */
export async function* mixTracks({ recording, totalMs, segments }: MixOrder, audible: AudibleTime): AsyncGenerator<Uint8Array> {
  const sum = new Sum(totalMs * SAMPLES_PER_MS, audible)
  const decoders = new Map<string, TrackDecoder>()
  for (const segment of segments) {
    // Later segments start later, so audio well before this one is final.
    yield* sum.until((segment.startMs - MARGIN_MS) * SAMPLES_PER_MS)
    const decoder = decoders.get(segment.trackId) ?? new TrackDecoder((at, samples) => sum.add(at, samples))
    decoders.set(segment.trackId, decoder)
    const read = await readSegment(recording, segment)
    if (read?.head.codec === OPUS) await decoder.decode(read.packets)
    if (segment.nextMs === null) {
      decoder.end()
      decoders.delete(segment.trackId)
    } else if (segment.nextMs - segment.endMs > CONTINUES_WITHIN_MS) decoder.pause()
  }
  for (const decoder of decoders.values()) decoder.end()
  yield* sum.until(Number.POSITIVE_INFINITY)
}

class Sum {
  readonly #length: number
  readonly #audible: AudibleTime
  readonly #blocks = new Map<number, Float32Array>()
  #next = 0

  constructor(length: number, audible: AudibleTime) {
    this.#length = Math.round(length)
    this.#audible = audible
  }

  add(at: number, samples: Float32Array): void {
    for (let from = 0; from < samples.length; ) {
      const place = at + from
      const index = Math.floor(place / BLOCK)
      const count = Math.min(samples.length - from, (index + 1) * BLOCK - place)
      this.#addTo(index, place - index * BLOCK, samples.subarray(from, from + count))
      from += count
    }
  }

  /** Yields the blocks that end before `moment`. */
  *until(moment: number): Generator<Uint8Array> {
    const end = Math.min(moment, this.#length)
    while (this.#next * BLOCK < this.#length && ((this.#next + 1) * BLOCK <= end || end === this.#length)) {
      const length = Math.min(BLOCK, this.#length - this.#next * BLOCK)
      const block = (this.#blocks.get(this.#next) ?? new Float32Array(length)).subarray(0, length)
      this.#blocks.delete(this.#next++)
      this.#audible.ms += audibleMs(block)
      yield new Uint8Array(block.buffer, block.byteOffset, block.byteLength)
    }
  }

  #addTo(index: number, offset: number, samples: Float32Array): void {
    // Audio before the start of the session, or for a block that was already yielded.
    if (index < this.#next) return
    const block = this.#blocks.get(index) ?? new Float32Array(BLOCK)
    this.#blocks.set(index, block)
    for (let at = 0; at < samples.length; at++) block[offset + at] = (block[offset + at] ?? 0) + (samples[at] ?? 0)
  }
}

function audibleMs(block: Float32Array): number {
  let ms = 0
  for (let at = 0; at < block.length; at += METER_WINDOW) {
    const part = block.subarray(at, at + METER_WINDOW)
    if (part.some((sample) => Math.abs(sample) > AUDIBLE)) ms += part.length / SAMPLES_PER_MS
  }
  return ms
}
