// How fast events reach a thousand receivers of which a tenth hang: a burst that is due at once, and a steady stream of real bots.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { coresBetween, loadNow, spentBy } from '../harness/machine.ts'
import { atLeast, atMost, none, type Report } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { spreadOf } from '../harness/statistics.ts'
import { linkWithoutDriver, noneDriven, WITHOUT_BROWSERS } from '../harness/without-driver.ts'
import type { BenchOptions } from '../options.ts'
import type { FromReceivers, Receipt, Receiver, ReceiversOrder } from './receivers-process.ts'
import { botsLike, countUnderWay, type Expected, expectedOf, queueBurst } from './rows.ts'

const RECEIVERS = fileURLToPath(new URL('receivers-process.ts', import.meta.url))
/** Most receivers have their own origin. Some are paths of one large provider. */
const ORDER: ReceiversOrder = { own: 800, shared: 4, pathsEach: 50, hangsEvery: 10 }
const BURST = { botsEach: 2, eventsEach: 5 }
const BURST_WITHIN_MS = 90_000
/** With three events per bot: about 200 events per second. */
const BOTS_PER_SECOND = 67
const STEADY_SECONDS = 20
const ARRIVED_WITHIN_MS = 30_000

type Hooks = { readonly all: readonly Receiver[]; readonly receipts: readonly Receipt[]; readonly close: () => void }

export function webhooks(options: BenchOptions): Promise<Report> {
  return withServer({ ...options, settings: WITHOUT_BROWSERS }, async (server) => {
    const hooks = await openHooks()
    try {
      return await measure(server, hooks)
    } finally {
      hooks.close()
    }
  })
}

async function measure(server: BenchServer, hooks: Hooks): Promise<Report> {
  const before = loadNow()
  const healthy = new Map(hooks.all.filter(({ hangs }) => !hangs).map((receiver) => [receiver.url, receiver]))
  const burst = await burstOf(server, hooks, healthy)
  const steady = await steadyOf(server, hooks, healthy)
  const wrong = (key: 'missing' | 'repeated' | 'disordered') => burst.received[key] + steady.received[key]
  return {
    figures: {
      burst: { [`${burst.due} due at once`]: burst.row },
      'steady, ms from event to receipt': steady.rows,
      'steady load': { 'real create_bot calls': steady.load },
      'received by healthy receivers': { burst: burst.received, steady: steady.received },
      hanging: { receivers: { count: hooks.all.length - healthy.size, 'requests they hold or held': steady.hung } },
      machine: { before, after: loadNow() },
    },
    budgets: [
      atLeast('delivered a second, burst', burst.row['per s'], 500, '/s'),
      atMost('event to healthy receiver, p50', steady.rows['all events'].p50, 50, ' ms'),
      none('missing at healthy receivers', wrong('missing')),
      none('repeated at healthy receivers', wrong('repeated')),
      none('out of order for a bot', wrong('disordered')),
      await noneDriven(server.db),
    ],
  }
}

async function openHooks(): Promise<Hooks> {
  const child = fork(RECEIVERS, { serialization: 'advanced' })
  child.send(ORDER)
  const [first] = (await once(child, 'message')) as [FromReceivers]
  const receipts: Receipt[] = []
  child.on('message', (message: FromReceivers) => {
    if ('receipts' in message) receipts.push(...message.receipts)
  })
  return { all: 'receivers' in first ? first.receivers : [], receipts, close: () => child.disconnect() }
}

async function burstOf(server: BenchServer, hooks: Hooks, healthy: ReadonlyMap<string, Receiver>) {
  await create(server, {})
  await untilIdle(server)
  const due = hooks.all.length * BURST.botsEach * BURST.eventsEach
  const wanted = healthy.size * BURST.botsEach * BURST.eventsEach
  console.error(`burst: ${due} deliveries`)
  const spentBefore = spentBy(server)
  await queueBurst(server.db, hooks.all, BURST)
  await waitFor(() => hooks.receipts.filter(({ url }) => healthy.has(url)).length >= wanted, BURST_WITHIN_MS)
  const cores = coresBetween(spentBefore, spentBy(server))
  await delay(1_000) // A duplicate would arrive now.
  const arrived = hooks.receipts.filter(({ url }) => healthy.has(url)).map(({ at }) => at)
  const first = arrived.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  const last = arrived.reduce((most, at) => Math.max(most, at), 0)
  const seconds = (last - first) / 1_000
  const received = compare(await expectedOf(server.db, await botsLike(server.db, 'bot_burst%')), hooks.receipts, healthy)
  const row = {
    delivered: arrived.length,
    seconds,
    'per s': arrived.length / seconds,
    'service cores': cores.service,
    'database cores': cores.database,
    'all cores': cores.machine,
  }
  return { due, row, received }
}

async function steadyOf(server: BenchServer, hooks: Hooks, healthy: ReadonlyMap<string, Receiver>) {
  console.error(`steady: ${BOTS_PER_SECOND} bots a second for ${STEADY_SECONDS} s`)
  const from = hooks.receipts.length
  const spentBefore = spentBy(server)
  const bots = await createSteadily(server, hooks.all)
  const cores = coresBetween(spentBefore, spentBy(server))
  await untilIdle(server)
  const expected = await expectedOf(server.db, bots)
  const wanted = expected.filter(({ url }) => healthy.has(url)).reduce((sum, { eventIds }) => sum + eventIds.length, 0)
  const ours = new Set(bots)
  const receipts = () => hooks.receipts.slice(from).filter(({ botId, url }) => ours.has(botId) && healthy.has(url))
  await waitFor(() => receipts().length >= wanted, ARRIVED_WITHIN_MS)
  await delay(1_000) // A duplicate would arrive now.
  const place = new Map(expected.flatMap(({ eventIds }) => eventIds.map((id, index) => [id, index + 1] as const)))
  const arrived = receipts()
  const spread = (keep: (receipt: Receipt) => boolean) => spreadOf(arrived.filter(keep).map(({ at, sentAt }) => at - sentAt))
  const places = [...new Set(arrived.map(({ eventId }) => place.get(eventId) ?? 0))].sort()
  const rows = {
    'all events': spread(() => true),
    ...Object.fromEntries(places.map((it) => [`event ${it} of its bot`, spread(({ eventId }) => place.get(eventId) === it)])),
    'own origin': spread(({ url }) => !healthy.get(url)?.sharesOrigin),
    'shared origin': spread(({ url }) => healthy.get(url)?.sharesOrigin === true),
  }
  const load = {
    bots: bots.length,
    events: place.size,
    'events per s': place.size / STEADY_SECONDS,
    'service cores': cores.service,
    'database cores': cores.database,
    'all cores': cores.machine,
  }
  const hung = hooks.receipts.filter(({ url }) => !healthy.has(url)).length
  return { rows, load, received: compare(expected, hooks.receipts, healthy), hung }
}

/** At a fixed rate, whether or not the service keeps up. */
async function createSteadily(server: BenchServer, receivers: readonly Receiver[]): Promise<string[]> {
  const startedAt = performance.now()
  const creations: Promise<string>[] = []
  for (let index = 0; index < BOTS_PER_SECOND * STEADY_SECONDS; index++) {
    await delay(Math.max(0, startedAt + (index * 1_000) / BOTS_PER_SECOND - performance.now()))
    creations.push(create(server, { callback_url: receivers[(index * 7) % receivers.length]?.url }))
  }
  return Promise.all(creations)
}

const pools = new Map<string, Pool>()

async function create({ url, apiKey }: BenchServer, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const pool = pools.get(url) ?? new Pool(url, { connections: 32 })
  pools.set(url, pool)
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/api/v1/bots/create_bot',
    headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ meeting_link: linkWithoutDriver(0), custom_attributes: { tag: 'tag-1' }, ...fields }),
  })
  const text = await body.text()
  if (statusCode !== 201) throw new Error(`bench: create_bot answered ${statusCode}: ${text}`)
  return (JSON.parse(text) as { bot_id: string }).bot_id
}

/** Missing, repeated and disordered events, over all bots of healthy receivers. */
function compare(expected: readonly Expected[], receipts: readonly Receipt[], healthy: ReadonlyMap<string, Receiver>) {
  const receivedOf = Map.groupBy(
    [...receipts].sort((a, b) => a.at - b.at),
    ({ botId }) => botId,
  )
  const counts = { bots: 0, events: 0, missing: 0, repeated: 0, disordered: 0 }
  for (const { botId, url, eventIds } of expected.filter(({ url }) => healthy.has(url))) {
    const received = (receivedOf.get(botId) ?? []).filter((receipt) => receipt.url === url).map(({ eventId }) => eventId)
    const distinct = [...new Set(received)]
    // An event that was written after the outbox was read is not out of order.
    const known = distinct.filter((id) => eventIds.includes(id))
    counts.bots += 1
    counts.events += eventIds.length
    counts.missing += eventIds.filter((id) => !distinct.includes(id)).length
    counts.repeated += received.length - distinct.length
    counts.disordered += String(known) === String(eventIds.filter((id) => known.includes(id))) ? 0 : 1
  }
  return counts
}

/** Waits until the bots have ended, because their receivers lack events that are still being written. */
async function untilIdle({ db }: BenchServer): Promise<void> {
  const deadline = performance.now() + ARRIVED_WITHIN_MS
  while ((await countUnderWay(db)) > 0) {
    if (performance.now() > deadline) throw new Error(`bench: bots were still joining after ${ARRIVED_WITHIN_MS / 1_000} s`)
    await delay(100)
  }
}

async function waitFor(done: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!done() && performance.now() < deadline) await delay(100)
}
