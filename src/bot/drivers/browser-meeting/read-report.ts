// Decodes the reports of the page's listeners. The page is untrusted.
import type { inflateSync } from 'node:zlib'
import { at, listAt, numberAt } from './json-fields.ts'
import type { JoinRequest } from './meeting-client.ts'
import type { ClientMessage, DoorSign, Readers } from './messages.ts'

/** Far more than a meeting of five hundred participants sends. */
const LONGEST_BYTES = 8 * 1024 * 1024

const TOO_MANY_REQUESTS = 429

export function readReport(report: unknown, readers: Readers): readonly ClientMessage[] {
  const kind = String(at(report, 'kind'))
  if (kind === 'voice') return [{ kind, sources: listAt(report, 'sources').filter((it) => typeof it === 'number') }]
  if (kind === 'sound') return [{ kind, isAudible: at(report, 'isAudible') === true, agoMs: numberAt(report, 'agoMs') ?? 0 }]
  const messages = decoded(report, readers)
  return messages === null ? [] : 'kind' in messages ? [messages] : messages
}

/** Null where the report is about something else. */
export function readDoorSign(report: unknown, joinRequest: Pick<JoinRequest, 'readers'> | undefined): DoorSign | null {
  // The page itself retries after any other failure.
  if (at(report, 'status') === TOO_MANY_REQUESTS)
    return { sign: 'limited', detail: `${String(at(report, 'kind'))} was answered with HTTP ${TOO_MANY_REQUESTS}` }
  return joinRequest ? decoded(report, joinRequest.readers) : null
}

function decoded<Message>(report: unknown, readers: Readonly<Record<string, (bytes: Uint8Array) => Message | null>>): Message | null {
  const kind = String(at(report, 'kind'))
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  const bytes = read && (bytesOf(at(report, 'data'), 'base64') ?? bytesOf(at(report, 'text'), 'utf8'))
  return read && bytes ? read(bytes) : null
}

function bytesOf(content: unknown, encoding: 'base64' | 'utf8'): Uint8Array | null {
  return typeof content === 'string' && content.length <= LONGEST_BYTES ? Buffer.from(content, encoding) : null
}

/** Null where it is not packed this way, or unpacks to too much. */
export function unpacked(unpack: typeof inflateSync, packed: Uint8Array): Buffer | null {
  try {
    return unpack(packed, { maxOutputLength: LONGEST_BYTES })
  } catch {
    return null
  }
}
