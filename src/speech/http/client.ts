// HTTP client for one speech vendor: every request has a deadline, and retryable failures are retried a few times.
import { codeIn } from '../../kit/failure.ts'
import { createHttpClient, NetworkError } from '../../kit/http-client.ts'
import { pause, retry, retryAfterMs } from '../../kit/retry.ts'
import { SpeechFailed } from '../provider.ts'
import { type JsonValue, parseJson, Unreadable } from './json-value.ts'
import { refusal } from './refusal.ts'
import type { Upload } from './upload.ts'

export type Endpoint = { readonly apiKey: string; readonly baseUrl: string }

export const DEFAULT_RETRY_POLICY = {
  /** Deadline of a request without audio. */
  requestMs: 30_000,
  /** Deadline of a request that uploads so many seconds of audio or waits for their transcript. */
  audioRequestMs: (seconds: number) => Math.ceil(Math.min(30 * 60_000, 120_000 + seconds * 500)),
  retry: { attempts: 4, firstMs: 650, longestMs: 60_000 },
  pollMs: 3_000,
}

export type RetryPolicy = Readonly<typeof DEFAULT_RETRY_POLICY>

type VendorRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT'
  /** A path under the base URL, or a full URL from the vendor, which is requested without our key. */
  readonly path: string
  readonly query?: [string, string][]
  readonly upload?: Upload
  readonly headers?: Readonly<Record<string, string>>
  /** By default the retry policy's deadline, which is longer for an upload of audio. */
  readonly deadlineMs?: number
}

/** Its requests reject with `SpeechFailed`, or with the signal's reason. */
export type VendorClient = ReturnType<typeof createClient>

type ClientOptions = {
  readonly vendor: string
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
  readonly retryPolicy?: RetryPolicy | undefined
}

const MOST_ANSWER_BYTES = 64 * 1024 * 1024
/** The operator chooses the vendors' addresses, so they may be private. */
const http = createHttpClient({ allowPrivate: true, connectionsPerOrigin: 256 })

export function createClient({ vendor, endpoint, headers, retryPolicy = DEFAULT_RETRY_POLICY }: ClientOptions) {
  const attempt = async (call: VendorRequest, signal: AbortSignal): Promise<Buffer> => {
    const { path, method, upload, query = [] } = call
    const usualMs = upload?.audioSeconds === undefined ? retryPolicy.requestMs : retryPolicy.audioRequestMs(upload.audioSeconds)
    const timeoutMs = call.deadlineMs ?? usualMs
    const { url, isVendors } = address(vendor, endpoint.baseUrl, path)
    const request = {
      ...(method && { method }),
      headers: { ...call.headers, ...upload?.headers, ...(isVendors ? headers : {}) },
      query,
      body: upload?.content() ?? null,
      maxBytes: MOST_ANSWER_BYTES,
      timeoutMs,
      signal,
    }
    const { status, body, truncated, retryAfter } = await http.request(url, request).catch((error: unknown) => {
      signal.throwIfAborted()
      throw unreachable(vendor, error, timeoutMs)
    })
    if (truncated) throw new SpeechFailed(`${vendor} answered with more than ${MOST_ANSWER_BYTES} bytes.`, { retryable: false })
    if (status >= 200 && status < 300) return body
    const pauseMs = retryAfterMs(retryAfter, new Date())
    throw refusal({ vendor, status, body: body.toString(), secret: endpoint.apiKey, retryAfterMs: pauseMs })
  }
  const bytes = (call: VendorRequest, signal: AbortSignal): Promise<Buffer> =>
    retry(retryPolicy.retry, () => attempt(call, signal), { again: isWorthAnotherAttempt, random: Math.random, signal })
  const json = async <Value>(call: VendorRequest, read: (answer: JsonValue) => Value, signal: AbortSignal): Promise<Value> => {
    const body = await bytes(call, signal)
    try {
      return read(parseJson(body.toString(), 'answer'))
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      throw new SpeechFailed(`${vendor} gave an unreadable answer. ${error.message}`, { retryable: false, cause: error })
    }
  }
  return { vendor, retryPolicy, json, bytes }
}

function unreachable(vendor: string, error: unknown, deadlineMs: number): SpeechFailed {
  const problem = isDeadline(error)
    ? `did not answer within ${deadlineMs} ms`
    : `could not be reached${codeIn(error instanceof NetworkError ? error.cause : error)}`
  return new SpeechFailed(`${vendor} ${problem}.`, { retryable: true, cause: error })
}

/** A server that missed its deadline is not asked again at once: it would get even slower. */
function isWorthAnotherAttempt(error: unknown): boolean | number {
  return error instanceof SpeechFailed && error.retryable && !isDeadline(error.cause) && (error.retryAfterMs ?? true)
}

function isDeadline(error: unknown): boolean {
  return error instanceof NetworkError && error.isDeadline
}

/** Repeats `ask` until it returns something other than null, for as long as a request with so much audio may take. */
export async function poll<Value>(
  { vendor, retryPolicy }: VendorClient,
  audioSeconds: number,
  ask: () => Promise<Value | null>,
  signal: AbortSignal,
): Promise<Value> {
  const deadlineMs = retryPolicy.audioRequestMs(audioSeconds)
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > deadline) throw new SpeechFailed(`${vendor} did not finish within ${deadlineMs} ms.`, { retryable: true })
    await pause(retryPolicy.pollMs, signal)
  }
}

function address(vendor: string, baseUrl: string, path: string): { url: string; isVendors: boolean } {
  const isVendors = path.startsWith('/')
  const url = URL.parse(isVendors ? `${baseUrl.replace(/\/+$/, '')}${path}` : path)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SpeechFailed(`${vendor} cannot be requested at ${path.split('?')[0]}: it is not an http or https URL.`, { retryable: false })
  return { url: url.href, isVendors }
}
