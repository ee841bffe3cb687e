// The keeper without a thread: renewals, and what each host receives of them.
import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/helpers/until.ts'
import type { BotId } from '../../domain/bot.ts'
import type { BotOrders, ToHost } from '../../domain/protocol.ts'
import type { Claim } from '../db/claims.ts'
import { holdUntil } from '../leases.ts'
import type { HostLaunch } from './host-process.ts'
import { Keeper, type KeeperEvent } from './keeper.ts'

const LAUNCH: HostLaunch = { path: '', args: [], options: {} }
const [A, B, C] = ['bot_a', 'bot_b', 'bot_c'] as [BotId, BotId, BotId]
const claim = (botId: BotId): Claim => ({ botId, fence: 1 })

class TestHost extends EventEmitter {
  readonly pid = 77
  connected = true
  readonly received: ToHost[] = []

  send(message: ToHost): void {
    this.received.push(message)
  }

  kill(): void {
    this.emit('exit')
  }

  disconnect(): void {
    this.connected = false
  }
}

function bench(renew: (claims: readonly Claim[]) => Promise<ReadonlySet<BotId>>) {
  const clock = { nowMs: 1_000 }
  const hosts: TestHost[] = []
  const events: KeeperEvent[] = []
  const fork = () => {
    const host = new TestHost()
    hosts.push(host)
    return host as unknown as ChildProcess
  }
  const keeper = new Keeper({ renew, fork, onEvent: (event) => events.push(event), nowMs: () => clock.nowMs })
  onTestFinished(() => keeper.stop())
  const attend = (host: number, botId: BotId) =>
    keeper.receive({ kind: 'send', host, message: { kind: 'attend', orders: { botId, fence: 1 } as BotOrders, holdUntilMs: 2_000 } })
  const received = (host: number, kind: ToHost['kind']) => hosts[host]?.received.filter((it) => it.kind === kind) ?? []
  return { keeper, clock, events, attend, received }
}

test('sends each host the holds of its own bots', async () => {
  const { keeper, events, attend, received } = bench(async (claims) => new Set(claims.map(({ botId }) => botId)))
  for (const host of [0, 1]) keeper.receive({ kind: 'start', host, launch: LAUNCH })
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
  keeper.receive({ kind: 'start', host: 0, launch: LAUNCH })
  attend(0, A)
  await until('the claims are renewed', () => events.some(({ kind }) => kind === 'renewed'), 5_000)
  expect(received(0, 'hold')).toEqual([])
})

test('forgets a bot of a host that is no longer named', async () => {
  let renewals = 0
  const { keeper, attend, received } = bench(async () => {
    renewals += 1
    return new Set([A, B])
  })
  keeper.receive({ kind: 'start', host: 0, launch: LAUNCH })
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
  keeper.receive({ kind: 'start', host: 0, launch: LAUNCH })
  attend(0, A)
  await until('the host receives the reason', () => received(0, 'not_renewed').length > 0, 5_000)
  expect(received(0, 'not_renewed')[0]).toEqual({ kind: 'not_renewed', reason: 'DatabaseUnreachable' })
})

test('stops renewing for a service that is silent for a minute, and goes on with its next order', async () => {
  let renewals = 0
  const { keeper, clock, received } = bench(async () => {
    renewals += 1
    return new Set()
  })
  keeper.receive({ kind: 'start', host: 0, launch: LAUNCH })
  await until('the claims are renewed', () => renewals > 0, 5_000)
  clock.nowMs += 60_001
  const before = renewals
  await until('the host receives the reason', () => received(0, 'not_renewed').length > 0, 5_000)
  expect([received(0, 'not_renewed')[0], renewals]).toEqual([{ kind: 'not_renewed', reason: 'ServiceBusy' }, before])
  keeper.receive({ kind: 'claims', claims: [] })
  await until('the claims are renewed again', () => renewals > before, 5_000)
})

test('reports the exit of a host once', async () => {
  const { keeper, events } = bench(async () => new Set())
  keeper.receive({ kind: 'start', host: 0, launch: LAUNCH })
  keeper.receive({ kind: 'kill', host: 0 })
  keeper.receive({ kind: 'kill', host: 0 })
  const kinds = events.flatMap((it) => (it.kind === 'host' ? it.event.kind : []))
  expect(kinds).toEqual(['started', 'exited'])
})
