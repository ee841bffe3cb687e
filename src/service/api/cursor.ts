// Opaque cursors: the position after a page, as base64 JSON.
import { invalid } from '../../domain/errors.ts'

export function writeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Returns the parts of a cursor. Throws a 400 if this server did not write it. */
export function readCursor(cursor: string, length: number): string[] {
  const parts = parsed(cursor)
  if (!Array.isArray(parts) || parts.length !== length || !parts.every(isPlainText))
    throw invalid('cursor is not valid. Pass the cursor of the previous answer unchanged, or none.')
  return parts
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null // Not JSON, so not written by this server.
  }
}

function isPlainText(part: unknown): part is string {
  return typeof part === 'string' && !part.includes('\0')
}
