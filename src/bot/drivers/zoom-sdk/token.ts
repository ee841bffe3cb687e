// Fetches the tokens of the users on whose behalf the bot may join, from the caller's server.
import type { BotSpec } from '../../../domain/bot.ts'
import type { KnockOutcome } from '../../../domain/meeting.ts'
import { NetworkError } from '../../../kit/http-client.ts'
import type { DriverTools } from '../driver.ts'

type Tokens = { readonly kind: 'tokens'; readonly tokens: readonly string[] }
type TokenFailure = Extract<KnockOutcome, { kind: 'failed' }>

type TokenRequest = NonNullable<BotSpec['zoomToken']> & {
  readonly meetingNumber: string
  /** On abort its reason is thrown. */
  readonly signal: AbortSignal
  /** For both requests. */
  readonly withinMs?: number
}

const WITHIN_MS = 15_000
const LONGEST_ANSWER = 16 * 1024
const LONGEST_COMPLAINT = 200
const BAD_REQUEST = 400
/** Tokens are JWTs or base64. Sentences and HTML do not match. */
const TOKEN = /^[\w.~+/=-]{8,8192}$/
const FIELDS = ['token', 'zak', 'obf', 'tokens'] as const
/** Of users on whose behalf the bot may join. */
const MOST_TOKENS = 20

/** There is no guest fallback: without the token the join fails. */
export async function fetchToken(
  { http, botId }: Pick<DriverTools, 'http' | 'botId'>,
  { kind, url, meetingNumber, signal, withinMs = WITHIN_MS }: TokenRequest,
): Promise<Tokens | TokenFailure> {
  const startedAt = performance.now()
  const leftMs = () => Math.max(1, withinMs - (performance.now() - startedAt))
  const meeting = kind === 'obf' ? { meeting_number: meetingNumber } : {}
  const ask = { maxBytes: LONGEST_ANSWER, signal }
  const headers = { 'x-bot-id': botId, accept: 'application/json, text/plain' }
  try {
    const answer = await http.request(url, { ...ask, headers, query: meeting, timeoutMs: leftMs() })
    const tokens = tokensIn(answer)
    if (tokens.length > 0) return { kind: 'tokens', tokens }
    if (answer.status === BAD_REQUEST) return failure(kind, refusalOf(url, answer))
    const body = JSON.stringify({ bot_id: botId, ...meeting })
    const posted = { ...ask, body, headers: { ...headers, 'content-type': 'application/json' }, timeoutMs: leftMs() }
    const second = await http.request(url, posted)
    const late = tokensIn(second)
    return late.length === 0 ? failure(kind, refusalOf(url, second)) : { kind: 'tokens', tokens: late }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    if (error.reason !== 'timeout') return failure(kind, error.message)
    return failure(kind, `${new URL(url).host} did not answer in time`, ` within ${Math.round(withinMs / 1000)} seconds`)
  }
}

type Fetched = Awaited<ReturnType<DriverTools['http']['request']>>

/** Empty if the answer holds no token, or anything else in a list of them. */
function tokensIn({ status, body }: Fetched): readonly string[] {
  if (status < 200 || status > 299) return []
  const text = body.toString('utf8').trim()
  const found = fromJson(text) ?? text
  const tokens = Array.isArray(found) ? [...new Set(found)].slice(0, MOST_TOKENS) : [found]
  return tokens.every((it): it is string => typeof it === 'string' && TOKEN.test(it)) ? tokens : []
}

/** Undefined if the answer is not JSON, and so may be the token itself. */
function fromJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? ''
  return FIELDS.map((field) => Reflect.get(value, field)).find((it) => typeof it === 'string' || Array.isArray(it)) ?? ''
}

function refusalOf(url: string, { status, head, truncated }: Fetched): string {
  const { host } = new URL(url)
  if (status >= 300 && status < 400) return `${host} answered with a redirect (HTTP ${status}), which is not followed`
  if (truncated) return `${host} answered with more than ${LONGEST_ANSWER / 1024} KB`
  // A successful answer is not quoted, because it may hold a token.
  if (status < 300) return `${host} answered with HTTP ${status}, but with no token: neither as text nor in a field ${FIELDS.join(', ')}`
  const complaint = head
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_COMPLAINT)
  return `${host} answered with HTTP ${status}${complaint && `: ${complaint}`}`
}

function failure(kind: TokenRequest['kind'], why: string, when = ''): TokenFailure {
  const message = `The ${kind.toUpperCase()} token could not be fetched${when}: ${why.replace(/\.$/, '')}. Check the server behind ${kind}_url`
  return { kind: 'failed', reason: 'TokenFetchFailed', message }
}
