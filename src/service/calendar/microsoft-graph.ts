// A small Microsoft Graph client: one access token at a time, JSON requests and responses, and ProviderErrors.

import { request } from 'undici'
import type { JsonObject } from '../../domain/bot.ts'
import { codeIn } from '../../kit/failure.ts'
import { type Credentials, ProviderError, type ProviderFault, retryAfterIn } from './provider.ts'
import { withRetries } from './retry.ts'

export type GraphOptions = {
  readonly graphUrl: string
  readonly loginUrl: string
  readonly random: () => number
  readonly now: () => Date
  /** Microsoft issues a new refresh token with every access token, and the old one expires. */
  readonly onRefreshToken: (refreshToken: string) => Promise<void>
}

export type Graph = {
  /** A path under `/v1.0`, or an absolute URL from an earlier response. */
  get(address: string): Promise<JsonObject>
  post(path: string, body: JsonObject): Promise<JsonObject>
  remove(path: string): Promise<void>
}

const ANSWER_WITHIN_MS = 10_000
/** A token that expires within this time is not used. */
const MARGIN_MS = 60_000
const PREFER = 'odata.maxpagesize=50, outlook.timezone="UTC", IdType="ImmutableId"'

export function createGraph(credentials: Credentials, options: GraphOptions): Graph {
  let { refreshToken } = credentials
  let access: { readonly token: string; readonly until: number } | null = null

  async function accessToken(): Promise<string> {
    if (access && access.until > options.now().getTime() + MARGIN_MS) return access.token
    const form = {
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }
    const answer = await exchange(options, `${options.loginUrl}/common/oauth2/v2.0/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
    const { access_token, expires_in, refresh_token } = answer
    if (typeof access_token !== 'string') throw new ProviderError('down', 'Outlook: the response of the token endpoint has no access_token')
    access = { token: access_token, until: options.now().getTime() + Number(expires_in ?? 3600) * 1000 }
    if (typeof refresh_token === 'string' && refresh_token !== refreshToken) {
      refreshToken = refresh_token
      await options.onRefreshToken(refresh_token)
    }
    return access_token
  }

  async function once(method: 'GET' | 'POST' | 'DELETE', address: string, body: JsonObject | null): Promise<JsonObject> {
    const headers = { authorization: `Bearer ${await accessToken()}`, prefer: PREFER, ...(body && { 'content-type': 'application/json' }) }
    return exchange(options, address, { method, headers, body: body && JSON.stringify(body) })
  }

  async function ask(method: 'GET' | 'POST' | 'DELETE', address: string, body: JsonObject | null = null): Promise<JsonObject> {
    const whole = addressOf(address, options.graphUrl)
    return withRetries(async () => {
      try {
        return await once(method, whole, body)
      } catch (error) {
        // The access token may have been revoked early. A new one shows whether the grant was revoked too.
        if (!(error instanceof ProviderError) || error.fault !== 'revoked' || !access) throw error
        access = null
        return once(method, whole, body)
      }
    }, options.random)
  }

  return {
    get: (address) => ask('GET', address),
    post: (path, body) => ask('POST', path, body),
    remove: async (path) => void (await ask('DELETE', path)),
  }
}

/** A response may name the next URL, but only on the same server. */
function addressOf(address: string, base: string): string {
  if (address.startsWith('/')) return `${base}/v1.0${address}`
  if (URL.parse(address)?.origin !== new URL(base).origin) throw new ProviderError('refused', 'Outlook: a response links to another server')
  return address
}

type Order = { readonly method: 'GET' | 'POST' | 'DELETE'; readonly headers: Record<string, string>; readonly body: string | null }

async function exchange({ now }: GraphOptions, address: string, { method, headers, body }: Order): Promise<JsonObject> {
  const limits = { headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: ANSWER_WITHIN_MS }
  const response = await request(address, { method, headers, body, ...limits }).catch((cause: unknown) => {
    throw new ProviderError('down', `Outlook: the server could not be reached${codeIn(cause)}`, { cause })
  })
  const text = await response.body.text()
  const data = parsed(text)
  if (response.statusCode < 400) return data
  const reason = reasonIn(data) ?? `status ${response.statusCode}`
  const retryAfter = response.headers['retry-after']
  throw new ProviderError(faultOf(response.statusCode, text), `Outlook: ${reason}`, {
    retryAfterSeconds: retryAfterIn(typeof retryAfter === 'string' ? retryAfter : null, now()),
  })
}

const FAULTS: Readonly<Record<number, ProviderFault>> = { 401: 'revoked', 404: 'gone', 410: 'stale', 429: 'busy', 503: 'busy' }
const REVOKED = /invalid_grant|invalid_client|unauthorized_client|interaction_required/

function faultOf(status: number, text: string): ProviderFault {
  if (status === 400 && REVOKED.test(text)) return 'revoked'
  if (/SyncStateNotFound|SyncStateInvalid|resyncRequired/i.test(text)) return 'stale'
  return FAULTS[status] ?? (status < 500 ? 'refused' : 'down')
}

function parsed(text: string): JsonObject {
  try {
    const data: unknown = text === '' ? {} : JSON.parse(text)
    return typeof data === 'object' && data !== null ? { ...data } : {}
  } catch {
    return {} // A proxy's error page: its status is enough.
  }
}

/** The token endpoint returns `{error, error_description}`, Graph `{error: {code, message}}`. */
function reasonIn({ error, error_description }: JsonObject): string | null {
  if (typeof error === 'string') return typeof error_description === 'string' ? `${error}: ${error_description}` : error
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : null
}
