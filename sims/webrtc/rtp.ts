// RTP payloads: redundant Opus, fragmented VP8, and the audio level.
import { createVp8PayloadDescriptor } from 'werift'

const PIECE_BYTES = 1_100
const MOST_REDUNDANT_BYTES = 1_023

/** RFC 2198 with one earlier packet, this many samples back, or the packet alone. */
export function redundant(opus: Buffer, earlier: Buffer | null, samplesBack: number, payloadType: number): Buffer {
  if (!earlier || earlier.length > MOST_REDUNDANT_BYTES) return Buffer.concat([Buffer.from([payloadType]), opus])
  const head = Buffer.alloc(5)
  head.writeUInt8(0x80 | payloadType, 0)
  // Fourteen bits of time, ten of length.
  head.writeUIntBE(samplesBack * 1_024 + earlier.length, 1, 3)
  head.writeUInt8(payloadType, 4)
  return Buffer.concat([head, earlier, opus])
}

/** RFC 6464: the highest bit marks speech. */
export function levelExtension(level: number, speaks: boolean): Buffer {
  return Buffer.from([level | (speaks ? 0x80 : 0)])
}

export function vp8Pieces(frame: Buffer, pictureId: number): Buffer[] {
  const count = Math.ceil(frame.length / PIECE_BYTES)
  return Array.from({ length: count }, (_, index) => {
    const descriptor = createVp8PayloadDescriptor({ start: index === 0, pictureId })
    return Buffer.concat([descriptor, frame.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)])
  })
}
