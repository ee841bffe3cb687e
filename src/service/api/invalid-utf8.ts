// Finds the field of a JSON body that is not valid UTF-8, for the error message.
import { isUtf8 } from 'node:buffer'

/** A field path such as `bot_name`, or null if the body is not JSON either. */
export function fieldNotUtf8(bytes: Buffer): string | null {
  try {
    // Latin-1 maps each byte to one character, so strings can be turned back into bytes. Escapes are blanked, because they are ASCII.
    const text = bytes.toString('latin1').replaceAll(/\\(u[0-9a-f]{4}|.)/gi, (whole, kind: string) => (kind.length > 1 ? '?' : whole))
    return find(JSON.parse(text), [])
  } catch {
    return null
  }
}

function find(value: unknown, path: readonly string[]): string | null {
  if (typeof value === 'string') return isText(value) ? null : path.join('.')
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const found = isText(name) ? find(inner, [...path, name]) : path.join('.')
    if (found !== null) return found
  }
  return null
}

function isText(text: string): boolean {
  return isUtf8(Buffer.from(text, 'latin1'))
}
