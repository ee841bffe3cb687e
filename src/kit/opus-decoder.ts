// Decodes the Opus packets of one stream to mono samples. A packet never makes it throw.
import { OpusDecoder } from 'opus-decoder'

/** The size of the library's input buffer. */
const LARGEST_PACKET_BYTES = 3_840

type SampleRate = 16_000 | 48_000

export const openLibrary = (sampleRate: SampleRate) => new OpusDecoder({ channels: 1, sampleRate })

export class OpusPacketDecoder {
  readonly #sampleRate: SampleRate
  readonly #openLibrary: typeof openLibrary
  #decoder: OpusDecoder<SampleRate> | null = null
  #loading: Promise<void> | null = null
  #isFreed = false

  constructor(sampleRate: SampleRate = 48_000, open = openLibrary) {
    this.#sampleRate = sampleRate
    this.#openLibrary = open
  }

  /** Resolves when packets can be decoded. Rejects if the library cannot be loaded. */
  load(): Promise<void> {
    this.#loading ??= this.#open()
    return this.#loading
  }

  /** Returns null for an undecodable packet, and while the decoder loads. */
  decode(packet: Uint8Array): Float32Array | null {
    if (!this.#decoder || packet.length === 0 || packet.length > LARGEST_PACKET_BYTES) return null
    try {
      const { channelData, errors } = this.#decoder.decodeFrame(packet)
      const [samples] = channelData
      return samples?.length && errors.length === 0 ? samples : null
    } catch {
      this.#replace()
      return null
    }
  }

  free(): void {
    this.#isFreed = true
    this.#release()
  }

  async #open(): Promise<void> {
    const decoder = this.#openLibrary(this.#sampleRate)
    // A decoder that is not ready has nothing to free.
    await decoder.ready
    if (this.#isFreed) decoder.free()
    else this.#decoder = decoder
  }

  /** A decoder that threw may be in a bad state. */
  #replace(): void {
    this.#release()
    this.#loading = null
    // The next caller of `load` gets the error.
    this.load().catch(() => undefined)
  }

  #release(): void {
    this.#decoder?.free()
    this.#decoder = null
  }
}
