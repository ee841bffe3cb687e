// Which field of a JSON body is not UTF-8, for the sentence that refuses it.
import { isUtf8 } from 'node:buffer'

/** `bot_name`, or null where the body is no JSON either. */
export function fieldNotUtf8(bytes: Buffer): string | null {
  try {
    // One character for each byte, so that strings can be turned back into their bytes. An escape is ASCII, whatever it stands for.
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
