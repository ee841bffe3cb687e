// Decodes the JSON shapes that Teams sends to its own page. Any field may be missing or of another type.
import { inflateSync } from 'node:zlib'
import { LONGEST_BYTES } from '../web-client/read-report.ts'

/** A text frame of the trouter socket. */
export type Frame = { readonly path: string; readonly callId: string | null; readonly body: unknown }

const FRAME_PREFIX = '3:::'
const CALL_ID_HEADER = 'x-microsoft-skype-chain-id'

export function frameOf(text: string): Frame | null {
  if (!text.startsWith(FRAME_PREFIX)) return null
  const frame = parsed(text.slice(FRAME_PREFIX.length))
  const headers = Object.entries(Object(at(frame, 'headers')))
  const callId = headers.find(([name]) => name.toLowerCase() === CALL_ID_HEADER)?.[1]
  const path = textAt(frame, 'url')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
  return { path, callId: typeof callId === 'string' && callId !== '' ? callId : null, body: bodyOf(at(frame, 'body')) }
}

/** JSON, or base64 of zlib of JSON. */
function bodyOf(body: unknown): unknown {
  if (typeof body !== 'string') return body
  return parsed(body) ?? parsed(inflated(body) ?? '')
}

/** Null where it is not packed this way, or unpacks to too much. */
function inflated(body: string): string | null {
  try {
    return inflateSync(Buffer.from(body, 'base64'), { maxOutputLength: LONGEST_BYTES }).toString()
  } catch {
    return null
  }
}

/** The items of a data channel message: JSON after a binary prefix, one object or a list. */
export function itemsOf(bytes: Uint8Array): readonly unknown[] {
  const start = bytes.findIndex((byte) => byte === 0x5b || byte === 0x7b)
  const content = start < 0 ? null : parsed(Buffer.from(bytes.subarray(start)).toString())
  return Array.isArray(content) ? content : content === null ? [] : [content]
}

/** Null for invalid JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (Object.hasOwn(Object(inner), name) ? Reflect.get(Object(inner), name) : undefined), value)
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
