// Converts raw audio of any rate to the page's format, continuously from chunk to chunk.

export type PcmFormat = { readonly sampleRate: number; readonly channels: number }

export const PAGE_RATE = 48_000
const BYTES_PER_SAMPLE = 2

/** Converts pcm s16le to mono pcm s16le at 48 kHz. */
export class PcmResampler {
  readonly #format: PcmFormat
  /** The bytes of an incomplete sample at the end of the last chunk. */
  #cut = Buffer.alloc(0)
  /** The last samples of the chunk before, for interpolation. */
  #tail: readonly number[] = [0, 0, 0]
  /** Position of the next output sample, counted from the second tail sample in units of 1/48000 input samples, so that it is an integer. */
  #position = 0

  constructor(format: PcmFormat) {
    const { sampleRate, channels } = format
    if (!(sampleRate >= 8_000 && sampleRate <= 192_000)) throw new RangeError(`sampleRate must be from 8000 to 192000, not ${sampleRate}.`)
    if (channels !== 1 && channels !== 2) throw new RangeError(`channels must be 1 or 2, not ${channels}.`)
    this.#format = format
  }

  accepts({ sampleRate, channels }: PcmFormat): boolean {
    return sampleRate === this.#format.sampleRate && channels === this.#format.channels
  }

  convert(pcm: Buffer): Buffer {
    const incoming = this.#mono(pcm)
    return this.#format.sampleRate === PAGE_RATE ? toPcm(incoming) : toPcm(this.#resampled(incoming))
  }

  #mono(pcm: Buffer): readonly number[] {
    const bytes = Buffer.concat([this.#cut, pcm])
    const frameBytes = BYTES_PER_SAMPLE * this.#format.channels
    const whole = bytes.length - (bytes.length % frameBytes)
    this.#cut = Buffer.from(bytes.subarray(whole))
    const sampleAt = (at: number) =>
      this.#format.channels === 1 ? bytes.readInt16LE(at) : (bytes.readInt16LE(at) + bytes.readInt16LE(at + BYTES_PER_SAMPLE)) / 2
    return Array.from({ length: whole / frameBytes }, (_, frame) => sampleAt(frame * frameBytes))
  }

  /** Cubic interpolation over four samples: a linear one would be audible as hiss. */
  #resampled(incoming: readonly number[]): readonly number[] {
    const samples = [...this.#tail, ...incoming]
    const end = incoming.length * PAGE_RATE
    const output: number[] = []
    for (; this.#position < end; this.#position += this.#format.sampleRate) {
      const share = (this.#position % PAGE_RATE) / PAGE_RATE
      output.push(between(samples, Math.floor(this.#position / PAGE_RATE), share))
    }
    this.#position -= end
    this.#tail = samples.slice(-3)
    return output
  }
}

function between(samples: readonly number[], index: number, share: number): number {
  const [before = 0, from = 0, to = 0, after = 0] = [samples[index], samples[index + 1], samples[index + 2], samples[index + 3]]
  const bend = 3 * (from - to) + after - before
  const slope = 2 * before - 5 * from + 4 * to - after
  return from + (share / 2) * (to - before + share * (slope + share * bend))
}

function toPcm(samples: readonly number[]): Buffer {
  const pcm = Buffer.alloc(samples.length * BYTES_PER_SAMPLE)
  for (const [index, sample] of samples.entries())
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample))), index * BYTES_PER_SAMPLE)
  return pcm
}
