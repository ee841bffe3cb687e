// One source of sound on its way into the mix: packets in, samples at their session times out, without clicks and without drift.
import { OpusDecoder } from 'opus-decoder'
import type { Packet } from './matroska-file.ts'

export const SAMPLES_PER_MS = 48
/** A packet further off than this is not late by its rounding: something was lost, or nothing was sent. */
const JUMP = 20 * SAMPLES_PER_MS
/** Times are whole milliseconds, so smaller differences say nothing. */
const TOLERATED = 2 * SAMPLES_PER_MS
/** Four samples in a packet of 960 cannot be heard, and make up for any clock. */
const MOST_STRETCHED = 4
const FADE = 2 * SAMPLES_PER_MS
/** As much as the decoder keeps room for. */
const LARGEST_PACKET_BYTES = 3_840

/** Takes samples that begin at this many samples of session time. */
export type Sink = (at: number, samples: Float32Array) => void

type Held = { readonly at: number; readonly samples: Float32Array }

export class Voice {
  readonly #sink: Sink
  #decoder: OpusDecoder | null = null
  /** Kept back until it is known whether the sound goes on behind it. */
  #held: Held | null = null
  #cursor = Number.NEGATIVE_INFINITY

  constructor(sink: Sink) {
    this.#sink = sink
  }

  async hear(packets: readonly Packet[]): Promise<void> {
    for (const { atMs, data } of packets) {
      const samples = await this.#decode(data)
      if (samples) this.#place(Math.round(atMs * SAMPLES_PER_MS), samples)
    }
  }

  /** Nothing follows for a while. */
  rest(): void {
    if (this.#held) this.#sink(this.#held.at, faded(this.#held.samples, 'out'))
    this.#held = null
    this.#cursor = Number.NEGATIVE_INFINITY
  }

  end(): void {
    this.rest()
    this.#decoder?.free()
    this.#decoder = null
  }

  #place(wanted: number, samples: Float32Array): void {
    const off = wanted - this.#cursor
    if (Math.abs(off) > JUMP) {
      this.rest()
      this.#hold(wanted, faded(samples, 'in'))
      return
    }
    if (this.#held) this.#sink(this.#held.at, this.#held.samples)
    const stretch = Math.abs(off) > TOLERATED ? Math.sign(off) * MOST_STRETCHED : 0
    this.#hold(this.#cursor, stretched(samples, samples.length + stretch))
  }

  #hold(at: number, samples: Float32Array): void {
    this.#held = { at, samples }
    this.#cursor = at + samples.length
  }

  async #decode(packet: Uint8Array): Promise<Float32Array | null> {
    if (packet.length === 0 || packet.length > LARGEST_PACKET_BYTES) return null
    if (!this.#decoder) {
      this.#decoder = new OpusDecoder({ channels: 1 })
      await this.#decoder.ready
    }
    try {
      const { channelData, errors } = this.#decoder.decodeFrame(packet)
      const [samples] = channelData
      return samples?.length && errors.length === 0 ? samples : null
    } catch {
      // A packet from a stranger that breaks the decoder is a lost packet, and the decoder is not trusted any more.
      this.#decoder = null
      return null
    }
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

function faded(samples: Float32Array, how: 'in' | 'out'): Float32Array {
  const length = Math.min(FADE, samples.length)
  const result = Float32Array.from(samples)
  for (let step = 0; step < length; step++) {
    const at = how === 'in' ? step : samples.length - 1 - step
    result[at] = ((samples[at] ?? 0) * step) / length
  }
  return result
}
