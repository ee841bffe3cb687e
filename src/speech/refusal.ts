// What a vendor said when it did not answer: its own reason in a sentence, and whether trying again can help.
import { isFields } from './answer.ts'
import { SpeechFailed } from './provider.ts'

export type Refusal = {
  readonly vendor: string
  readonly status: number
  readonly body: string
  /** Replaced wherever the vendor repeats it. */
  readonly secret: string
}

const LONGEST_REASON = 300
/** Everything else that is no success is final. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])
/** Some vendors answer 429 when the account is empty; that does not pass by waiting. */
const NO_CREDIT = /insufficient_quota|quota_exceeded|insufficient (funds|credits)/i

export function refusal({ vendor, status, body, secret }: Refusal): SpeechFailed {
  const passing = PASSING.has(status) && !NO_CREDIT.test(body)
  const said = withoutSecret(reasonIn(body), secret)
  return new SpeechFailed(`${vendor} answered ${status}${said === '' ? '.' : `: ${sentence(said)}`}`, { passing })
}

export function withoutSecret(text: string, secret: string): string {
  return secret === '' ? text : text.replaceAll(secret, '(key)')
}

/** Ends with one full stop. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The vendors put their reason into different fields; the first text found in this order is it. */
const PLACES: readonly ((body: Readonly<Record<string, unknown>>) => unknown)[] = [
  (body) => body.err_msg,
  (body) => inside(body.error, 'message'),
  (body) => body.error,
  (body) => inside(body.detail, 'message'),
  (body) => body.detail,
  (body) => (Array.isArray(body.detail) ? inside(body.detail[0], 'msg') : null),
  (body) => body.message,
  (body) => body.reason,
]

/** A vendor's reason in a few words; empty where it gave none. */
export function reasonIn(body: string): string {
  const parsed = parsedOrNull(body)
  const found = isFields(parsed) ? PLACES.map((place) => place(parsed)).find((value) => typeof value === 'string' && value !== '') : parsed
  const text = typeof found === 'string' ? found : isFields(parsed) ? '' : body
  // An error page of a proxy is full of markup.
  const words = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return words.length > LONGEST_REASON ? `${words.slice(0, LONGEST_REASON)}…` : words
}

function inside(value: unknown, field: string): unknown {
  return isFields(value) ? value[field] : null
}

function parsedOrNull(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // Not every refusal is JSON; then the text itself is the reason.
    return null
  }
}
