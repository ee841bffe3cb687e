// Decodes one audio track for the mix: places its samples at their session times, without clicks and without drift.
import type { Packet } from '../../../kit/matroska/reader.ts'
import { OpusPacketDecoder } from '../../../kit/opus-decoder.ts'

export const SAMPLES_PER_MS = 48
/** A larger difference between expected and actual time means lost packets or a pause of the sender. */
const JUMP = 20 * SAMPLES_PER_MS
/** Packet times are whole milliseconds, so smaller differences are rounding. */
const TOLERATED = 2 * SAMPLES_PER_MS
/** Four samples in 960 are inaudible and correct any clock drift. */
const MOST_STRETCHED = 4 / 960
const FADE = 2 * SAMPLES_PER_MS

/** `at` is session time in samples. */
export type Sink = (at: number, samples: Float32Array) => void

type Held = { readonly at: number; readonly samples: Float32Array }

export class TrackDecoder {
  readonly #sink: Sink
  readonly #decoder = new OpusPacketDecoder()
  /** The last packet, held until it is known whether to fade it out. */
  #held: Held | null = null
  #cursor = Number.NEGATIVE_INFINITY

  constructor(sink: Sink) {
    this.#sink = sink
  }

  async decode(packets: readonly Packet[]): Promise<void> {
    for (const { atMs, data } of packets) {
      await this.#decoder.load()
      const samples = this.#decoder.decode(data)
      if (samples) this.#place(Math.round(atMs * SAMPLES_PER_MS), samples)
    }
  }

  /** Fades out: the track has no audio for a while. */
  pause(): void {
    if (this.#held) this.#sink(this.#held.at, faded(this.#held.samples, 'out'))
    this.#held = null
    this.#cursor = Number.NEGATIVE_INFINITY
  }

  end(): void {
    this.pause()
    this.#decoder.free()
  }

  #place(wanted: number, samples: Float32Array): void {
    const off = wanted - this.#cursor
    if (Math.abs(off) > JUMP) {
      this.pause()
      this.#hold(wanted, faded(samples, 'in'))
      return
    }
    if (this.#held) this.#sink(this.#held.at, this.#held.samples)
    const stretch = Math.abs(off) > TOLERATED ? Math.sign(off) * Math.round(samples.length * MOST_STRETCHED) : 0
    this.#hold(this.#cursor, stretched(samples, samples.length + stretch))
  }

  #hold(at: number, samples: Float32Array): void {
    this.#held = { at, samples }
    this.#cursor = at + samples.length
  }
}

function stretched(samples: Float32Array, length: number): Float32Array {
  if (length === samples.length) return samples
  const step = (samples.length - 1) / (length - 1)
  return Float32Array.from({ length }, (_, index) => {
    const at = Math.floor(index * step)
    const before = samples[at] ?? 0
    return before + ((samples[at + 1] ?? before) - before) * (index * step - at)
  })
}

function faded(samples: Float32Array, direction: 'in' | 'out'): Float32Array {
  const length = Math.min(FADE, samples.length)
  const result = Float32Array.from(samples)
  for (let step = 0; step < length; step++) {
    const at = direction === 'in' ? step : samples.length - 1 - step
    result[at] = ((samples[at] ?? 0) * step) / length
  }
  return result
}
