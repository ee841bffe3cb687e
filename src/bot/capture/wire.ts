// The protocol between the meeting's page and the bot, for both ends: media frames are binary (`batch.ts`), all other messages JSON.

/** The sender gives no audio level. */
export const NO_LEVEL = 255

export const WIRE_KINDS = ['audio', 'video', 'chunk'] as const
type WireKind = (typeof WIRE_KINDS)[number]
export const WIRE_CODECS = ['opus', 'vp8', 'vp9', 'av1', 'h264', 'webm'] as const
export type WireCodec = (typeof WIRE_CODECS)[number]

export type WireFrame = {
  /** `chunk` is a piece of a container that the page records itself, without RTP timestamp or sequence number. */
  readonly kind: WireKind
  readonly track: number
  readonly codec: WireCodec
  readonly key: boolean
  /** The first frame of a source, or the first chunk of a container. */
  readonly first: boolean
  readonly rtpTimestamp: number
  /** Null if the browser gives none, as for video, which comes in decoding order. */
  readonly sequence: number | null
  readonly ssrc: number
  /** 0 if the packet names no participant, or several. */
  readonly csrc: number
  /** The CSRCs of a packet that mixes several participants; otherwise empty. */
  readonly mixes: readonly number[]
  /** Milliseconds of the page's own clock. */
  readonly receivedMs: number
  /** -dBov: 0 is the loudest, 127 silence, `NO_LEVEL` unknown. */
  readonly audioLevel: number
  readonly width: number
  readonly height: number
  readonly payload: Uint8Array
}

/** How the tap gets a track's media, best first. */
export const WAYS = ['transform', 'page-transform', 'page-streams', 'recorder', 'none'] as const
export type Way = (typeof WAYS)[number]

export type TrackInfo = {
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
  /** `page` identifies the sender across reconnects. */
  | { readonly kind: 'hello'; readonly token: string; readonly page: string; readonly sentMs: number }
  | { readonly kind: 'track'; readonly info: TrackInfo }
  | { readonly kind: 'track-ended'; readonly number: number }
  /** The track of an SSRC, for frames from a worker that does not know it. */
  | { readonly kind: 'source'; readonly ssrc: number; readonly id: string; readonly streamId: string; readonly mid: string }
  | { readonly kind: 'heartbeat'; readonly sentMs: number; readonly frames: number; readonly dropped: number }
  | { readonly kind: 'problem'; readonly message: string }

export type ToPage =
  | { readonly kind: 'keyframe'; readonly number: number }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** Send audio at once, frame by frame, for live audio. */
  | { readonly kind: 'live'; readonly on: boolean }
  /** Show real pictures in the page, for a screenshot. */
  | { readonly kind: 'reveal'; readonly on: boolean }

export function encodeControl(message: FromPage | ToPage): string {
  return JSON.stringify(message)
}

export function decodeFromPage(text: string): FromPage | null {
  return decode(text, FROM_PAGE) as FromPage | null
}

export function decodeToPage(text: string): ToPage | null {
  return decode(text, TO_PAGE) as ToPage | null
}

/** What a field must be: a type, or one of several texts. */
type Shape = 'string' | 'number' | 'boolean' | ReadonlySet<unknown>
type Fields = Readonly<Record<string, Shape>>
const PLACE: Fields = { id: 'string', streamId: 'string', mid: 'string' }
const KINDS = new Set(['audio', 'video'])
const INFO: Fields = { ...PLACE, number: 'number', kind: KINDS, codec: 'string', label: 'string', way: new Set(WAYS) }
const FROM_PAGE: Readonly<Record<FromPage['kind'], Fields>> = {
  hello: { token: 'string', page: 'string', sentMs: 'number' },
  track: {},
  'track-ended': { number: 'number' },
  source: { ...PLACE, ssrc: 'number' },
  heartbeat: { sentMs: 'number', frames: 'number', dropped: 'number' },
  problem: { message: 'string' },
}
const TO_PAGE: Readonly<Record<ToPage['kind'], Fields>> = {
  keyframe: { number: 'number' },
  pause: {},
  resume: {},
  live: { on: 'boolean' },
  reveal: { on: 'boolean' },
}

function decode(text: string, table: Readonly<Record<string, Fields>>): object | null {
  const value = parse(text)
  if (typeof value !== 'object' || value === null) return null
  const kind: unknown = Reflect.get(value, 'kind')
  const fields = typeof kind === 'string' && Object.hasOwn(table, kind) ? table[kind] : undefined
  if (!fields || !hasFields(value, fields)) return null
  return kind === 'track' && !hasFields(Reflect.get(value, 'info'), INFO) ? null : value
}

function hasFields(value: unknown, fields: Fields): boolean {
  return Object.entries(fields).every(([name, shape]) => isOf(Reflect.get(Object(value), name), shape))
}

function isOf(value: unknown, shape: Shape): boolean {
  if (typeof shape !== 'string') return shape.has(value)
  return typeof value === shape && (shape !== 'number' || Number.isFinite(value))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
