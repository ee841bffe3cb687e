// The token of the user for whom the bot joins, fetched from the caller's own server when the bot is on its way.
import type { BotSpec } from '../../../domain/bot.ts'
import type { KnockOutcome } from '../../../domain/meeting.ts'
import { OutgoingError } from '../../../kit/outgoing.ts'
import type { DriverTools } from '../driver.ts'

type Token = { readonly kind: 'token'; readonly token: string }
type TokenFailure = Extract<KnockOutcome, { kind: 'failed' }>

type TokenWish = NonNullable<BotSpec['zoomToken']> & {
  readonly meetingNumber: string
  /** When it aborts, its reason is thrown. */
  readonly signal: AbortSignal
  /** For both requests. */
  readonly withinMs?: number
}

const WITHIN_MS = 15_000
const LONGEST_ANSWER = 16 * 1024
const LONGEST_COMPLAINT = 200
const BAD_REQUEST = 400
/** Tokens are JWTs or base64; a sentence or a page is none. */
const TOKEN = /^[\w.~+/=-]{8,8192}$/
const FIELDS = ['token', 'zak', 'obf'] as const

/** Never a guest instead: a caller who names a token server wants the bot to come as that user, or not at all. */
export async function fetchToken(
  { outgoing, botId }: Pick<DriverTools, 'outgoing' | 'botId'>,
  { kind, url, meetingNumber, signal, withinMs = WITHIN_MS }: TokenWish,
): Promise<Token | TokenFailure> {
  const startedAt = performance.now()
  const leftMs = () => Math.max(1, withinMs - (performance.now() - startedAt))
  const meeting = kind === 'obf' ? { meeting_number: meetingNumber } : {}
  const ask = { maxBytes: LONGEST_ANSWER, signal }
  const headers = { 'x-bot-id': botId, accept: 'application/json, text/plain' }
  try {
    const answer = await outgoing.get(url, { ...ask, headers, query: meeting, timeoutMs: leftMs() })
    const token = tokenIn(answer)
    if (token !== null) return { kind: 'token', token }
    if (answer.status === BAD_REQUEST) return failure(kind, refusalOf(url, answer))
    const body = JSON.stringify({ bot_id: botId, ...meeting })
    const posted = { ...ask, body, headers: { ...headers, 'content-type': 'application/json' }, timeoutMs: leftMs() }
    const second = await outgoing.postAndRead(url, posted)
    const late = tokenIn(second)
    return late === null ? failure(kind, refusalOf(url, second)) : { kind: 'token', token: late }
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    if (error.reason !== 'timeout') return failure(kind, error.message)
    return failure(kind, `${new URL(url).host} did not give it in time`, ` within ${Math.round(withinMs / 1000)} seconds`)
  }
}

type Fetched = Awaited<ReturnType<DriverTools['outgoing']['get']>>

/** Null: the answer holds none. */
function tokenIn({ status, body }: Fetched): string | null {
  if (status < 200 || status > 299) return null
  const text = body.toString('utf8').trim()
  const token = fromJson(text) ?? text
  return typeof token === 'string' && TOKEN.test(token) ? token : null
}

/** Undefined: the answer is no JSON, and may be the token itself. */
function fromJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return value ?? ''
  return FIELDS.map((field) => Reflect.get(value, field)).find((token) => typeof token === 'string') ?? ''
}

function refusalOf(url: string, { status, head, truncated }: Fetched): string {
  const { host } = new URL(url)
  if (status >= 300 && status < 400) return `${host} answered with a redirect (HTTP ${status}), which is not followed`
  if (truncated) return `${host} answered with more than ${LONGEST_ANSWER / 1024} KB`
  // A token may stand in an answer that we cannot read, but not in a refusal.
  if (status < 300) return `${host} answered with HTTP ${status}, but with no token: neither as text nor in a field ${FIELDS.join(', ')}`
  const complaint = head
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_COMPLAINT)
  return `${host} answered with HTTP ${status}${complaint && `: ${complaint}`}`
}

function failure(kind: TokenWish['kind'], why: string, when = ''): TokenFailure {
  const message = `The ${kind.toUpperCase()} token could not be fetched${when}: ${why.replace(/\.$/, '')}. Check the server behind ${kind}_url`
  return { kind: 'failed', reason: 'TokenFetchFailed', message }
}
