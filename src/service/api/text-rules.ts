// Characters that no text of a request may hold: PostgreSQL refuses NUL and half a surrogate pair, and other controls harm whoever shows them.
import { invalid } from '../../domain/errors.ts'

const CONTROL = /(?![\t\n\r\x7f-\x9f])\p{Cc}/u
const HALF_PAIR = /\p{Surrogate}/u

/** Throws a 400 about `subject`, such as `bot_name`. Tabs and line breaks are text. */
export function checkText(subject: string, text: string): void {
  const control = CONTROL.exec(text)?.[0]
  if (control !== undefined) throw invalid(`${subject} holds a control character (${codeOf(control)}).`)
  const half = text.isWellFormed() ? undefined : HALF_PAIR.exec(text)?.[0]
  if (half !== undefined) throw invalid(`${subject} holds half a surrogate pair (${codeOf(half)}), which is no character.`)
}

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** For names and other fields of one line: no control character at all. */
export const ONE_LINE = /^\P{Cc}*$/u
