// One vendor's HTTP interface: every leg has a deadline, what passes is tried again a few times, what does not is said.

import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { codeIn } from '../kit/failure.ts'
import { parseJson, Unreadable } from './answer.ts'
import { SpeechFailed } from './provider.ts'
import { refusal } from './refusal.ts'
import type { Upload } from './upload.ts'

export type Endpoint = { readonly apiKey: string; readonly baseUrl: string }

export type Patience = {
  /** For a leg that carries no sound. */
  readonly legMs: number
  /** For a leg that carries so much sound, or waits until it is heard. */
  readonly hearingMs: (seconds: number) => number
  readonly tries: number
  /** The first pause between two tries; the later ones are longer. */
  readonly retryMs: number
  /** Whoever asks for a longer pause is not waited for. */
  readonly longestPauseMs: number
  readonly pollMs: number
}

export const USUAL_PATIENCE: Patience = {
  legMs: 30_000,
  hearingMs: (seconds) => Math.ceil(Math.min(30 * 60_000, 120_000 + seconds * 500)),
  tries: 4,
  retryMs: 500,
  longestPauseMs: 60_000,
  pollMs: 3_000,
}

type Leg = {
  readonly method?: 'GET' | 'POST' | 'PUT'
  /** Under the base URL; or a whole URL that the vendor gave us, which is asked without our key. */
  readonly path: string
  readonly query?: readonly (readonly [string, string])[]
  readonly upload?: Upload
  readonly headers?: Readonly<Record<string, string>>
  readonly deadlineMs?: number
}

export interface VendorClient {
  readonly vendor: string
  readonly patience: Patience
  /** The answer's JSON. Rejects with `SpeechFailed`, or with the signal's own reason. */
  json(leg: Leg, signal: AbortSignal): Promise<unknown>
  bytes(leg: Leg, signal: AbortSignal): Promise<Buffer>
}

type ClientOptions = {
  readonly vendor: string
  readonly endpoint: Endpoint
  readonly headers: Readonly<Record<string, string>>
  readonly patience?: Patience
}

const MOST_ANSWER_BYTES = 64 * 1024 * 1024
/** Our own deadlines hold for whole legs. A transcription may well be silent for minutes. */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } })

export function createClient({ vendor, endpoint, headers, patience = USUAL_PATIENCE }: ClientOptions): VendorClient {
  const attempt = (leg: Leg, signal: AbortSignal) => {
    const { url, isVendors } = address(vendor, endpoint.baseUrl, leg)
    const all = { ...leg.headers, ...leg.upload?.headers, ...(isVendors ? headers : {}) }
    return exchange({ vendor, secret: endpoint.apiKey, url, leg, headers: all, deadlineMs: leg.deadlineMs ?? patience.legMs }, signal)
  }
  const bytes = async (leg: Leg, signal: AbortSignal): Promise<Buffer> => {
    for (let tries = 1; ; tries++) {
      const { body, failure, pauseMs } = await attempt(leg, signal)
      if (body) return body
      const pause = pauseMs ?? patience.retryMs * 2 ** (tries - 1) * (0.5 + Math.random())
      if (!failure.passing || tries >= patience.tries || pause > patience.longestPauseMs) throw failure
      await waitFor(pause, signal)
    }
  }
  const json = async (leg: Leg, signal: AbortSignal) => readable(vendor, async () => parseJson((await bytes(leg, signal)).toString()))
  return { vendor, patience, json, bytes }
}

/** Runs `read`; what it finds unreadable is the vendor's failure. */
export async function readable<Value>(vendor: string, read: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw new SpeechFailed(`${vendor} gave an answer that cannot be read. ${error.message}`, { passing: false, cause: error })
  }
}

/** Asks again and again until `ask` answers something other than null. */
export async function poll<Value>(
  { vendor, patience }: VendorClient,
  deadlineMs: number,
  ask: () => Promise<Value | null>,
  signal: AbortSignal,
): Promise<Value> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > deadline) throw new SpeechFailed(`${vendor} was not done within ${deadlineMs} ms.`, { passing: true })
    await waitFor(patience.pollMs, signal)
  }
}

function address(vendor: string, baseUrl: string, { path, query = [] }: Leg): { url: URL; isVendors: boolean } {
  const isVendors = path.startsWith('/')
  const url = URL.parse(isVendors ? `${baseUrl.replace(/\/+$/, '')}${path}` : path)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SpeechFailed(`${vendor} cannot be asked at ${path.split('?')[0]}.`, { passing: false })
  for (const [name, value] of query) url.searchParams.append(name, value)
  return { url, isVendors }
}

type Order = {
  readonly vendor: string
  readonly secret: string
  readonly url: URL
  readonly leg: Leg
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
    // Not tried again at once: whoever is this slow would only be slower.
    if (late.aborted) throw new SpeechFailed(`${vendor} did not answer within ${deadlineMs} ms.`, { passing: true, cause: error })
    return {
      body: null,
      failure: new SpeechFailed(`${vendor} could not be reached${codeIn(error)}.`, { passing: true, cause: error }),
      pauseMs: null,
    }
  }
}

async function send({ vendor, secret, url, leg, headers }: Order, signal: AbortSignal): Promise<Outcome> {
  const body = leg.upload?.content() ?? null
  const method = leg.method ?? (body === null ? 'GET' : 'POST')
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
    if (length > MOST_ANSWER_BYTES) throw new SpeechFailed(`${vendor} answered more than ${MOST_ANSWER_BYTES} bytes.`, { passing: false })
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
