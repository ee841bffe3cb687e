// A small client for a calendar provider's API: one access token at a time, JSON requests and responses, and ProviderErrors.
import { isJsonObject, type JsonObject } from '../../domain/bot.ts'
import { codeIn } from '../../kit/failure.ts'
import { createHttpClient, NetworkError } from '../../kit/http-client.ts'
import { parsedOrNull } from '../../kit/parsed-or-null.ts'
import { retry, retryAfterMs, type Schedule } from '../../kit/retry.ts'
import { type Credentials, ProviderError, type ProviderFault } from './provider.ts'

export type ProviderApi = {
  /** Begins the message of every error. */
  readonly name: string
  readonly tokenUrl: string
  readonly headers?: Readonly<Record<string, string>>
  readonly faultOf: (status: number, body: string) => ProviderFault
  readonly random: () => number
  readonly now: () => Date
  /** Called when a new access token comes with a new refresh token. */
  readonly onRefreshToken?: (refreshToken: string) => Promise<void>
}

type Method = 'GET' | 'POST' | 'DELETE'
export type AskProvider = (method: Method, url: string, body?: JsonObject) => Promise<JsonObject>

/** A longer Retry-After is left to the next sync. */
const RETRY: Schedule = { attempts: 4, firstMs: 500, longestMs: 8_000 }
const ANSWER_WITHIN_MS = 10_000
const MOST_ANSWER_BYTES = 64 * 1024 * 1024
/** A token that expires within this time is not used. */
const MARGIN_MS = 60_000
/** The operator chooses the providers' addresses, so they may be private. */
const http = createHttpClient({ allowPrivate: true })

export function createProviderClient(credentials: Credentials, api: ProviderApi): AskProvider {
  let { refreshToken } = credentials
  let access: { readonly token: string; readonly until: number } | null = null

  async function accessToken(): Promise<string> {
    if (access && access.until > api.now().getTime() + MARGIN_MS) return access.token
    const form = {
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await exchange(api, api.tokenUrl, { method: 'POST', headers, body: new URLSearchParams(form).toString() })
    const { access_token, expires_in, refresh_token } = answer
    if (typeof access_token !== 'string')
      throw new ProviderError('down', `${api.name}: the response of the token endpoint has no access_token`)
    access = { token: access_token, until: api.now().getTime() + Number(expires_in ?? 3600) * 1000 }
    if (typeof refresh_token === 'string' && refresh_token !== refreshToken) {
      refreshToken = refresh_token
      await api.onRefreshToken?.(refresh_token)
    }
    return access_token
  }

  async function once(method: Method, url: string, body: JsonObject | undefined): Promise<JsonObject> {
    const type = body && { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${await accessToken()}`, ...api.headers, ...type }
    return exchange(api, url, { method, headers, body: body ? JSON.stringify(body) : null })
  }

  async function withFreshToken(method: Method, url: string, body: JsonObject | undefined): Promise<JsonObject> {
    try {
      return await once(method, url, body)
    } catch (error) {
      // The access token may have been revoked early. A new one shows whether the grant was revoked too.
      if (!(error instanceof ProviderError) || error.fault !== 'revoked' || !access) throw error
      access = null
      return once(method, url, body)
    }
  }

  return (method, url, body) => retry(RETRY, () => withFreshToken(method, url, body), { again: isTemporary, random: api.random })
}

function isTemporary(error: unknown): boolean | number {
  const isIt = error instanceof ProviderError && (error.fault === 'busy' || error.fault === 'down')
  return isIt && (error.retryAfterSeconds ?? 0) * 1000
}

type Order = { readonly method: Method; readonly headers: Readonly<Record<string, string>>; readonly body: string | null }

async function exchange({ name, faultOf, now }: ProviderApi, url: string, order: Order): Promise<JsonObject> {
  const limits = { maxBytes: MOST_ANSWER_BYTES, timeoutMs: ANSWER_WITHIN_MS }
  const { status, body, truncated, retryAfter } = await http.request(url, { ...order, ...limits }).catch((cause: unknown) => {
    const code = codeIn(cause instanceof NetworkError ? cause.cause : cause)
    throw new ProviderError('down', `${name}: the server could not be reached${code}`, { cause })
  })
  if (truncated) throw new ProviderError('down', `${name}: the response is longer than ${MOST_ANSWER_BYTES} bytes`)
  const text = body.toString()
  // The body is empty, or a proxy's error page, whose status is enough.
  const parsed = parsedOrNull(text)
  const data = isJsonObject(parsed) ? parsed : {}
  if (status < 400) return data
  const pauseMs = retryAfterMs(retryAfter, now())
  throw new ProviderError(faultOf(status, text), `${name}: ${reasonIn(data) ?? `status ${status}`}`, {
    retryAfterSeconds: pauseMs === null ? null : Math.ceil(pauseMs / 1000),
  })
}

/** The token endpoint returns `{error, error_description}`, the API `{error: {code, message}}`. */
function reasonIn({ error, error_description }: JsonObject): string | null {
  if (typeof error === 'string') return typeof error_description === 'string' ? `${error}: ${error_description}` : error
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : null
}

/** Null if the field of an answer is missing or no text. */
export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
