import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { specFor } from '../../test/helpers/fleet.ts'
import type { BotId } from '../domain/bot.ts'
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import { Failure } from '../kit/failure.ts'
import { HostedBot } from './hosted-bot.ts'
import type { Condition, LastReport, Seat } from './seat.ts'

const CLAIM = { botId: 'bot_1' as BotId, fence: 3 }
const ORDERS: BotOrders = {
  ...{ ...CLAIM, spec: specFor('https://meet.google.com/abc-defg-hij'), folder: '/nowhere', allowPrivateUrls: false, customAttributes: {} },
  ...{ isGreeted: false, words: null, signIn: null, driver: 'google_meet', sdkFolder: null, tables: null, voice: null },
}

/** A bot whose session the test ends, on a clock that the test moves. */
function openBot() {
  const reports: FromHost[] = []
  let nowMs = 0
  let condition: Condition = 'well'
  let end = (_last: LastReport): void => undefined
  let reportFrom = (_report: FromHost): void => undefined
  const left: string[] = []
  const seat: Seat = {
    perform: async () => null,
    glance: () => ({ levels: [], lines: [] }),
    condition: () => condition,
    isStarved: () => false,
    drop: async () => void left.push('dropped'),
    sit: (signal) => {
      signal.addEventListener('abort', () => left.push(String(signal.reason)))
      return new Promise((resolve) => {
        end = resolve
      })
    },
  }
  const bot = new HostedBot({
    ...{ orders: ORDERS, report: (report) => void reports.push(report), holdUntilMs: 7_000, nowMs: () => nowMs },
    onStartFailed: () => undefined,
    async openSeat(report) {
      reportFrom = report
      return seat
    },
  })
  return {
    ...{ bot, reports, left },
    seated: () => Promise.resolve(),
    pass: (ms: number) => (nowMs += ms),
    become: (it: Condition) => (condition = it),
    send: (report: FromHost) => reportFrom(report),
    finish: async (last: LastReport = { kind: 'finished', ...CLAIM }) => {
      end(last)
      await bot.done
    },
  }
}

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
  const bot = new HostedBot({ ...tools, openSeat: () => opening.promise })
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
  const reports: FromHost[] = []
  const tools = { orders: ORDERS, report: (report: FromHost) => void reports.push(report), holdUntilMs: 0, nowMs: () => 0 }
  await new HostedBot({
    ...tools,
    openSeat: () => Promise.reject(new Failure('no_browser', 'No Chromium was found')),
    onStartFailed: () => undefined,
  }).done
  expect(reports).toMatchObject([
    { kind: 'failed', step: 'start', message: 'No Chromium was found' },
    { kind: 'lost', reason: 'WorkerLost' },
  ])
})
