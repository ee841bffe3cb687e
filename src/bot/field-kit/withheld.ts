// Finds secrets in a redacted step, in the forms in which texts travel. Such a step is left out of the kit.
import type { FieldStep } from '../../domain/field-kit.ts'

/** Base64 of fewer bytes is found by chance. */
const LEAST_BASE64 = 8

/** Returns whether a step contains one of the secrets. Pictures have no text. */
export function createFinder(secrets: readonly string[]): (step: FieldStep) => boolean {
  const forms = secrets.flatMap(formsOf)
  const exact = [...new Set(forms)]
  const written = [...new Set(secrets.map((it) => it.toLowerCase()))]
  return (step) => {
    const line = JSON.stringify(step.kind === 'screen' ? { ...step, picture: null } : step)
    const lower = line.toLowerCase()
    return written.some((it) => lower.includes(it)) || exact.some((it) => line.includes(it))
  }
}

function formsOf(secret: string): readonly string[] {
  const utf8 = Buffer.from(secret)
  const utf16 = Buffer.from(secret, 'utf16le')
  const bigEndian = Buffer.from(utf16).swap16()
  const url = encodeURIComponent(secret)
  return [...(url === secret ? [] : [url]), ...[utf8, utf16, bigEndian].flatMap(base64FormsOf)]
}

/** What base64 of any bytes around these contains: it depends on their position modulo three. */
function base64FormsOf(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // Signs that also hold bits of a neighbour.
    const core = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6))
    return core.length < LEAST_BASE64 ? [] : [core]
  })
}
