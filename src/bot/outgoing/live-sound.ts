// Raw sound of any rate made into what the page's microphone takes, chunk after chunk as one sound: no seam where two chunks meet.

export type SoundShape = { readonly sampleRate: number; readonly channels: number }

export const PAGE_RATE = 48_000
const BYTES_PER_SAMPLE = 2

/** Takes pcm s16le, gives one channel of 48,000 samples a second, s16le. */
export class LiveSound {
  readonly #shape: SoundShape
  /** Bytes of a sample, or of a sample's other channels, that have not come yet. */
  #cut = Buffer.alloc(0)
  /** The last samples of the chunk before, for the curve that leads on from them. */
  #tail: readonly number[] = [0, 0, 0]
  /** Of the next sample that is given, behind the second of the tail, in steps so small that all of them are whole. */
  #position = 0

  constructor(shape: SoundShape) {
    const { sampleRate, channels } = shape
    if (!(sampleRate >= 8_000 && sampleRate <= 192_000)) throw new RangeError(`The sample rate must be 8000 to 192000, not ${sampleRate}.`)
    if (channels !== 1 && channels !== 2) throw new RangeError(`The sound must have one channel or two, not ${channels}.`)
    this.#shape = shape
  }

  isOf({ sampleRate, channels }: SoundShape): boolean {
    return sampleRate === this.#shape.sampleRate && channels === this.#shape.channels
  }

  convert(pcm: Buffer): Buffer {
    const incoming = this.#mono(pcm)
    return this.#shape.sampleRate === PAGE_RATE ? written(incoming) : written(this.#stretched(incoming))
  }

  #mono(pcm: Buffer): readonly number[] {
    const bytes = Buffer.concat([this.#cut, pcm])
    const frameBytes = BYTES_PER_SAMPLE * this.#shape.channels
    const whole = bytes.length - (bytes.length % frameBytes)
    this.#cut = Buffer.from(bytes.subarray(whole))
    const sampleAt = (at: number) =>
      this.#shape.channels === 1 ? bytes.readInt16LE(at) : (bytes.readInt16LE(at) + bytes.readInt16LE(at + BYTES_PER_SAMPLE)) / 2
    return Array.from({ length: whole / frameBytes }, (_, frame) => sampleAt(frame * frameBytes))
  }

  /** Along a curve through four neighbours: a straight line between two would be heard as hiss above the voice. */
  #stretched(incoming: readonly number[]): readonly number[] {
    const samples = [...this.#tail, ...incoming]
    const end = incoming.length * PAGE_RATE
    const given: number[] = []
    for (; this.#position < end; this.#position += this.#shape.sampleRate) {
      const share = (this.#position % PAGE_RATE) / PAGE_RATE
      given.push(between(samples, Math.floor(this.#position / PAGE_RATE), share))
    }
    this.#position -= end
    this.#tail = samples.slice(-3)
    return given
  }
}

function between(samples: readonly number[], index: number, share: number): number {
  const [before = 0, from = 0, to = 0, after = 0] = [samples[index], samples[index + 1], samples[index + 2], samples[index + 3]]
  const bend = 3 * (from - to) + after - before
  const slope = 2 * before - 5 * from + 4 * to - after
  return from + (share / 2) * (to - before + share * (slope + share * bend))
}

function written(samples: readonly number[]): Buffer {
  const pcm = Buffer.alloc(samples.length * BYTES_PER_SAMPLE)
  for (const [index, sample] of samples.entries())
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample))), index * BYTES_PER_SAMPLE)
  return pcm
}
