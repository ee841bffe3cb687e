// Checks that an Opus packet is well-formed (RFC 6716, 3.4), so that the decoder gets no other.
import { LONGEST_OPUS_MS, opusMs } from '../capture/codec.ts'

const LONGEST_FRAME_BYTES = 1275

export function isOpusPacket(packet: Uint8Array): boolean {
  const ms = opusMs(packet)
  if (packet.length === 0 || ms === 0 || ms > LONGEST_OPUS_MS) return false
  return SHAPES[(packet[0] ?? 0) & 3]?.(packet.subarray(1)) ?? false
}

/** By the code in the first byte: one frame, two of equal length, two of different lengths, any number. */
const SHAPES: readonly ((rest: Uint8Array) => boolean)[] = [
  (rest) => isFrame(rest.length),
  (rest) => isFrame(rest.length / 2),
  (rest) => areFrames(rest, 2),
  isCounted,
]

function isCounted(rest: Uint8Array): boolean {
  const [head = 0] = rest
  const count = head & 63
  const [isVariable, isPadded] = [(head & 128) !== 0, (head & 64) !== 0]
  const body = isPadded ? withoutPadding(rest.subarray(1)) : rest.subarray(1)
  if (!body || rest.length === 0) return false
  return isVariable ? areFrames(body, count) : isFrame(body.length / count)
}

/** Frames of different lengths: the lengths of all but the last precede the first frame. */
function areFrames(bytes: Uint8Array, count: number): boolean {
  let left = bytes.length
  let at = 0
  for (let frame = 1; frame < count; frame++) {
    const first = bytes[at] ?? 0
    const second = first < 252 ? 0 : (bytes[at + 1] ?? 0)
    const lengthBytes = first < 252 ? 1 : 2
    at += lengthBytes
    left -= lengthBytes + first + second * 4
  }
  return isFrame(left)
}

/** A byte of 255 means 254 bytes of padding, and that another length byte follows. */
function withoutPadding(bytes: Uint8Array): Uint8Array | null {
  let padding = 0
  let at = 0
  while (bytes[at] === 255) {
    padding += 254
    at++
  }
  const last = bytes[at]
  const end = bytes.length - padding - (last ?? 0)
  return last === undefined || end < at + 1 ? null : bytes.subarray(at + 1, end)
}

function isFrame(length: number): boolean {
  return Number.isInteger(length) && length >= 0 && length <= LONGEST_FRAME_BYTES
}
