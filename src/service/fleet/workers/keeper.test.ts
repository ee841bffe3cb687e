// The keeper without a thread: renewals, and what each worker receives of them.
import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../test/helpers/until.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { BotOrders, ToWorker } from '../../../domain/protocol.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import { holdUntil } from '../../leases.ts'
import { Keeper, type KeeperEvent, type OutageOptions } from './keeper.ts'
import type { WorkerLaunch } from './worker-process.ts'

const LAUNCH: WorkerLaunch = { path: '', args: [], options: {} }
const [A, B, C] = ['bot_a', 'bot_b', 'bot_c'] as [BotId, BotId, BotId]
const claim = (botId: BotId): Claim => ({ botId, fence: 1 })

class TestWorker extends EventEmitter {
  readonly pid = 77
  connected = true
  readonly received: ToWorker[] = []

  send(message: ToWorker): void {
    this.received.push(message)
  }

  kill(): void {
    this.emit('exit')
  }

  disconnect(): void {
    this.connected = false
  }
}

type Renew = (claims: readonly Claim[], knows: string | null) => Promise<ReadonlySet<BotId>>

function bench(renew: Renew, outage: OutageOptions | null = null) {
  const clock = { nowMs: 1_000 }
  const workers: TestWorker[] = []
  const events: KeeperEvent[] = []
  const fork = () => {
    const worker = new TestWorker()
    workers.push(worker)
    return worker as unknown as ChildProcess
  }
  const keeper = new Keeper({ renew, outage, fork, onEvent: (event) => events.push(event), nowMs: () => clock.nowMs })
  onTestFinished(() => keeper.stop())
  const attend = (worker: number, botId: BotId) =>
    keeper.receive({ kind: 'send', worker, message: { kind: 'attend', orders: { botId, fence: 1 } as BotOrders, holdUntilMs: 2_000 } })
  const received = (worker: number, kind: ToWorker['kind']) => workers[worker]?.received.filter((it) => it.kind === kind) ?? []
  return { keeper, clock, events, attend, received }
}

test('sends each worker the holds of its own bots', async () => {
  const { keeper, events, attend, received } = bench(async (claims) => new Set(claims.map(({ botId }) => botId)))
  for (const worker of [0, 1]) keeper.receive({ kind: 'start', worker, launch: LAUNCH })
  keeper.receive({ kind: 'claims', claims: [claim(C)] })
  attend(0, A)
  attend(1, B)
  await until('the claims are renewed', () => events.some(({ kind }) => kind === 'renewed'), 5_000)
  expect(received(0, 'hold')).toEqual([{ kind: 'hold', bots: [A], untilMs: holdUntil(1_000) }])
  expect(received(1, 'hold')).toEqual([{ kind: 'hold', bots: [B], untilMs: holdUntil(1_000) }])
  expect(events.find(({ kind }) => kind === 'renewed')).toMatchObject({ claims: [claim(C), claim(A), claim(B)], kept: new Set([C, A, B]) })
})

test('does not hold a bot whose claim was not kept', async () => {
  const { keeper, events, attend, received } = bench(async () => new Set())
  keeper.receive({ kind: 'start', worker: 0, launch: LAUNCH })
  attend(0, A)
  await until('the claims are renewed', () => events.some(({ kind }) => kind === 'renewed'), 5_000)
  expect(received(0, 'hold')).toEqual([])
})

test('forgets a bot of a worker that is no longer named', async () => {
  let renewals = 0
  const { keeper, attend, received } = bench(async () => {
    renewals += 1
    return new Set([A, B])
  })
  keeper.receive({ kind: 'start', worker: 0, launch: LAUNCH })
  attend(0, A)
  attend(0, B)
  await until('both are held', () => received(0, 'hold').length === 1, 5_000)
  keeper.receive({ kind: 'claims', claims: [claim(B)] })
  await until('the claims are renewed again', () => renewals === 2 && received(0, 'hold').length === 2, 5_000)
  expect(received(0, 'hold')).toMatchObject([{ bots: [A, B] }, { bots: [B] }])
})

test('names the database as the reason when a renewal fails', async () => {
  const { keeper, attend, received } = bench(async () => {
    throw new Error('no answer')
  })
  keeper.receive({ kind: 'start', worker: 0, launch: LAUNCH })
  attend(0, A)
  await until('the worker receives the reason', () => received(0, 'not_renewed').length > 0, 5_000)
  expect(received(0, 'not_renewed')[0]).toEqual({ kind: 'not_renewed', reason: 'DatabaseUnreachable' })
})

test('stops renewing for a service that is silent for a minute, and goes on with its next order', async () => {
  let renewals = 0
  const { keeper, clock, received } = bench(async () => {
    renewals += 1
    return new Set()
  })
  keeper.receive({ kind: 'start', worker: 0, launch: LAUNCH })
  await until('the claims are renewed', () => renewals > 0, 5_000)
  clock.nowMs += 60_001
  const before = renewals
  await until('the worker receives the reason', () => received(0, 'not_renewed').length > 0, 5_000)
  expect([received(0, 'not_renewed')[0], renewals]).toEqual([{ kind: 'not_renewed', reason: 'ServiceBusy' }, before])
  keeper.receive({ kind: 'claims', claims: [] })
  await until('the claims are renewed again', () => renewals > before, 5_000)
})

test('reports the exit of a worker once', async () => {
  const { keeper, events } = bench(async () => new Set())
  keeper.receive({ kind: 'start', worker: 0, launch: LAUNCH })
  keeper.receive({ kind: 'kill', worker: 0 })
  keeper.receive({ kind: 'kill', worker: 0 })
  const kinds = events.flatMap((it) => (it.kind === 'worker' ? it.event.kind : []))
  expect(kinds).toEqual(['started', 'exited'])
})

/** A bot whose only renewal has been answered. Time passes by itself from now on. */
async function benchInOutage(promisedMs: () => number, { seconds = 600, knows = 'now' as string | null } = {}) {
  let renewals = 0
  const renew: Renew = async (_, said) => {
    renewals += 1
    expect(said).toBe(knows)
    if (renewals > 1) throw new Error('no answer')
    return new Set([A])
  }
  const opened = bench(renew, { seconds, known: { refresh: async () => knows, promisedMs: async () => promisedMs() } })
  opened.keeper.receive({ kind: 'start', worker: 0, launch: LAUNCH })
  opened.attend(0, A)
  await until('the bot is held', () => opened.received(0, 'hold').length > 0, 5_000)
  const lastHold = () => opened.received(0, 'hold').at(-1)
  return { ...opened, lastHold }
}

test('holds its bots while the known nodes promise to end no lease', async () => {
  const { clock, lastHold } = await benchInOutage(() => 15_000)
  clock.nowMs += 3_000
  await until(
    'the bot is held longer',
    () => JSON.stringify(lastHold()) === JSON.stringify({ kind: 'hold', bots: [A], untilMs: holdUntil(4_000) }),
  )
  clock.nowMs += 3_000
  await until('the bot is held still longer', () => JSON.stringify(lastHold()).includes(String(holdUntil(7_000))))
})

test('holds its bots for no longer than a promise lasts, less the time to leave', async () => {
  const { clock, lastHold } = await benchInOutage(() => 6_000)
  clock.nowMs += 3_000
  await until('the bot is held longer', () => JSON.stringify(lastHold()).includes(String(4_000 + 6_000 - 2_000)))
})

test('holds its bots for no longer than the limit of an outage', async () => {
  const { clock, lastHold } = await benchInOutage(() => 15_000, { seconds: 7 })
  clock.nowMs += 3_000
  await until('the bot is held up to the limit', () => JSON.stringify(lastHold()).includes(String(1_000 + 7_000)))
})

test.each([
  { why: 'one of the known nodes promises nothing', promisedMs: 0, knows: 'now' },
  { why: 'the row of the node does not say which nodes it asks', promisedMs: 15_000, knows: null },
])('does not hold its bots longer if $why', async ({ promisedMs, knows }) => {
  let asked = 0
  const { clock, received, events } = await benchInOutage(
    () => {
      asked += 1
      return promisedMs
    },
    { knows },
  )
  clock.nowMs += 3_000
  const failures = () => events.filter(({ kind }) => kind === 'not_renewed').length
  await until('renewals have failed', () => failures() > 2 && (asked > 1 || knows === null), 10_000)
  expect(received(0, 'hold')).toHaveLength(1)
})
