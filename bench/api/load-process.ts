// The load of the `api` bench in its own process: executes one command of its parent, answers with measurements, and exits.
import { once } from 'node:events'
import autocannon from 'autocannon'
import { linkWithoutDriver } from '../harness/without-driver.ts'

export type LoadKind = 'healthz' | 'read' | 'create' | 'schedule'

export type LoadOrder = {
  readonly kind: LoadKind
  readonly url: string
  readonly apiKey: string
  readonly connections: number
  readonly warmUpSeconds: number
  readonly seconds: number
  /** Bots to read. */
  readonly ids: readonly string[]
}

export type LoadResult = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly maxMs: number
  /** Counts warm-up and measurement, like all fields below. */
  readonly answered: number
  readonly failed: number
  /** Bots whose creation was acknowledged. */
  readonly created: readonly string[]
}

const DAY_MS = 24 * 60 * 60_000
const TAGS = 20
const CUSTOMERS = 5_000

const [order] = (await once(process, 'message')) as [LoadOrder]
process.on('disconnect', () => process.exit(1))
const created: string[] = []
let bodies = 0
const warmUp = await fire(order.warmUpSeconds)
const measured = await fire(order.seconds)
const result: LoadResult = {
  perSecond: measured['2xx'] / measured.duration,
  p50: measured.latency.p50,
  p99: measured.latency.p99,
  maxMs: measured.latency.max,
  answered: warmUp['2xx'] + measured['2xx'],
  failed: failuresOf(warmUp) + failuresOf(measured),
  created,
}
process.send?.(result, () => process.exit(0))

function fire(duration: number): Promise<autocannon.Result> {
  const { url, connections } = order
  return new Promise((done, failed) => {
    autocannon({ url, connections, duration, requests: [requestOf(order)] }, (error, result) => (error ? failed(error) : done(result)))
  })
}

function failuresOf({ non2xx, errors, timeouts }: autocannon.Result): number {
  return non2xx + errors + timeouts
}

function requestOf({ kind, apiKey, ids }: LoadOrder): autocannon.Request {
  const headers = { authorization: `Token ${apiKey}` }
  switch (kind) {
    case 'healthz':
      return { method: 'GET', path: '/healthz' }
    case 'read':
      return { method: 'GET', headers, setupRequest: (request) => ({ ...request, path: `/api/v1/bots/${anyOf(ids)}/status` }) }
    case 'create':
    case 'schedule':
      return {
        method: 'POST',
        path: '/api/v1/bots/create_bot',
        headers: { ...headers, 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: nextBody(kind) }),
        onResponse: (status, body) => noteCreated(status, body),
      }
  }
}

/** Every request creates a bot for a different meeting. */
function nextBody(kind: 'create' | 'schedule'): string {
  bodies += 1
  return JSON.stringify({
    meeting_link: linkWithoutDriver(bodies),
    bot_name: `Notes ${bodies}`,
    custom_attributes: {
      tag: `tag-${bodies % TAGS}`,
      count: bodies,
      customer: `customer-${bodies % CUSTOMERS}`,
      enabled: bodies % 2 === 0,
    },
    ...(kind === 'schedule' && { join_at: new Date(Date.now() + 7 * DAY_MS + bodies).toISOString() }),
  })
}

/** Searched without parsing, because this process must be faster than the service. */
function noteCreated(status: number, body: string): void {
  const id = status === 201 ? /"bot_id":"([^"]+)"/.exec(body)?.[1] : undefined
  if (id) created.push(id)
}

function anyOf(ids: readonly string[]): string {
  return ids[Math.floor(Math.random() * ids.length)] ?? ''
}
