// The shelf for what bots bring back: objects by key, in a folder or a bucket, behind one interface. Only here is it said where what lies.
import type { Readable } from 'node:stream'
import type { BotId } from '../domain/bot.ts'
import type { ByteRange } from './byte-range.ts'

/** What objects can be, by the ending of their key: a folder knows no other types. */
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
} as const

export type ContentType = (typeof CONTENT_TYPES)[keyof typeof CONTENT_TYPES]

/** A stream is read to its end, or destroyed when it cannot be kept. */
export type Source = Readable | Buffer | { readonly file: string }

export type ObjectInfo = {
  readonly size: number
  readonly contentType: ContentType
  /** In quotes, as HTTP has it; another one whenever the bytes are others. */
  readonly etag: string
}

/** Whoever takes the stream reads it to its end or destroys it. `range` is null for all of it. */
export type StoredObject = ObjectInfo & { readonly stream: Readable; readonly range: ByteRange | null }

export interface ObjectStore {
  /** Settles when the object would survive a crash. Until then readers see what was there before, never a part. */
  put(key: string, source: Source, options: { readonly contentType: ContentType; readonly signal?: AbortSignal }): Promise<void>
  /** Null where there is none. A range must begin inside the object; what it wants beyond the end is left off. */
  get(key: string, options?: { readonly range?: ByteRange; readonly signal?: AbortSignal }): Promise<StoredObject | null>
  stat(key: string): Promise<ObjectInfo | null>
  /** Answers how many of them were there. What is not there is no error. */
  remove(keys: readonly string[]): Promise<number>
  /** Every key that begins with `prefix`, which is a key and a slash; in order. */
  list(prefix: string): Promise<readonly string[]>
  /** Where a reader may fetch the object without us, for a moment; null where it cannot. */
  directLink(key: string, options: { readonly fileName: string }): Promise<string | null>
}

const MOST_CHARACTERS = 512
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}(\/[A-Za-z0-9][A-Za-z0-9._-]{0,127})*$/

/** The key itself, if it is one: no way out of the store, and no character that a folder or a bucket reads in its own way. */
export function checkedKey(key: string): string {
  if (key.length > MOST_CHARACTERS || !KEY.test(key)) throw new Error(`storage: ${JSON.stringify(key)} is no key`)
  return key
}

export function checkedPrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw new Error(`storage: ${JSON.stringify(prefix)} is no prefix`)
  return `${checkedKey(prefix.slice(0, -1))}/`
}

/** The type that the key's ending stands for. */
export function contentTypeOf(key: string): ContentType {
  const ending = key.slice(key.lastIndexOf('.') + 1)
  const known = Object.entries(CONTENT_TYPES).find(([name]) => name === ending)
  if (!known) throw new Error(`storage: the ending of ${JSON.stringify(key)} stands for no type`)
  return known[1]
}

/** An object's ending and its type say the same. */
export function checkType(key: string, contentType: ContentType): void {
  if (contentTypeOf(key) !== contentType) throw new Error(`storage: ${key} is ${contentTypeOf(key)}, not ${contentType}`)
}

/** Everything of one bot lies under one prefix, so that it can be deleted without a list of what there is. */
export function botPrefix(botId: BotId): string {
  return `bots/${botId}/`
}

export function botKey(botId: BotId, ...path: readonly string[]): string {
  return checkedKey(botPrefix(botId) + path.join('/'))
}

export function screenshotKey(botId: BotId, at: Date): string {
  return botKey(botId, 'screenshots', `${at.getTime()}.jpg`)
}

/** The list has no object: it is made from the database whenever it is read. */
export function participantEventsKey(botId: BotId): string {
  return botKey(botId, 'participant-events.json')
}

/** What the bot itself wrote lies under this, as it wrote it, until everything has been made from it. */
export function recordingPrefix(botId: BotId): string {
  return `${botPrefix(botId)}recording/`
}

export function recordingKey(botId: BotId, file: string): string {
  return checkedKey(recordingPrefix(botId) + file)
}

/** What was made of it. */
export function mediaKey(botId: BotId, file: string): string {
  return botKey(botId, 'media', file)
}
