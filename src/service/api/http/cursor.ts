// Opaque cursors: the position after a page, as base64 JSON.
import { invalid } from '../../../domain/errors.ts'
import { parsedOrNull } from '../../../kit/parsed-or-null.ts'

export function writeCursor(...parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Returns what `read` makes of the parts, or undefined without a cursor. Throws a 400 if `read` returns null or the length is another. */
export function readCursor<Position>(
  cursor: string | undefined,
  length: number,
  read: (parts: readonly string[]) => Position | null,
): Position | undefined {
  if (cursor === undefined) return undefined
  const parts = parsedOrNull(Buffer.from(cursor, 'base64url').toString('utf8'))
  const position = Array.isArray(parts) && parts.length === length && parts.every(isPlainText) ? read(parts) : null
  if (position === null) throw invalid('cursor is not valid. Pass the cursor of the previous answer unchanged, or none.')
  return position
}

/** The time that a part of a cursor holds, or null. */
export function timeIn(part: string | undefined): Date | null {
  const time = new Date(part ?? '')
  return Number.isNaN(time.getTime()) ? null : time
}

function isPlainText(part: unknown): part is string {
  return typeof part === 'string' && !part.includes('\0')
}
