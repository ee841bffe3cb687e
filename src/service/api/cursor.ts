// Cursors: where a page ended, as text that means nothing to the caller.
import { invalid } from '../../domain/errors.ts'

export function writeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** The parts that went in, or a 400: a cursor is not to be made up. */
export function readCursor(cursor: string, length: number): string[] {
  const parts = parsed(cursor)
  if (!Array.isArray(parts) || parts.length !== length || !parts.every(isPlainText))
    throw invalid('cursor is not one that this list gave out.')
  return parts
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null // Not JSON: not ours.
  }
}

function isPlainText(part: unknown): part is string {
  return typeof part === 'string' && !part.includes('\0')
}
