// Decodes the reports of the page's listeners. The page is untrusted.
import type { ClientMessage, DoorSign, Readers } from './messages.ts'
import type { WebClient } from './web-client.ts'

/** Far more than a meeting of five hundred participants sends. */
export const LONGEST_BYTES = 8 * 1024 * 1024

const TOO_MANY_REQUESTS = 429

export function readReport(report: unknown, readers: Readers): readonly ClientMessage[] {
  const at = (name: string): unknown => Reflect.get(Object(report), name)
  const kind = String(at('kind'))
  if (kind === 'voice') return [{ kind, sources: numbersIn(at('sources')) }]
  const messages = decoded(report, readers)
  return messages === null ? [] : 'kind' in messages ? [messages] : messages
}

/** Null where the report is about something else. */
export function readDoorSign(report: unknown, readers: NonNullable<WebClient['doorReaders']>): DoorSign | null {
  const at = (name: string): unknown => Reflect.get(Object(report), name)
  // The page itself retries after any other failure.
  if (at('status') === TOO_MANY_REQUESTS)
    return { sign: 'limited', detail: `${String(at('kind'))} was answered with HTTP ${TOO_MANY_REQUESTS}` }
  return decoded(report, readers)
}

/** The call has audio, and no packet has ever named a contributing source. */
export function isUnnamedSound(report: unknown): boolean {
  return Reflect.get(Object(report), 'kind') === 'unnamed_sound'
}

/** Why sound or pictures that the client decodes by itself do not reach the recording. Null where the report is about something else. */
export function readMediaFailure(report: unknown): string | null {
  const at = (name: string): unknown => Reflect.get(Object(report), name)
  return at('kind') === 'media_failed' ? String(at('text')) : null
}

function decoded<Message>(report: unknown, readers: Readonly<Record<string, (bytes: Uint8Array) => Message | null>>): Message | null {
  const at = (name: string): unknown => Reflect.get(Object(report), name)
  const kind = String(at('kind'))
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  const bytes = read && (bytesOf(at('data'), 'base64') ?? bytesOf(at('text'), 'utf8'))
  return read && bytes ? read(bytes) : null
}

function bytesOf(content: unknown, encoding: 'base64' | 'utf8'): Uint8Array | null {
  return typeof content === 'string' && content.length <= LONGEST_BYTES ? Buffer.from(content, encoding) : null
}

function numbersIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((it) => typeof it === 'number') : []
}
