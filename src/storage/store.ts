// The interface of the object store, in a folder or a bucket, and the keys of all objects.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { BotId } from '../domain/bot.ts'
import type { ByteRange } from './byte-range.ts'

/** Content types by file extension. A folder stores no other type information. */
export const CONTENT_TYPES = {
  jpg: 'image/jpeg',
  png: 'image/png',
  json: 'application/json',
  jsonl: 'application/jsonl',
  mp4: 'video/mp4',
  webm: 'video/webm',
  weba: 'audio/webm',
  mkv: 'video/x-matroska',
  m4a: 'audio/mp4',
  mka: 'audio/x-matroska',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
  txt: 'text/plain; charset=utf-8',
  bundle: 'application/octet-stream',
} as const

export type ContentType = (typeof CONTENT_TYPES)[keyof typeof CONTENT_TYPES]

/** The store reads a stream to its end, or destroys it on failure. */
export type Source = Readable | Buffer | { readonly file: string }

export function streamOf(source: Source): Readable {
  if (Buffer.isBuffer(source)) return Readable.from(source)
  return 'file' in source ? createReadStream(source.file) : source
}

export type ObjectInfo = {
  readonly size: number
  readonly contentType: ContentType
  /** An HTTP entity tag in quotes, which changes with the content. */
  readonly etag: string
}

/** The caller must read the stream to its end or destroy it. `range` is null for the whole object. */
export type StoredObject = ObjectInfo & { readonly stream: Readable; readonly range: ByteRange | null }

export interface ObjectStore {
  /** Atomic and durable: resolves when the object survives a crash. Until then readers see the previous object. */
  put(key: string, source: Source, options: { readonly contentType: ContentType; readonly signal?: AbortSignal }): Promise<void>
  /** Null: there is no such object. A range must begin inside the object and is cut at its end. */
  get(key: string, options?: { readonly range?: ByteRange; readonly signal?: AbortSignal }): Promise<StoredObject | null>
  stat(key: string): Promise<ObjectInfo | null>
  /** Returns the number of removed objects. Missing objects are no error. */
  remove(keys: readonly string[]): Promise<number>
  /** All keys that begin with `prefix`, sorted. A prefix ends with a slash. */
  list(prefix: string): Promise<readonly string[]>
  /** A short-lived URL from which a reader fetches the object directly; null if the store has none. */
  directLink(key: string, options: { readonly fileName: string }): Promise<string | null>
}

const MOST_CHARACTERS = 512
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}(\/[A-Za-z0-9][A-Za-z0-9._-]{0,127})*$/

/** Rejects keys that could leave the store or have characters with a special meaning in paths or URLs. */
export function checkedKey(key: string): string {
  if (key.length > MOST_CHARACTERS || !KEY.test(key)) throw new Error(`storage: ${JSON.stringify(key)} is not a valid key`)
  return key
}

export function checkedPrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw new Error(`storage: ${JSON.stringify(prefix)} is not a valid prefix: it must end with a slash`)
  return `${checkedKey(prefix.slice(0, -1))}/`
}

export function contentTypeOf(key: string): ContentType {
  const ending = key.slice(key.lastIndexOf('.') + 1)
  const known = Object.entries(CONTENT_TYPES).find(([name]) => name === ending)
  if (!known) throw new Error(`storage: the extension of ${JSON.stringify(key)} has no content type`)
  return known[1]
}

/** Checks that the extension matches the content type. */
export function checkType(key: string, contentType: ContentType): void {
  if (contentTypeOf(key) !== contentType) throw new Error(`storage: ${key} is ${contentTypeOf(key)}, not ${contentType}`)
}

const FINISHED = 'bots/'
const RAW = 'recordings/'

/** All objects of these bots, in both kinds of prefixes. */
export async function listObjects(store: ObjectStore, bots: ReadonlySet<string>): Promise<readonly string[]> {
  return (await listAllObjects(store)).filter((key) => bots.has(key.split('/')[key.startsWith(RAW) ? 2 : 1] ?? ''))
}

export async function listAllObjects(store: ObjectStore): Promise<readonly string[]> {
  return [...(await store.list(RAW)), ...(await store.list(FINISHED))]
}

/** Of finished files and pictures. */
export function botPrefix(botId: BotId): string {
  return `${FINISHED}${botId}/`
}

export function botKey(botId: BotId, ...path: readonly string[]): string {
  return checkedKey(botPrefix(botId) + path.join('/'))
}

export function screenshotKey(botId: BotId, at: Date): string {
  return botKey(botId, 'screenshots', `${at.getTime()}.jpg`)
}

/** This key has no object: the list is made from the database on each read. */
export function participantEventsKey(botId: BotId): string {
  return botKey(botId, 'participant-events.json')
}

/** The prefix of the raw recording, until all files are made from it. It begins with a hash: buckets divide their load by prefixes. */
export function bundlePrefix(botId: BotId): string {
  return `${RAW}${createHash('sha256').update(botId).digest('hex').slice(0, 2)}/${botId}/`
}

/** The same of releases that stored a recording file by file. */
export function recordingPrefix(botId: BotId): string {
  return `${botPrefix(botId)}recording/`
}

export function recordingKey(botId: BotId, file: string): string {
  return checkedKey(recordingPrefix(botId) + file)
}

const PIECES = 'pieces-'

/** The key of encoded pieces of the video, which are kept and removed with the recording. */
export function piecesKey(botId: BotId, id: string): string {
  return recordingKey(botId, `${PIECES}${id}.bundle`)
}

export function isPiecesKey(key: string): boolean {
  return key.slice(key.lastIndexOf('/') + 1).startsWith(PIECES)
}

/** The keys of the raw recording, in either form, and of pieces of its video. */
export async function listRecording(store: ObjectStore, botId: BotId): Promise<readonly string[]> {
  return [...(await store.list(bundlePrefix(botId))), ...(await store.list(recordingPrefix(botId)))]
}

/** The key of a finished file. */
export function mediaKey(botId: BotId, file: string): string {
  return botKey(botId, 'media', file)
}
