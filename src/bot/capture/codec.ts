// Codec facts that a Matroska file needs: the codec's name, its private data, and how a frame is stored.
import type { Codec } from '../../domain/recording.ts'

export const MATROSKA_CODECS: Readonly<Record<Exclude<Codec, 'webm'>, string>> = {
  opus: 'A_OPUS',
  vp8: 'V_VP8',
  vp9: 'V_VP9',
  av1: 'V_AV1',
  h264: 'V_MPEG4/ISO/AVC',
}

export const OPUS_RATE = 48_000
export const OPUS_CHANNELS = 2
/** RTP ticks per second of every video codec. */
export const VIDEO_RATE = 90_000

/**
 * The private data for a stream that starts with this frame; null if the codec needs none or the frame does not carry it.
 * H.264 and AV1 carry theirs in band, in every key frame.
 */
export function privateData(codec: Codec, frame: Uint8Array): Buffer | null {
  if (codec === 'opus') return OPUS_HEAD
  if (codec === 'h264') return avcConfiguration(frame)
  if (codec === 'av1') return av1Configuration(frame)
  return null
}

/** The bytes of a frame as Matroska stores them: H.264 with lengths instead of start codes, other codecs unchanged. */
export function storedFrame(codec: Codec, frame: Uint8Array): Uint8Array {
  if (codec !== 'h264') return frame
  const parts = annexBUnits(frame).flatMap((unit) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(unit.byteLength)
    return [length, unit]
  })
  return Buffer.concat(parts)
}

/** A packet that claims to be longer is malformed (RFC 6716, 3.2.5). */
export const LONGEST_OPUS_MS = 120

/** Duration of an Opus packet, from its table-of-contents byte and frame count (RFC 6716, 3.1). */
export function opusMs(packet: Uint8Array): number {
  const [toc = 0, count = 0] = packet
  const config = toc >> 3
  const frames = [1, 2, 2, count & 63][toc & 3] ?? 1
  return frames * frameMs(config)
}

function frameMs(config: number): number {
  if (config < 12) return [10, 20, 40, 60][config & 3] ?? 20
  if (config < 16) return config & 1 ? 20 : 10
  return [2.5, 5, 10, 20][config & 3] ?? 20
}

/**
 * No pre-skip: the segments of a track are played as one, and a pre-skip would cut 6.5 ms out of each.
 */
const OPUS_HEAD = opusHead()

function opusHead(): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  head[8] = 1
  head[9] = OPUS_CHANNELS
  head.writeUInt32LE(OPUS_RATE, 12)
  return head
}

const SPS = 7
const PPS = 8

function avcConfiguration(frame: Uint8Array): Buffer | null {
  const units = annexBUnits(frame)
  const sps = units.filter(([head = 0]) => (head & 31) === SPS)
  const pps = units.filter(([head = 0]) => (head & 31) === PPS)
  const first = sps[0]
  if (!first || first.byteLength < 4 || pps.length === 0) return null
  const [, profile = 0, compatibility = 0, level = 0] = first
  return Buffer.concat([
    Buffer.from([1, profile, compatibility, level, 0xff, 0xe0 | sps.length]),
    ...sps.map(sized),
    Buffer.from([pps.length]),
    ...pps.map(sized),
  ])
}

function sized(unit: Uint8Array): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(unit.byteLength)
  return Buffer.concat([length, unit])
}

/** The NAL units between the start codes (00 00 01, with or without a zero before). */
function annexBUnits(frame: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
  const units: Uint8Array[] = []
  let start = bytes.indexOf(START_CODE)
  while (start >= 0) {
    const next = bytes.indexOf(START_CODE, start + 3)
    let end = next < 0 ? bytes.length : next
    while (end > start + 3 && bytes[end - 1] === 0) end--
    if (end > start + 3) units.push(bytes.subarray(start + 3, end))
    start = next
  }
  return units
}

const START_CODE = Buffer.from([0, 0, 1])
const SEQUENCE_HEADER = 1

function av1Configuration(frame: Uint8Array): Buffer | null {
  const header = sequenceHeader(frame)
  if (!header) return null
  const [first = 0, second = 0, third = 0, fourth = 0] = header.subarray(2)
  const profile = first >> 5
  // profile(3) still(1) reduced(1) timing(1) delay(1) points(5) idc(12) level(5), as WebRTC sends it. In any other layout the level is left out.
  const plain = (first & 0b0000_1100) === 0
  const level = plain ? (((first << 24) | (second << 16) | (third << 8) | fourth) >>> 3) & 31 : 0
  return Buffer.concat([Buffer.from([0x81, (profile << 5) | level, 0x0c, 0]), header])
}

/** The sequence header OBU of the frame, with its own header and length. */
function sequenceHeader(frame: Uint8Array): Uint8Array | null {
  let at = 0
  while (at < frame.byteLength) {
    const head = frame[at] ?? 0
    const hasSize = (head & 2) !== 0
    const sizeAt = at + 1 + ((head & 4) >> 2)
    if (!hasSize) return null
    const { value, bytes } = leb128(frame, sizeAt)
    const end = sizeAt + bytes + value
    if (((head >> 3) & 15) === SEQUENCE_HEADER) return frame.subarray(at, end)
    at = end
  }
  return null
}

function leb128(frame: Uint8Array, at: number): { value: number; bytes: number } {
  let value = 0
  for (let bytes = 0; bytes < 4; bytes++) {
    const byte = frame[at + bytes] ?? 0
    value |= (byte & 127) << (bytes * 7)
    if (byte < 128) return { value, bytes: bytes + 1 }
  }
  return { value, bytes: 4 }
}

export function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)
}
