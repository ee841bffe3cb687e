// Turns a vendor's error response into a failure: the vendor's reason, and whether a retry can help.
import { isJsonObject, type JsonObject } from '../../domain/bot.ts'
import { sentenceOf } from '../../domain/counted.ts'
import { parsedOrNull } from '../../kit/parsed-or-null.ts'
import { SpeechFailed } from '../provider.ts'

export type Refusal = {
  readonly vendor: string
  readonly status: number
  readonly body: string
  /** Removed from the message if the vendor repeats it. */
  readonly secret: string
  readonly retryAfterMs?: number | null
}

const LONGEST_REASON = 300
/** HTTP statuses that are worth a retry. */
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])
/** Some vendors answer 429 when the account has no credit, and a retry does not help. */
const NO_CREDIT = /insufficient_quota|quota_exceeded|insufficient (funds|credits)/i

export function refusal({ vendor, status, body, secret, retryAfterMs = null }: Refusal): SpeechFailed {
  const retryable = RETRYABLE.has(status) && !NO_CREDIT.test(body)
  const reason = withoutSecret(reasonIn(body), secret)
  return new SpeechFailed(`${vendor} answered ${status}${reason === '' ? '.' : `: ${sentenceOf(reason)}`}`, { retryable, retryAfterMs })
}

export function withoutSecret(text: string, secret: string): string {
  return secret === '' ? text : text.replaceAll(secret, '(key)')
}

/** The fields in which vendors put their reason. The first string in this order is used. */
const PLACES: readonly ((body: JsonObject) => unknown)[] = [
  (body) => body.err_msg,
  (body) => inside(body.error, 'message'),
  (body) => body.error,
  (body) => inside(body.detail, 'message'),
  (body) => body.detail,
  (body) => (Array.isArray(body.detail) ? inside(body.detail[0], 'msg') : null),
  (body) => body.message,
  (body) => body.reason,
]

/** The vendor's reason, shortened; empty if there is none. */
export function reasonIn(body: string): string {
  const parsed = parsedOrNull(body)
  const found = isJsonObject(parsed)
    ? PLACES.map((place) => place(parsed)).find((value) => typeof value === 'string' && value !== '')
    : parsed
  // A body that is not JSON is itself the reason.
  const text = typeof found === 'string' ? found : isJsonObject(parsed) ? '' : body
  // A proxy's error page is HTML.
  const plain = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length > LONGEST_REASON ? `${plain.slice(0, LONGEST_REASON)}…` : plain
}

function inside(value: unknown, field: string): unknown {
  return isJsonObject(value) ? value[field] : null
}
