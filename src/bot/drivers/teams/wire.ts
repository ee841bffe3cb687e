// Decodes the JSON shapes that Teams sends to its own page.
import { inflateSync } from 'node:zlib'
import { at, listAt, numberAt, parsed, textAt } from '../browser-meeting/json-fields.ts'
import type { CaptionLine } from '../browser-meeting/messages.ts'
import { unpacked } from '../browser-meeting/read-report.ts'

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
  return parsed(body) ?? parsed(unpacked(inflateSync, Buffer.from(body, 'base64')) ?? '')
}

/** The items of a data channel message: JSON after a binary prefix, one object or a list. */
export function itemsOf(bytes: Uint8Array): readonly unknown[] {
  const start = bytes.findIndex((byte) => byte === 0x5b || byte === 0x7b)
  const content = start < 0 ? null : parsed(bytes.subarray(start))
  return Array.isArray(content) ? content : content === null ? [] : [content]
}

/** Times count 100 ns since 1900. */
const UNITS_PER_MS = 10_000
const MS_FROM_1900_TO_1970 = 2_208_988_800_000

/** The captions in an item. */
export function captionsIn(item: unknown): readonly CaptionLine[] {
  return listAt(item, 'recognitionResults').flatMap((result) => {
    const [userId, text] = [textAt(result, 'userId'), textAt(result, 'text')]
    const [sent, duration] = [numberAt(result, 'timestampAudioSent'), numberAt(result, 'duration')]
    if (userId === '' || text === '') return []
    const final = at(result, 'isFinal') === true
    const fromMs = (sent ?? 0) / UNITS_PER_MS - MS_FROM_1900_TO_1970
    const spoken = sent !== null && duration !== null && { fromMs, toMs: fromMs + Math.max(0, duration) / UNITS_PER_MS }
    // An utterance keeps its start time while it grows.
    const id = `${userId}/${textAt(result, 'id') || (sent ?? '')}`
    return { id, userId, version: 0, final, text, ...(spoken && { spoken }) }
  })
}

/** The newest of the dominant speaker history. */
export function dominantIn(item: unknown): readonly { readonly kind: 'dominant'; readonly streamId: string }[] {
  const [newest] = at(item, 'type') === 'dsh' ? listAt(item, 'history') : []
  return typeof newest === 'number' ? [{ kind: 'dominant', streamId: String(newest) }] : []
}
