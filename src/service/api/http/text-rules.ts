// Rejects characters that PostgreSQL cannot store (NUL, lone surrogates) and control characters, which are unsafe to display.
import { invalid } from '../../../domain/errors.ts'

const CONTROL = /(?![\t\n\r\x7f-\x9f])\p{Cc}/u
const HALF_PAIR = /\p{Surrogate}/u

/** Throws a 400 about the subject, such as `bot_name`, which is asked for only then. Tabs and line breaks are allowed. */
export function checkText(subject: () => string, text: string): void {
  const control = CONTROL.exec(text)?.[0]
  if (control !== undefined) throw invalid(`${subject()} must not contain a control character (${codeOf(control)}).`)
  const half = text.isWellFormed() ? undefined : HALF_PAIR.exec(text)?.[0]
  if (half !== undefined) throw invalid(`${subject()} must not contain half a surrogate pair (${codeOf(half)}).`)
}

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Fields of one line: no control characters, so no line breaks. */
export const ONE_LINE = /^\P{Cc}*$/u
