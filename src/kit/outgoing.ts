// The way out: every URL that a caller gave us is requested here, where private addresses are unreachable and time is limited.
import type { Dispatcher } from 'undici'
import { namedError, OutgoingError } from './outgoing-error.ts'
import { defaultLookup, guardedConnector, isPrivateHost, type Lookup } from './outgoing-guard.ts'
import { createPools, type Pools } from './outgoing-pools.ts'

export { OutgoingError } from './outgoing-error.ts'

type OutgoingOptions = {
  /** For development and tests: loopback and private addresses are reachable. */
  readonly allowPrivate: boolean
  readonly timeoutMs?: number
  /** More requests than this to one origin wait for each other, and their time runs meanwhile. */
  readonly connectionsPerOrigin?: number
  readonly lookup?: Lookup
  /** How long an origin's connections are kept for the next request. */
  readonly idleMs?: number
}

type Ask = {
  /** Added to the URL's own query, which stays as it is written. */
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** For the whole exchange: waiting for a connection, connecting, headers and body. */
  readonly timeoutMs?: number
  /** When it aborts, its reason is thrown as it is. */
  readonly signal?: AbortSignal
}

type Answer = {
  readonly status: number
  /** The first 500 bytes of the body as text. */
  readonly head: string
  readonly durationMs: number
}

type Fetched = Answer & {
  readonly contentType: string | null
  /** At most `maxBytes` of it. */
  readonly body: Buffer
  /** Whether there was more. */
  readonly truncated: boolean
}

/** A redirect is not followed: it is an answer like any other. No complete answer is an `OutgoingError`. */
export interface Outgoing {
  post(url: string, ask: Ask & { readonly body: Buffer | string }): Promise<Answer>
  get(url: string, ask: Ask & { readonly maxBytes: number }): Promise<Fetched>
  /** A POST whose answer is wanted. */
  postAndRead(url: string, ask: Ask & { readonly body: Buffer | string; readonly maxBytes: number }): Promise<Fetched>
  /** How many origins have connections, or had until a moment ago. */
  openOrigins(): number
  /** Waits for the exchanges under way. */
  close(): Promise<void>
}

/** The product token that every request and every socket to a caller's server carries. */
export const USER_AGENT = 'Emissary/1.0'

const LONGEST_URL = 4096
const HEAD_BYTES = 500
/** A short rest of an answer is read and dropped, to use the connection again; a longer one is cut off with its connection. */
const DRAINED_BYTES = 64 * 1024
const INSECURE: Readonly<Record<string, string>> = { https: 'http', wss: 'ws' }

export function createOutgoing(options: OutgoingOptions): Outgoing {
  const { allowPrivate, timeoutMs = 10_000, connectionsPerOrigin = 16, idleMs = 5_000, lookup = defaultLookup(allowPrivate) } = options
  const connect = guardedConnector({ allowPrivate, lookup, timeoutMs })
  // An exchange has one limit for everything, so the client's own are off. A receiver cannot hold a connection longer by asking for it.
  const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs }
  const pools = createPools({ connect, connections: connectionsPerOrigin, pipelining: 1, allowH2: false, ...limits }, idleMs)

  return {
    async post(url, { body, ...ask }) {
      const order = { url, method: 'POST' as const, body, keptBytes: HEAD_BYTES, readBytes: DRAINED_BYTES, timeoutMs, ...ask }
      const { status, bytes, durationMs } = await exchange(pools, order)
      return { status, head: textOf(bytes), durationMs }
    },
    async get(url, { maxBytes, ...ask }) {
      return fetched(pools, { url, method: 'GET', body: null, keptBytes: maxBytes, readBytes: maxBytes, timeoutMs, ...ask })
    },
    async postAndRead(url, { maxBytes, ...ask }) {
      return fetched(pools, { url, method: 'POST', keptBytes: maxBytes, readBytes: maxBytes, timeoutMs, ...ask })
    },
    openOrigins: () => pools.size(),
    close: () => pools.close(),
  }
}

/** What is wrong with a URL as far as it shows without DNS: the end of a sentence that begins with the field's name. Null if nothing. */
export function urlProblem(text: string, { schemes, allowPrivate }: { schemes: readonly string[]; allowPrivate: boolean }): string | null {
  if (text.length > LONGEST_URL) return `must be at most ${LONGEST_URL} characters.`
  const allowed = allowPrivate ? [...schemes, ...schemes.flatMap((scheme) => INSECURE[scheme] ?? [])] : schemes
  // The parser forgives blanks and missing slashes; what it forgives here, somebody else may read differently.
  const url = /^[a-z]+:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  if (!url || url.hostname === '' || !allowed.includes(url.protocol.slice(0, -1)))
    return `must be ${/^[aeiouh]/.test(schemes[0] ?? '') ? 'an' : 'a'} ${schemes.join(' or ')} URL.`
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password.'
  return !allowPrivate && isPrivateHost(url.hostname) ? 'must not point to a private or loopback address.' : null
}

type Order = Ask & {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly body: Buffer | string | null
  readonly keptBytes: number
  readonly readBytes: number
  readonly timeoutMs: number
}

async function fetched(pools: Pools, order: Order): Promise<Fetched> {
  const { bytes, ...answer } = await exchange(pools, order)
  return { ...answer, head: textOf(bytes.subarray(0, HEAD_BYTES)), body: bytes }
}

type Exchanged = Omit<Fetched, 'head' | 'body'> & { readonly bytes: Buffer }

async function exchange(pools: Pools, order: Order): Promise<Exchanged> {
  const { timeoutMs, signal: callersSignal } = order
  const problem = urlProblem(order.url, { schemes: ['http', 'https'], allowPrivate: true })
  if (problem) throw new OutgoingError('bad_url', `The URL ${problem}`)
  callersSignal?.throwIfAborted()

  const url = new URL(order.url)
  const more = new URLSearchParams(order.query).toString()
  if (more) url.search += `${url.search ? '&' : '?'}${more}`
  const progress: Progress = { status: null }
  const limit = new AbortController()
  const late = () => limit.abort(new OutgoingError('timeout', `${url.host} did not answer within ${timeoutMs} ms.`, progress))
  const timer = setTimeout(late, timeoutMs)
  const signal = callersSignal ? AbortSignal.any([limit.signal, callersSignal]) : limit.signal
  try {
    return await pools.use(url.origin, (pool) => askPool(pool, url, { ...order, signal }, progress))
  } catch (error) {
    throw signal.aborted ? signal.reason : namedError(error, url.host, progress.status)
  } finally {
    clearTimeout(timer)
  }
}

/** How far an exchange came, for the error that may end it. */
type Progress = { status: number | null }

async function askPool(pool: Dispatcher, url: URL, order: Order & { signal: AbortSignal }, progress: Progress): Promise<Exchanged> {
  const { method, body, signal } = order
  const headers = { 'user-agent': USER_AGENT, ...order.headers }
  const startedAt = performance.now()
  const response = await unlessAborted(pool.request({ path: url.pathname + url.search, method, headers, body, signal }), signal)
  progress.status = response.statusCode
  const read = await readBody(response.body, order)
  const type = response.headers['content-type']
  return {
    status: response.statusCode,
    ...read,
    contentType: typeof type === 'string' ? type : null,
    durationMs: performance.now() - startedAt,
  }
}

/** The client notices an abort only once a request has its connection; until then nobody would hear of it. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  return Promise.race([work, aborted])
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  { keptBytes, readBytes }: Order,
): Promise<{ bytes: Buffer; truncated: boolean }> {
  const kept: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (length < keptBytes) kept.push(chunk.subarray(0, keptBytes - length))
    length += chunk.length
    if (length > readBytes) break
  }
  return { bytes: Buffer.concat(kept), truncated: length > keptBytes }
}

/** A character that the cut went through is left out. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true })
}
