// What the page's listeners report, decoded. The page may be anything: nothing of it is taken for granted.
import type { ClientMessage } from './messages.ts'
import type { WebClient } from './web-client.ts'

/** Far beyond what a meeting of five hundred participants sends. */
export const LONGEST_BYTES = 8 * 1024 * 1024

export function readReport(report: unknown, readers: WebClient['readers']): ClientMessage | null {
  const at = (name: string): unknown => Reflect.get(Object(report), name)
  const kind = String(at('kind'))
  if (kind === 'voice') return { kind, sources: numbersIn(at('sources')) }
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  const data = at('data')
  if (!read || typeof data !== 'string' || data.length > LONGEST_BYTES) return null
  return read(Buffer.from(data, 'base64'))
}

function numbersIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((it) => typeof it === 'number') : []
}
