// An append-only Matroska file of one track. No byte is ever patched, so a file truncated behind its first cluster is readable.
import type { Codec } from '../../../domain/recording.ts'
import { MATROSKA_CODECS, OPUS_CHANNELS, OPUS_RATE, storedFrame } from '../codec.ts'

export type MatroskaTrack = {
  readonly codec: Exclude<Codec, 'webm'>
  readonly width: number
  readonly height: number
  readonly codecPrivate: Uint8Array | null
}

const CLUSTER_MS = 1_000

/** Turns frames into bytes to append. Times are whole milliseconds of the session clock, so each file carries its place in the session. */
export class MatroskaWriter {
  readonly #track: MatroskaTrack
  #clusterMs = Number.NaN
  #hasHeader = false

  constructor(track: MatroskaTrack) {
    this.#track = track
  }

  /** The bytes of one frame, with the file and cluster headers before it if needed. Frames must come in order of time. */
  frame(atMs: number, key: boolean, payload: Uint8Array): Uint8Array {
    const ms = Math.max(0, Math.round(atMs))
    const parts: Uint8Array[] = []
    if (!this.#hasHeader) parts.push(fileHead(this.#track))
    this.#hasHeader = true
    // Negated, because the comparison with NaN is false for the first frame, which needs a cluster too.
    if (!(ms >= this.#clusterMs && ms - this.#clusterMs < CLUSTER_MS)) {
      this.#clusterMs = ms
      parts.push(CLUSTER, UNKNOWN_SIZE, unsigned(0xe7, ms))
    }
    const stored = storedFrame(this.#track.codec, payload)
    parts.push(blockHead(stored.byteLength, ms - this.#clusterMs, key), stored)
    return Buffer.concat(parts)
  }
}

// Element ids as in RFC 9559.
const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
const SEGMENT = Buffer.from([0x18, 0x53, 0x80, 0x67])
/** An element of unknown size ends at its next sibling or at the end of the file. */
const UNKNOWN_SIZE = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
const ONE_MS_IN_NS = 1_000_000
const VIDEO = 1
const AUDIO = 2

function fileHead(track: MatroskaTrack): Buffer {
  const head = [unsigned(0x4286, 1), unsigned(0x42f7, 1), unsigned(0x42f2, 4), unsigned(0x42f3, 8)]
  const kind = [text(0x4282, 'matroska'), unsigned(0x4287, 4), unsigned(0x4285, 2)]
  const info = [unsigned(0x2ad7b1, ONE_MS_IN_NS), text(0x4d80, 'emissary'), text(0x5741, 'emissary')]
  const entry = element(0xae, [
    unsigned(0xd7, 1),
    unsigned(0x73c5, 1),
    unsigned(0x9c, 0),
    text(0x86, MATROSKA_CODECS[track.codec]),
    unsigned(0x83, track.codec === 'opus' ? AUDIO : VIDEO),
    ...(track.codecPrivate ? [element(0x63a2, [track.codecPrivate])] : []),
    track.codec === 'opus' ? audioEntry() : element(0xe0, [unsigned(0xb0, track.width), unsigned(0xba, track.height)]),
  ])
  return Buffer.concat([
    element(0x1a45dfa3, [...head, ...kind]),
    SEGMENT,
    UNKNOWN_SIZE,
    element(0x1549a966, info),
    element(0x1654ae6b, [entry]),
  ])
}

function audioEntry(): Buffer {
  const rate = Buffer.alloc(8)
  rate.writeDoubleBE(OPUS_RATE)
  return element(0xe1, [element(0xb5, [rate]), unsigned(0x9f, OPUS_CHANNELS)])
}

function blockHead(payloadBytes: number, offsetMs: number, key: boolean): Buffer {
  const head = Buffer.from([0x81, 0, 0, key ? 0x80 : 0])
  head.writeInt16BE(offsetMs, 1)
  return Buffer.concat([Buffer.from([0xa3]), size(payloadBytes + head.length), head])
}

function element(id: number, parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([bigEndian(id), size(body.length), body])
}

function unsigned(id: number, value: number): Buffer {
  return element(id, [bigEndian(value)])
}

function text(id: number, value: string): Buffer {
  return element(id, [Buffer.from(value)])
}

function bigEndian(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.unshift(rest % 256)
    rest = Math.floor(rest / 256)
  } while (rest > 0)
  return Buffer.from(bytes)
}

/** An EBML length in as few bytes as possible. The leading one-bit gives the width. All ones means unknown, so each width stops one short. */
function size(length: number): Buffer {
  let width = 1
  while (length >= 2 ** (7 * width) - 1) width++
  const bytes = Buffer.alloc(width)
  bytes.writeUIntBE(length, 0, width)
  bytes[0] = (bytes[0] ?? 0) | (0x80 >> (width - 1))
  return bytes
}
