// Redacts the content of messages without a schema: whatever is compressed, encoded, JSON or protobuf keeps its form, and its texts go.
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import type { JsonObject } from '../../domain/bot.ts'
import { parsedOrNull } from '../../kit/parsed-or-null.ts'
import { fieldsOf, withFields } from '../../kit/protobuf.ts'
import { unpacked } from '../drivers/browser-meeting/read-report.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { redactDescription } from './session-description.ts'

/** Bytes in front of JSON. A longer beginning is no prefix. */
const LONGEST_PREFIX = 16
const LEAST_BASE64 = 12
const LONGEST_OPAQUE = 64
/** A nested message shorter than this never looks like text. */
const LEAST_NESTED = 34
const PACKINGS = [
  { unpack: inflateSync, pack: deflateSync },
  { unpack: gunzipSync, pack: gzipSync },
] as const

export class Payloads {
  readonly #pseudonyms: Pseudonyms

  constructor(pseudonyms: Pseudonyms) {
    this.#pseudonyms = pseudonyms
  }

  bytes(bytes: Uint8Array): Buffer {
    for (const { unpack, pack } of PACKINGS) {
      const inner = unpacked(unpack, bytes)
      if (inner) return pack(this.bytes(inner))
    }
    const text = textOf(bytes)
    if (text !== null && !isNested(bytes)) return Buffer.from(this.text(text))
    return this.#prefixed(bytes) ?? this.#message(bytes) ?? Buffer.alloc(Math.min(bytes.length, LONGEST_OPAQUE))
  }

  text(text: string): string {
    if (/^v=0\r?\n/.test(text)) return redactDescription(text, this.#pseudonyms)
    const content = parsedOrNull(text)
    if (typeof content === 'object' && content !== null) return JSON.stringify(this.json(content))
    return this.#framed(text) ?? this.#encoded(text) ?? this.#pseudonyms.text(text)
  }

  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') return this.#number(value)
    if (Array.isArray(value)) return value.map((it) => this.json(it))
    return typeof value === 'object' && value !== null ? this.object(value as JsonObject) : value
  }

  object(value: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.#key(key), this.json(inner)]))
  }

  /** A report of the page's listeners: its `kind` is a word of the driver, `data` is base64. */
  report({ kind, data, ...rest }: JsonObject): JsonObject {
    const redacted = { ...(kind !== undefined && { kind }), ...this.object(rest) }
    if (typeof data !== 'string') return { ...redacted, ...(data !== undefined && { data: this.json(data) as JsonObject[string] }) }
    return { ...redacted, data: this.bytes(Buffer.from(data, 'base64')).toString('base64') }
  }

  #number(value: number): number {
    this.#pseudonyms.learnNumber(value)
    return this.#pseudonyms.number(value)
  }

  /** Names of fields stay. Ids of participants may be keys, too. */
  #key(key: string): string {
    const isField = /^[A-Za-z_$@][\w$.-]{0,40}$/.test(key) && !/\d{5}/.test(key)
    return isField ? this.#pseudonyms.code(key) : this.#pseudonyms.text(key)
  }

  /** A few signs, then JSON. */
  #framed(text: string): string | null {
    const [prefix = ''] = /^[\d:]{1,16}(?=[[{])/.exec(text) ?? []
    const content = prefix === '' ? null : parsedOrNull(text.slice(prefix.length))
    return typeof content === 'object' && content !== null ? `${prefix}${JSON.stringify(this.json(content))}` : null
  }

  /** Base64 of something with a form. */
  #encoded(text: string): string | null {
    if (text.length < LEAST_BASE64 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
    const bytes = Buffer.from(text, 'base64')
    const isPacked = PACKINGS.some(({ unpack }) => unpacked(unpack, bytes) !== null)
    const inner = textOf(bytes)
    const isJson = inner !== null && typeof parsedOrNull(inner) === 'object'
    return isPacked || isJson ? this.bytes(bytes).toString('base64') : null
  }

  #prefixed(bytes: Uint8Array): Buffer | null {
    const start = bytes.findIndex((byte) => byte === 0x5b || byte === 0x7b)
    if (start < 1 || start > LONGEST_PREFIX) return null
    const text = textOf(bytes.subarray(start))
    const content = text === null ? null : parsedOrNull(text)
    if (typeof content !== 'object' || content === null) return null
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(JSON.stringify(this.json(content)))])
  }

  #message(bytes: Uint8Array): Buffer | null {
    if (!isMessage(bytes)) return null
    for (const { value } of fieldsOf(bytes)) if (value !== null) this.#pseudonyms.learnNumber(value)
    return withFields(bytes, (payload) => (payload.length === 0 ? null : this.bytes(payload)))
  }
}

/** Null where the bytes are no text. */
function textOf(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: texts of people have none besides line breaks.
  return /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd]/.test(text) ? null : text
}

function isMessage(bytes: Uint8Array): boolean {
  try {
    return [...fieldsOf(bytes)].length > 0
  } catch {
    // Not every run of bytes is a message.
    return false
  }
}

/** The tag and the length of a nested message may be printable. */
function isNested(bytes: Uint8Array): boolean {
  return (
    bytes.length >= LEAST_NESTED &&
    isMessage(bytes) &&
    [...fieldsOf(bytes)].some(({ payload }) => (payload?.length ?? 0) >= LEAST_NESTED - 2)
  )
}
