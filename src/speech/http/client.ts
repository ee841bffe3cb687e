// HTTP client for one speech vendor: every request has a deadline, and retryable failures are retried a few times.

import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { codeIn } from '../../kit/failure.ts'
import { SpeechFailed } from '../provider.ts'
import { parseJson, Unreadable } from './json-fields.ts'
import { refusal } from './refusal.ts'
import type { Upload } from './upload.ts'

export type Endpoint = { readonly apiKey: string; readonly baseUrl: string }

export type RetryPolicy = {
  /** Deadline of a request without audio. */
  readonly requestMs: number
  /** Deadline of a request that uploads so many seconds of audio or waits for their transcript. */
  readonly audioRequestMs: (seconds: number) => number
  readonly tries: number
  /** The first pause between two tries; the later ones are longer. */
  readonly retryMs: number
  /** A longer `Retry-After` fails the request. */
  readonly longestPauseMs: number
  readonly pollMs: number
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  requestMs: 30_000,
  audioRequestMs: (seconds) => Math.ceil(Math.min(30 * 60_000, 120_000 + seconds * 500)),
  tries: 4,
  retryMs: 500,
  longestPauseMs: 60_000,
  pollMs: 3_000,
}

type VendorRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT'
  /** A path under the base URL, or a full URL from the vendor, which is requested without our key. */
  readonly path: string
  readonly query?: readonly (readonly [string, string])[]
  readonly upload?: Upload
  readonly headers?: Readonly<Record<string, string>>
  readonly deadlineMs?: number
}

export interface VendorClient {
  readonly vendor: string
  readonly retryPolicy: RetryPolicy
  /** Rejects with `SpeechFailed`, or with the signal's reason. */
  json(call: VendorRequest, signal: AbortSignal): Promise<unknown>
  bytes(call: VendorRequest, signal: AbortSignal): Promise<Buffer>
}

type ClientOptions = {
  readonly vendor: string
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
  readonly retryPolicy?: RetryPolicy
}

const MOST_ANSWER_BYTES = 64 * 1024 * 1024
/** No timeouts here, because each request has a deadline and a transcription may take minutes to answer. */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } })

export function createClient({ vendor, endpoint, headers, retryPolicy = DEFAULT_RETRY_POLICY }: ClientOptions): VendorClient {
  const attempt = (call: VendorRequest, signal: AbortSignal) => {
    const { url, isVendors } = address(vendor, endpoint.baseUrl, call)
    const all = { ...call.headers, ...call.upload?.headers, ...(isVendors ? headers : {}) }
    return exchange(
      { vendor, secret: endpoint.apiKey, url, call, headers: all, deadlineMs: call.deadlineMs ?? retryPolicy.requestMs },
      signal,
    )
  }
  const bytes = async (call: VendorRequest, signal: AbortSignal): Promise<Buffer> => {
    for (let tries = 1; ; tries++) {
      const { body, failure, pauseMs } = await attempt(call, signal)
      if (body) return body
      const pause = pauseMs ?? retryPolicy.retryMs * 2 ** (tries - 1) * (0.5 + Math.random())
      if (!failure.retryable || tries >= retryPolicy.tries || pause > retryPolicy.longestPauseMs) throw failure
      await waitFor(pause, signal)
    }
  }
  const json = async (call: VendorRequest, signal: AbortSignal) =>
    readAnswer(vendor, async () => parseJson((await bytes(call, signal)).toString()))
  return { vendor, retryPolicy, json, bytes }
}

/** Runs `read`, and turns `Unreadable` into a failure of the vendor. */
export async function readAnswer<Value>(vendor: string, read: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw new SpeechFailed(`${vendor} gave an unreadable answer. ${error.message}`, { retryable: false, cause: error })
  }
}

/** Repeats `ask` until it returns something other than null. */
export async function poll<Value>(
  { vendor, retryPolicy }: VendorClient,
  deadlineMs: number,
  ask: () => Promise<Value | null>,
  signal: AbortSignal,
): Promise<Value> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > deadline) throw new SpeechFailed(`${vendor} did not finish within ${deadlineMs} ms.`, { retryable: true })
    await waitFor(retryPolicy.pollMs, signal)
  }
}

function address(vendor: string, baseUrl: string, { path, query = [] }: VendorRequest): { url: URL; isVendors: boolean } {
  const isVendors = path.startsWith('/')
  const url = URL.parse(isVendors ? `${baseUrl.replace(/\/+$/, '')}${path}` : path)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SpeechFailed(`${vendor} cannot be requested at ${path.split('?')[0]}: it is not an http or https URL.`, { retryable: false })
  for (const [name, value] of query) url.searchParams.append(name, value)
  return { url, isVendors }
}

type Order = {
  readonly vendor: string
  readonly secret: string
  readonly url: URL
  readonly call: VendorRequest
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs: number
}
type Outcome =
  | { readonly body: Buffer; readonly failure?: never; readonly pauseMs?: never }
  | { readonly body: null; readonly failure: SpeechFailed; readonly pauseMs: number | null }

async function exchange(order: Order, callersSignal: AbortSignal): Promise<Outcome> {
  callersSignal.throwIfAborted()
  const { vendor, deadlineMs } = order
  const late = AbortSignal.timeout(deadlineMs)
  try {
    return await send(order, AbortSignal.any([callersSignal, late]))
  } catch (error) {
    if (callersSignal.aborted) throw callersSignal.reason
    if (error instanceof SpeechFailed) throw error
    // Not retried at once: a server this slow would get even slower.
    if (late.aborted) throw new SpeechFailed(`${vendor} did not answer within ${deadlineMs} ms.`, { retryable: true, cause: error })
    return {
      body: null,
      failure: new SpeechFailed(`${vendor} could not be reached${codeIn(error)}.`, { retryable: true, cause: error }),
      pauseMs: null,
    }
  }
}

async function send({ vendor, secret, url, call, headers }: Order, signal: AbortSignal): Promise<Outcome> {
  const body = call.upload?.content() ?? null
  const method = call.method ?? (body === null ? 'GET' : 'POST')
  const answer = await request(url, { method, headers: { ...headers }, body, signal, dispatcher: agent })
  const bytes = await readBody(vendor, answer.body)
  const status = answer.statusCode
  if (status >= 200 && status < 300) return { body: bytes }
  return { body: null, failure: refusal({ vendor, status, body: bytes.toString(), secret }), pauseMs: pauseAsked(answer.headers) }
}

async function readBody(vendor: string, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    length += part.length
    if (length > MOST_ANSWER_BYTES)
      throw new SpeechFailed(`${vendor} answered with more than ${MOST_ANSWER_BYTES} bytes.`, { retryable: false })
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** `Retry-After` in seconds or as a date. */
function pauseAsked(headers: Readonly<Record<string, string | string[] | undefined>>): number | null {
  const given = headers['retry-after']
  if (typeof given !== 'string') return null
  const ms = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}
