// Decodes the Opus packets of one source to mono samples at 48 kHz. An undecodable packet gives null and never throws.
import { OpusDecoder } from 'opus-decoder'
import { isOpusPacket } from './opus-packet.ts'

export type Decoder = {
  /** Resolves when packets can be decoded, or with the reason why they never can. */
  readonly ready: Promise<{ readonly why: string | null }>
  decode(packet: Uint8Array): Int16Array | null
  free(): void
}

const FULL_SCALE = 32_768

export function createDecoder(): Decoder {
  const decoder = new OpusDecoder({ channels: 1 })
  let isReady = false
  let isFreed = false
  const ready = decoder.ready.then(
    () => {
      isReady = !isFreed
      if (isFreed) decoder.free()
      return { why: null }
    },
    (error: unknown) => ({ why: String(error) }),
  )
  return {
    ready,
    decode: (packet) => (isReady && isOpusPacket(packet) ? decoded(decoder, packet) : null),
    free() {
      // A decoder that is not ready has nothing to free.
      if (isReady) decoder.free()
      isReady = false
      isFreed = true
    },
  }
}

function decoded(decoder: OpusDecoder, packet: Uint8Array): Int16Array | null {
  try {
    const { channelData, errors } = decoder.decodeFrame(packet)
    const [mono] = channelData
    return mono?.length && errors.length === 0 ? toIntegers(mono) : null
  } catch {
    // The library throws for packets of more than 3840 bytes.
    return null
  }
}

function toIntegers(samples: Float32Array): Int16Array {
  const integers = new Int16Array(samples.length)
  for (let at = 0; at < samples.length; at++) {
    const scaled = Math.round((samples[at] ?? 0) * FULL_SCALE)
    integers[at] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, scaled))
  }
  return integers
}
