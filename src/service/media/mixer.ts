// Everybody's sound added up along the session's time, a second at a time: memory does not grow with the meeting.
import { readSegment, type SegmentSource } from './recorded-segment.ts'
import { SAMPLES_PER_MS, Voice } from './voice.ts'

/** `nextMs` is when the source goes on; null where this is its last. */
export type MixSegment = SegmentSource & { readonly trackId: string; readonly endMs: number; readonly nextMs: number | null }

export type MixOrder = { readonly recording: string; readonly totalMs: number; readonly segments: readonly MixSegment[] }

/** Grows while the sound is read. */
export type Heard = { ms: number }

const OPUS = 'A_OPUS'
const BLOCK = 1_000 * SAMPLES_PER_MS
/** A source may place sound this far behind the start of its segment, when its packets were late. */
const MARGIN_MS = 1_000
const GOES_ON_MS = 100
const METERED = 20 * SAMPLES_PER_MS
/** -60 dB: a live microphone in a quiet room is below. */
const AUDIBLE = 0.001

/** 48 kHz, mono, 32-bit floats: exactly `totalMs` of it. `segments` are in the order of their beginnings. */
export async function* mixed({ recording, totalMs, segments }: MixOrder, heard: Heard): AsyncGenerator<Uint8Array> {
  const sum = new Sum(totalMs * SAMPLES_PER_MS, heard)
  const voices = new Map<string, Voice>()
  for (const segment of segments) {
    // Whatever follows starts later, so what lies well before is final.
    yield* sum.until((segment.startMs - MARGIN_MS) * SAMPLES_PER_MS)
    const voice = voices.get(segment.trackId) ?? new Voice((at, samples) => sum.add(at, samples))
    voices.set(segment.trackId, voice)
    const read = await readSegment(recording, segment)
    if (read?.head.codec === OPUS) await voice.hear(read.packets)
    if (segment.nextMs === null) {
      voice.end()
      voices.delete(segment.trackId)
    } else if (segment.nextMs - segment.endMs > GOES_ON_MS) voice.rest()
  }
  for (const voice of voices.values()) voice.end()
  yield* sum.until(Number.POSITIVE_INFINITY)
}

class Sum {
  readonly #length: number
  readonly #heard: Heard
  readonly #blocks = new Map<number, Float32Array>()
  #next = 0

  constructor(length: number, heard: Heard) {
    this.#length = Math.round(length)
    this.#heard = heard
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

  /** The blocks that end before this moment. */
  *until(moment: number): Generator<Uint8Array> {
    const end = Math.min(moment, this.#length)
    while (this.#next * BLOCK < this.#length && ((this.#next + 1) * BLOCK <= end || end === this.#length)) {
      const length = Math.min(BLOCK, this.#length - this.#next * BLOCK)
      const block = (this.#blocks.get(this.#next) ?? new Float32Array(length)).subarray(0, length)
      this.#blocks.delete(this.#next++)
      this.#heard.ms += audibleMs(block)
      yield new Uint8Array(block.buffer, block.byteOffset, block.byteLength)
    }
  }

  #addTo(index: number, offset: number, samples: Float32Array): void {
    // Before the first moment, or so late that it has gone out already.
    if (index < this.#next) return
    const block = this.#blocks.get(index) ?? new Float32Array(BLOCK)
    this.#blocks.set(index, block)
    for (let at = 0; at < samples.length; at++) block[offset + at] = (block[offset + at] ?? 0) + (samples[at] ?? 0)
  }
}

function audibleMs(block: Float32Array): number {
  let ms = 0
  for (let at = 0; at < block.length; at += METERED) {
    const part = block.subarray(at, at + METERED)
    if (part.some((sample) => Math.abs(sample) > AUDIBLE)) ms += part.length / SAMPLES_PER_MS
  }
  return ms
}
