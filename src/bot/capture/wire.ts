// The wire between the meeting's page and the bot: media frames as bytes, everything else as JSON; one codec for both ends.

const VERSION = 1
export const HEADER_BYTES = 34
const LENGTH_BYTES = 4
/** A CSRC of a mixed packet, behind the header. RTP has at most fifteen. */
const CSRC_BYTES = 4
const MOST_CSRCS = 15
/** A sender that knows no audio level. */
export const NO_LEVEL = 255

export const WIRE_KINDS = ['audio', 'video', 'chunk'] as const
type WireKind = (typeof WIRE_KINDS)[number]
export const WIRE_CODECS = ['opus', 'vp8', 'vp9', 'av1', 'h264', 'webm'] as const
export type WireCodec = (typeof WIRE_CODECS)[number]

const KEY = 1
const FIRST = 2
const SEQUENCED = 4

export type WireFrame = {
  /** `chunk` is a piece of a container that the page itself writes; it has neither RTP time nor sequence. */
  readonly kind: WireKind
  readonly track: number
  readonly codec: WireCodec
  readonly key: boolean
  /** The first frame of a source, or the first chunk of a container. */
  readonly first: boolean
  readonly rtpTimestamp: number
  /** Null where the page does not tell, as for video, which comes in decoding order anyway. */
  readonly sequence: number | null
  readonly ssrc: number
  /** 0 where nobody is named, or several people at once. */
  readonly csrc: number
  /** The CSRCs of a packet that mixes several participants; else empty. */
  readonly mixes: readonly number[]
  /** Milliseconds of the page's own clock. */
  readonly receivedMs: number
  /** -dBov: 0 is the loudest, 127 silence, `NO_LEVEL` unknown. */
  readonly audioLevel: number
  readonly width: number
  readonly height: number
  readonly payload: Uint8Array
}

/** How a track's media is had, best first. */
export const WAYS = ['transform', 'page-transform', 'page-streams', 'recorder', 'none'] as const
export type Way = (typeof WAYS)[number]

export type TrackNote = {
  readonly number: number
  readonly id: string
  readonly kind: 'audio' | 'video'
  readonly codec: string
  readonly label: string
  readonly streamId: string
  readonly mid: string
  readonly way: Way
}

export type FromPage =
  /** `page` names the sender across reconnects. */
  | { readonly type: 'hello'; readonly token: string; readonly page: string; readonly sentMs: number }
  | ({ readonly type: 'track' } & TrackNote)
  | { readonly type: 'track-ended'; readonly number: number }
  /** Whose RTP source this is, where the frames are taken in a place that does not know. */
  | { readonly type: 'source'; readonly ssrc: number; readonly id: string; readonly streamId: string; readonly mid: string }
  /** `silentMs` is how long the page itself, not its worker, has not moved. */
  | { readonly type: 'heartbeat'; readonly sentMs: number; readonly frames: number; readonly dropped: number; readonly silentMs: number }
  | { readonly type: 'problem'; readonly message: string }

export type ToPage =
  | { readonly type: 'keyframe'; readonly number: number }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** Audio at once, frame by frame, while somebody listens live. */
  | { readonly type: 'live'; readonly on: boolean }
  /** Real pictures in the page, for a screenshot. */
  | { readonly type: 'reveal'; readonly on: boolean }

/** One message: each frame behind its length. */
export function encodeBatch(frames: readonly WireFrame[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + LENGTH_BYTES + headerBytesOf(frame) + frame.payload.byteLength, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const frame of frames) {
    const headerBytes = headerBytesOf(frame)
    view.setUint32(at, headerBytes + frame.payload.byteLength)
    writeHeader(view, at + LENGTH_BYTES, frame)
    bytes.set(frame.payload, at + LENGTH_BYTES + headerBytes)
    at += LENGTH_BYTES + headerBytes + frame.payload.byteLength
  }
  return bytes
}

/** The frames of one message, or null when any part of it is not ours. Payloads are views into `bytes`. */
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
  const mixes = frame.mixes.slice(0, MOST_CSRCS)
  view.setUint8(at + 29, mixes.length)
  for (const [index, csrc] of mixes.entries()) view.setUint32(at + HEADER_BYTES + CSRC_BYTES * index, csrc)
  view.setUint16(at + 30, frame.width)
  view.setUint16(at + 32, frame.height)
}

/** `rest`: what is behind the header. */
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

export function encodeControl(message: FromPage | ToPage): string {
  return JSON.stringify(message)
}

export function decodeFromPage(text: string): FromPage | null {
  return decode(text, FROM_PAGE) as FromPage | null
}

export function decodeToPage(text: string): ToPage | null {
  return decode(text, TO_PAGE) as ToPage | null
}

type Fields = Readonly<Record<string, 'string' | 'number' | 'boolean'>>
const PLACE: Fields = { id: 'string', streamId: 'string', mid: 'string' }
const FROM_PAGE: Readonly<Record<FromPage['type'], Fields>> = {
  hello: { token: 'string', page: 'string', sentMs: 'number' },
  track: { ...PLACE, number: 'number', kind: 'string', codec: 'string', label: 'string', way: 'string' },
  'track-ended': { number: 'number' },
  source: { ...PLACE, ssrc: 'number' },
  heartbeat: { sentMs: 'number', frames: 'number', dropped: 'number', silentMs: 'number' },
  problem: { message: 'string' },
}
const TO_PAGE: Readonly<Record<ToPage['type'], Fields>> = {
  keyframe: { number: 'number' },
  pause: {},
  resume: {},
  live: { on: 'boolean' },
  reveal: { on: 'boolean' },
}

function decode(text: string, table: Readonly<Record<string, Fields>>): object | null {
  const value = parse(text)
  if (typeof value !== 'object' || value === null) return null
  const type: unknown = Reflect.get(value, 'type')
  const fields = typeof type === 'string' && Object.hasOwn(table, type) ? table[type] : undefined
  if (!fields || !Object.entries(fields).every(([name, kind]) => isOf(Reflect.get(value, name), kind))) return null
  if (type === 'track' && !(isOneOf(['audio', 'video'], Reflect.get(value, 'kind')) && isOneOf(WAYS, Reflect.get(value, 'way'))))
    return null
  return value
}

function isOf(value: unknown, kind: string): boolean {
  return typeof value === kind && (kind !== 'number' || Number.isFinite(value))
}

function isOneOf(words: readonly unknown[], value: unknown): boolean {
  return words.includes(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
