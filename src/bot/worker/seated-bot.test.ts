import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ordersFor } from '../../../test/helpers/service/fleet.ts'
import type { BotId } from '../../domain/bot.ts'
import type { FromWorker } from '../../domain/protocol.ts'
import { Failure } from '../../kit/failure.ts'
import type { Condition, LastReport, Seat } from './seat.ts'
import { SeatedBot } from './seated-bot.ts'

const CLAIM = { botId: 'bot_1' as BotId, fence: 3 }
const ORDERS = ordersFor(CLAIM)

/** A bot whose session the test ends, on a clock that the test moves. */
function openBot({ startsAtMs = 0 } = {}) {
  const reports: FromWorker[] = []
  let nowMs = startsAtMs
  let condition: Condition = 'well'
  let end = (_last: LastReport): void => undefined
  let reportFrom = (_report: FromWorker): void => undefined
  const left: string[] = []
  const seat: Seat = {
    perform: async () => null,
    glance: () => ({ levels: [], lines: [] }),
    condition: () => condition,
    isStarved: () => false,
    expectOther: () => undefined,
    drop: async () => void left.push('dropped'),
    sit: (signal) => {
      signal.addEventListener('abort', () => left.push(String(signal.reason)))
      return new Promise((resolve) => {
        end = resolve
      })
    },
  }
  const bot = new SeatedBot({
    orders: ORDERS,
    report: (report) => void reports.push(report),
    holdUntilMs: 7_000,
    nowMs: () => nowMs,
    onStartFailed: () => undefined,
    async openSeat(report) {
      reportFrom = report
      return seat
    },
  })
  return {
    bot,
    reports,
    left,
    seated: () => Promise.resolve(),
    pass: (ms: number) => (nowMs += ms),
    become: (it: Condition) => (condition = it),
    send: (report: FromWorker) => reportFrom(report),
    finish: async (last: LastReport = { kind: 'finished', ...CLAIM }) => {
      end(last)
      await bot.done
    },
  }
}

test('does not attend a meeting if its order is read after the claim has lapsed', async () => {
  const { bot, reports } = openBot({ startsAtMs: 7_001 })
  await bot.done
  expect(bot.seat).toBeNull()
  expect(reports).toMatchObject([{ kind: 'lost', ...CLAIM, reason: 'Paused' }])
})

test('is alive while its page is well, and for six seconds after it breaks', async () => {
  const { bot, seated, pass, become } = openBot()
  await seated()
  pass(3_600_000)
  expect(bot.isAlive()).toBe(true)
  become('broken')
  expect(bot.isAlive()).toBe(true)
  pass(7_000)
  expect(bot.isAlive()).toBe(false)
})

test('is alive for longer while it leaves than with a broken page', async () => {
  const { bot, seated, pass, become } = openBot()
  await seated()
  become('leaving')
  expect(bot.isAlive()).toBe(true)
  pass(20_000)
  expect(bot.isAlive()).toBe(true)
  pass(10_000)
  expect(bot.isAlive()).toBe(false)
})

test('reports a dropped session as lost, and ignores its later reports', async () => {
  const { bot, reports, left, seated, send, finish } = openBot()
  await seated()
  await bot.drop('DatabaseUnreachable')
  await bot.drop('DatabaseUnreachable')
  send({ kind: 'moved', ...CLAIM, by: 'leaving', at: 0 })
  send({ kind: 'moved', ...CLAIM, by: 'left', at: 0 })
  await finish()
  expect(left).toEqual(['DatabaseUnreachable', 'dropped'])
  expect(reports).toEqual([{ kind: 'lost', ...CLAIM, reason: 'DatabaseUnreachable', at: expect.any(Number) }])
})

test('is dropped before its seat is open only when it is out', async () => {
  const out: string[] = []
  const opening = Promise.withResolvers<Seat>()
  const tools = { orders: ORDERS, report: () => undefined, holdUntilMs: 0, nowMs: () => 0, onStartFailed: () => undefined }
  const bot = new SeatedBot({ ...tools, openSeat: () => opening.promise })
  const dropped = bot.drop('DatabaseUnreachable').then(() => out.push('dropped'))
  const sit = async (signal: AbortSignal): Promise<LastReport> => {
    out.push(String(signal.reason))
    return { kind: 'finished', ...CLAIM }
  }
  const unused = {
    perform: async () => null,
    glance: () => ({ levels: [], lines: [] }),
    condition: () => 'well' as const,
    isStarved: () => false,
    expectOther: () => undefined,
  }
  await setImmediate()
  expect(out).toEqual([])
  opening.resolve({ ...unused, drop: async () => undefined, sit })
  await dropped
  expect(out).toEqual(['DatabaseUnreachable', 'dropped'])
})

test('reports NeighbourCrashed for a browser that several bots shared', async () => {
  const { bot, reports, seated, finish } = openBot()
  await seated()
  bot.blameNeighbour()
  await finish({ kind: 'lost', ...CLAIM, reason: 'BrowserCrashed', at: 0 })
  expect(reports).toMatchObject([{ kind: 'lost', reason: 'NeighbourCrashed' }])
})

test('reports a failure and a lost session if the seat cannot be opened', async () => {
  const reports: FromWorker[] = []
  const tools = { orders: ORDERS, report: (report: FromWorker) => void reports.push(report), holdUntilMs: 0, nowMs: () => 0 }
  await new SeatedBot({
    ...tools,
    openSeat: () => Promise.reject(new Failure('no_browser', 'No Chromium was found')),
    onStartFailed: () => undefined,
  }).done
  expect(reports).toMatchObject([
    { kind: 'failed', step: 'start', message: 'No Chromium was found' },
    { kind: 'lost', reason: 'WorkerLost' },
  ])
})
