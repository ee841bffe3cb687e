// Media frames in the protocol between the page and the bot: several in one binary message, each preceded by its length.
import { WIRE_CODECS, WIRE_KINDS, type WireFrame } from './wire.ts'

const VERSION = 1
export const HEADER_BYTES = 34
const LENGTH_BYTES = 4
/** The CSRCs of a mixed packet follow the header. RTP allows at most fifteen. */
const CSRC_BYTES = 4
const MOST_CSRCS = 15

const KEY = 1
const FIRST = 2
const SEQUENCED = 4

const FIRST_BATCH_BYTES = 16 * 1024

/** Writes frames into one buffer, which it keeps: a page has hundreds of frames per second, and garbage of each costs CPU time. */
export class BatchWriter {
  frames = 0
  #bytes = new Uint8Array(FIRST_BATCH_BYTES)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** Copies the payload, so that its buffer may change afterwards. */
  add(frame: WireFrame): void {
    const headerBytes = headerBytesOf(frame)
    const frameBytes = headerBytes + frame.payload.byteLength
    const at = this.#length + LENGTH_BYTES
    this.#grow(at + frameBytes)
    this.#view.setUint32(this.#length, frameBytes)
    writeHeader(this.#view, at, frame)
    this.#bytes.set(frame.payload, at + headerBytes)
    this.#length = at + frameBytes
    this.frames++
  }

  /** One message with the frames since the last one. */
  take(): Uint8Array<ArrayBuffer> {
    const message = this.#bytes.slice(0, this.#length)
    this.#length = 0
    this.frames = 0
    return message
  }

  #grow(neededBytes: number): void {
    if (neededBytes <= this.#bytes.byteLength) return
    const larger = new Uint8Array(2 * neededBytes)
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }
}

export function encodeBatch(frames: readonly WireFrame[]): Uint8Array<ArrayBuffer> {
  const writer = new BatchWriter()
  for (const frame of frames) writer.add(frame)
  return writer.take()
}

/** The frames of one message, or null if any part of it is invalid. Payloads are views into `bytes`. */
export function decodeBatch(bytes: Uint8Array): readonly WireFrame[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frames: WireFrame[] = []
  let at = 0
  while (at < bytes.byteLength) {
    if (at + LENGTH_BYTES + HEADER_BYTES > bytes.byteLength) return null
    const length = view.getUint32(at)
    at += LENGTH_BYTES
    if (length < HEADER_BYTES || at + length > bytes.byteLength) return null
    const frame = readFrame(view, at, bytes.subarray(at + HEADER_BYTES, at + length))
    if (!frame) return null
    frames.push(frame)
    at += length
  }
  return frames
}

function headerBytesOf({ mixes }: WireFrame): number {
  return HEADER_BYTES + CSRC_BYTES * Math.min(MOST_CSRCS, mixes.length)
}

function writeHeader(view: DataView, at: number, frame: WireFrame): void {
  view.setUint8(at, VERSION)
  view.setUint8(at + 1, WIRE_KINDS.indexOf(frame.kind))
  view.setUint16(at + 2, frame.track)
  view.setUint8(at + 4, (frame.key ? KEY : 0) | (frame.first ? FIRST : 0) | (frame.sequence === null ? 0 : SEQUENCED))
  view.setUint8(at + 5, WIRE_CODECS.indexOf(frame.codec))
  view.setUint16(at + 6, frame.sequence ?? 0)
  view.setUint32(at + 8, frame.rtpTimestamp)
  view.setUint32(at + 12, frame.ssrc)
  view.setUint32(at + 16, frame.csrc)
  view.setFloat64(at + 20, frame.receivedMs)
  view.setUint8(at + 28, frame.audioLevel)
  const mixes = Math.min(MOST_CSRCS, frame.mixes.length)
  view.setUint8(at + 29, mixes)
  for (let index = 0; index < mixes; index++) view.setUint32(at + HEADER_BYTES + CSRC_BYTES * index, frame.mixes[index] ?? 0)
  view.setUint16(at + 30, frame.width)
  view.setUint16(at + 32, frame.height)
}

/** `rest`: the bytes behind the header. */
function readFrame(view: DataView, at: number, rest: Uint8Array): WireFrame | null {
  const kind = WIRE_KINDS[view.getUint8(at + 1)]
  const codec = WIRE_CODECS[view.getUint8(at + 5)]
  const receivedMs = view.getFloat64(at + 20)
  const mixBytes = CSRC_BYTES * view.getUint8(at + 29)
  if (view.getUint8(at) !== VERSION || !kind || !codec || !Number.isFinite(receivedMs) || mixBytes > rest.byteLength) return null
  const flags = view.getUint8(at + 4)
  return {
    kind,
    codec,
    track: view.getUint16(at + 2),
    key: (flags & KEY) !== 0,
    first: (flags & FIRST) !== 0,
    sequence: flags & SEQUENCED ? view.getUint16(at + 6) : null,
    rtpTimestamp: view.getUint32(at + 8),
    ssrc: view.getUint32(at + 12),
    csrc: view.getUint32(at + 16),
    mixes: Array.from({ length: mixBytes / CSRC_BYTES }, (_, index) => view.getUint32(at + HEADER_BYTES + CSRC_BYTES * index)),
    receivedMs,
    audioLevel: view.getUint8(at + 28),
    width: view.getUint16(at + 30),
    height: view.getUint16(at + 32),
    payload: rest.subarray(mixBytes),
  }
}
