// Finds the field of a JSON body that is not valid UTF-8, for the error message.
import { isUtf8 } from 'node:buffer'
import { walkText } from './walk-json.ts'

/** A field path such as `bot_name`, or null if the body is not JSON either. */
export function fieldNotUtf8(bytes: Buffer): string | null {
  try {
    // Latin-1 maps each byte to one character, so strings can be turned back into bytes. Escapes are blanked, because they are ASCII.
    const text = bytes.toString('latin1').replaceAll(/\\(u[0-9a-f]{4}|.)/gi, (whole, kind: string) => (kind.length > 1 ? '?' : whole))
    let found: string | null = null
    walkText(JSON.parse(text), (part, path) => {
      if (isText(part)) return false
      found = path.join('.')
      return true
    })
    return found
  } catch {
    return null
  }
}

function isText(text: string): boolean {
  return isUtf8(Buffer.from(text, 'latin1'))
}
