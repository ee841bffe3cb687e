// Request bodies: JSON that the database can hold, or a sentence on why not.
import { invalid } from '../../domain/errors.ts'

const DEEPEST = 32

/** The parsed body; undefined for an empty one, which is a request without a body. */
export function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw invalid('The request body is not valid JSON.')
  }
  checkStorable(body)
  return body
}

/** PostgreSQL holds neither NUL nor half a surrogate pair, and nobody needs a hundred levels. */
function checkStorable(value: unknown, depth = 0): void {
  if (typeof value === 'string') checkText(value)
  if (typeof value !== 'object' || value === null) return
  if (depth >= DEEPEST) throw invalid(`The request body is nested deeper than ${DEEPEST} levels.`)
  for (const [name, inner] of Object.entries(value)) {
    checkText(name)
    checkStorable(inner, depth + 1)
  }
}

function checkText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid('The request body holds a character that cannot be stored (NUL or an unpaired surrogate).')
  }
}
