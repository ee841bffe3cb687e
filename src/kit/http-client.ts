// The HTTP client: it limits time and size, and reaches no private address unless allowed.
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { defaultLookup, guardedConnector, isPrivateHost, type Lookup } from './address-guard.ts'
import { createPools, type Pools } from './connection-pools.ts'
import { NetworkError, toNetworkError } from './network-error.ts'

export { NetworkError } from './network-error.ts'

type HttpClientOptions = {
  /** False turns the address guard on. */
  readonly allowPrivate: boolean
  readonly timeoutMs?: number
  /** Further requests to the origin wait for a connection, and their timeout runs meanwhile. */
  readonly connectionsPerOrigin?: number
  readonly lookup?: Lookup
  /** How long an idle origin keeps its connections. */
  readonly idleMs?: number
}

type RequestOptions = {
  /** Appended to the URL's own query, which stays unchanged. */
  readonly query?: Readonly<Record<string, string>> | [string, string][]
  readonly headers?: Readonly<Record<string, string>>
  /** For the whole exchange: waiting for a connection, connecting, headers and body. */
  readonly timeoutMs?: number
  /** An abort rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

type HttpResponse = {
  readonly status: number
  /** The first 500 bytes of the body as text. */
  readonly head: string
  /** The time until the status and headers. */
  readonly durationMs: number
}

type ReadRequest = RequestOptions & {
  /** Default: GET, or POST with a body. */
  readonly method?: Method
  readonly body?: Buffer | Readable | string | null
  readonly maxBytes: number
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type ReadResponse = HttpResponse & {
  readonly contentType: string | null
  /** The header as received, for `retryAfterMs`. */
  readonly retryAfter: string | null
  /** At most `maxBytes`. */
  readonly body: Buffer
  /** The body was longer than `maxBytes`. */
  readonly truncated: boolean
}

/** Redirects are returned, not followed. An exchange without a complete response rejects with a `NetworkError`. */
export interface HttpClient {
  /** The status is the response: a body that breaks off, or does not end soon, shortens `head` and changes nothing else. */
  post(url: string, request: RequestOptions & { readonly body: Buffer | string }): Promise<HttpResponse>
  request(url: string, request: ReadRequest): Promise<ReadResponse>
  /** The number of origins with a connection pool. */
  openOrigins(): number
  /** Waits for the exchanges in progress. */
  close(): Promise<void>
}

/** Sent with every request and every socket to a caller's server. */
export const USER_AGENT = 'Emissary/1.0'

const LONGEST_URL = 4096
const HEAD_BYTES = 500
/** Draining up to this many bytes keeps the connection reusable. A longer response closes it. */
const DRAINED_BYTES = 64 * 1024
const DRAINED_WITHIN_MS = 1_000
const INSECURE: Readonly<Record<string, string>> = { https: 'http', wss: 'ws' }

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { allowPrivate, timeoutMs = 10_000, connectionsPerOrigin = 16, idleMs = 5_000, lookup = defaultLookup(allowPrivate) } = options
  const connect = guardedConnector({ allowPrivate, lookup, timeoutMs })
  // One timeout covers the exchange, so undici's own are off. A receiver cannot prolong keep-alive by a header.
  const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs }
  const pools = createPools({ connect, connections: connectionsPerOrigin, pipelining: 1, allowH2: false, ...limits }, idleMs)

  return {
    async post(url, { body, ...request }) {
      const drained = { keptBytes: HEAD_BYTES, readBytes: DRAINED_BYTES, optionalBodyMs: DRAINED_WITHIN_MS }
      const exchange = { url, method: 'POST' as const, body, ...drained, timeoutMs, ...request }
      const { status, bytes, durationMs } = await runExchange(pools, exchange)
      return { status, head: textOf(bytes), durationMs }
    },
    async request(url, { maxBytes, body = null, ...request }) {
      const method = body === null ? 'GET' : 'POST'
      const exchange = { url, method, body, keptBytes: maxBytes, readBytes: maxBytes, timeoutMs, ...request } as const
      const { bytes, ...response } = await runExchange(pools, exchange)
      return { ...response, head: textOf(bytes.subarray(0, HEAD_BYTES)), body: bytes }
    },
    openOrigins: () => pools.size(),
    close: () => pools.close(),
  }
}

/** The problem with a URL that shows without DNS, as the end of a sentence that begins with the field's name; null if there is none. */
export function urlProblem(text: string, { schemes, allowPrivate }: { schemes: readonly string[]; allowPrivate: boolean }): string | null {
  if (text.length > LONGEST_URL) return `must be at most ${LONGEST_URL} characters.`
  const allowed = allowPrivate ? [...schemes, ...schemes.flatMap((scheme) => INSECURE[scheme] ?? [])] : schemes
  // URL.parse repairs blanks and missing slashes. Another parser may read such a URL differently.
  const url = /^[a-z]+:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  if (!url || url.hostname === '' || !allowed.includes(url.protocol.slice(0, -1)))
    return `must be ${/^[aeiouh]/.test(schemes[0] ?? '') ? 'an' : 'a'} ${schemes.join(' or ')} URL.`
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password.'
  return !allowPrivate && isPrivateHost(url.hostname) ? 'must not point to a private or loopback address.' : null
}

type Exchange = RequestOptions & {
  readonly url: string
  readonly method: Method
  readonly body: Buffer | Readable | string | null
  readonly keptBytes: number
  readonly readBytes: number
  /** Reads the body for at most this long, and keeps what arrived if it breaks off. Default: the response needs its body. */
  readonly optionalBodyMs?: number
  readonly timeoutMs: number
}

type RawResponse = Omit<ReadResponse, 'head' | 'body'> & { readonly bytes: Buffer }

async function runExchange(pools: Pools, exchange: Exchange): Promise<RawResponse> {
  const { timeoutMs, signal: callersSignal } = exchange
  const problem = urlProblem(exchange.url, { schemes: ['http', 'https'], allowPrivate: true })
  if (problem) throw new NetworkError('bad_url', `The URL ${problem}`)
  callersSignal?.throwIfAborted()

  const url = new URL(exchange.url)
  const query = new URLSearchParams(exchange.query).toString()
  if (query) url.search += `${url.search ? '&' : '?'}${query}`
  const progress: Progress = { status: null }
  const limit = new AbortController()
  const abortLate = () => limit.abort(new NetworkError('timeout', `${url.host} did not answer within ${timeoutMs} ms.`, progress))
  const timer = setTimeout(abortLate, timeoutMs)
  const signal = callersSignal ? AbortSignal.any([limit.signal, callersSignal]) : limit.signal
  try {
    return await pools.use(url.origin, (pool) => requestFrom(pool, url, { ...exchange, signal }, progress))
  } catch (error) {
    throw signal.aborted ? signal.reason : toNetworkError(error, url.host, progress.status)
  } finally {
    clearTimeout(timer)
  }
}

/** How far an exchange came, for its error. */
type Progress = { status: number | null }

async function requestFrom(
  pool: Dispatcher,
  url: URL,
  exchange: Exchange & { signal: AbortSignal },
  progress: Progress,
): Promise<RawResponse> {
  const { method, body, signal } = exchange
  const headers = { 'user-agent': USER_AGENT, ...exchange.headers }
  const startedAt = performance.now()
  const response = await unlessAborted(pool.request({ path: url.pathname + url.search, method, headers, body, signal }), signal)
  progress.status = response.statusCode
  const durationMs = performance.now() - startedAt
  const read = await readBody(response.body, exchange)
  const header = (name: string) => [response.headers[name]].flat()[0] ?? null
  const [contentType, retryAfter] = [header('content-type'), header('retry-after')]
  return { status: response.statusCode, ...read, contentType, retryAfter, durationMs }
}

/** Undici handles an abort only once a request has its connection. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  return Promise.race([work, aborted])
}

export async function readBody(
  body: Readable,
  { keptBytes, readBytes, optionalBodyMs }: Pick<Exchange, 'keptBytes' | 'readBytes' | 'optionalBodyMs'>,
): Promise<{ bytes: Buffer; truncated: boolean }> {
  const kept: Buffer[] = []
  let length = 0
  // Destroying a body that has not ended closes its connection.
  const timer = optionalBodyMs !== undefined && setTimeout(() => body.destroy(), optionalBodyMs)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (length < keptBytes) kept.push(chunk.subarray(0, keptBytes - length))
      length += chunk.length
      if (length > readBytes) break
    }
  } catch (error) {
    if (optionalBodyMs === undefined) throw error
  } finally {
    if (timer) clearTimeout(timer)
  }
  return { bytes: Buffer.concat(kept), truncated: length > keptBytes }
}

/** Leaves out a character that the limit cut. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true })
}
