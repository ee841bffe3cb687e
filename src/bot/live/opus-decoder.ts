// Opus packets of one source to samples, mono at 48 kHz. What cannot be decoded is null, and nothing is ever thrown.
import { OpusDecoder } from 'opus-decoder'
import { isOpusPacket } from './opus-packet.ts'

export type Decoder = {
  /** Settles once packets can be decoded; `why` where they never will be. */
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
      // Before it is ready there is nothing to free yet.
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
    // The library has room for 3840 bytes and throws at more. Whatever else breaks it: a packet that cannot be decoded.
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
