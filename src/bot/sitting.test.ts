import { expect, test } from 'vitest'
import { specFor } from '../../test/helpers/fleet.ts'
import type { BotId } from '../domain/bot.ts'
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import { Failure } from '../kit/failure.ts'
import type { Condition, LastReport, Seat } from './seat.ts'
import { Sitting } from './sitting.ts'

const CLAIM = { botId: 'bot_1' as BotId, fence: 3 }
const ORDERS: BotOrders = {
  ...{ ...CLAIM, spec: specFor('https://meet.google.com/abc-defg-hij'), folder: '/nowhere', allowPrivateUrls: false, customAttributes: {} },
  ...{ isGreeted: false, words: null, signIn: null, sdkFolder: null, tables: null, voice: null },
}

/** A seat whose session ends when the test says so, on a clock moved by hand. */
function bench() {
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
    drop: async () => void left.push('dropped'),
    sit: (signal) => {
      signal.addEventListener('abort', () => left.push(String(signal.reason)))
      return new Promise((resolve) => {
        end = resolve
      })
    },
  }
  const sitting = new Sitting({
    ...{ orders: ORDERS, report: (report) => void reports.push(report), holdUntilMs: 7_000, nowMs: () => nowMs },
    onStartFailed: () => undefined,
    async openSeat(report) {
      reportFrom = report
      return seat
    },
  })
  return {
    ...{ sitting, reports, left },
    seated: () => Promise.resolve(),
    pass: (ms: number) => (nowMs += ms),
    become: (it: Condition) => (condition = it),
    say: (report: FromHost) => reportFrom(report),
    finish: async (last: LastReport = { kind: 'finished', ...CLAIM }) => {
      end(last)
      await sitting.done
    },
  }
}

test('counts as alive while its page is well, and for a short while after it broke', async () => {
  const { sitting, seated, pass, become } = bench()
  await seated()
  pass(3_600_000)
  expect(sitting.isAlive()).toBe(true)
  become('broken')
  expect(sitting.isAlive()).toBe(true)
  pass(7_000)
  expect(sitting.isAlive()).toBe(false)
})

test('is given longer for leaving than for a broken page', async () => {
  const { sitting, seated, pass, become } = bench()
  await seated()
  become('leaving')
  expect(sitting.isAlive()).toBe(true)
  pass(20_000)
  expect(sitting.isAlive()).toBe(true)
  pass(10_000)
  expect(sitting.isAlive()).toBe(false)
})

test('reports a lost session after a drop, whatever its session says of its end', async () => {
  const { sitting, reports, left, seated, say, finish } = bench()
  await seated()
  await sitting.drop('DatabaseUnreachable')
  await sitting.drop('DatabaseUnreachable')
  say({ kind: 'moved', ...CLAIM, by: 'leaving', at: 0 })
  say({ kind: 'moved', ...CLAIM, by: 'left', at: 0 })
  await finish()
  expect(left).toEqual(['DatabaseUnreachable', 'dropped'])
  expect(reports).toEqual([{ kind: 'lost', ...CLAIM, reason: 'DatabaseUnreachable', at: expect.any(Number) }])
})

test('does not blame a bot for a browser that it shared', async () => {
  const { sitting, reports, seated, finish } = bench()
  await seated()
  sitting.blameNeighbour()
  await finish({ kind: 'lost', ...CLAIM, reason: 'BrowserCrashed', at: 0 })
  expect(reports).toMatchObject([{ kind: 'lost', reason: 'NeighbourCrashed' }])
})

test('a seat that cannot be opened is a lost session with evidence', async () => {
  const reports: FromHost[] = []
  const tools = { orders: ORDERS, report: (report: FromHost) => void reports.push(report), holdUntilMs: 0, nowMs: () => 0 }
  await new Sitting({
    ...tools,
    openSeat: () => Promise.reject(new Failure('no_browser', 'No Chromium was found')),
    onStartFailed: () => undefined,
  }).done
  expect(reports).toMatchObject([
    { kind: 'failed', step: 'start', message: 'No Chromium was found' },
    { kind: 'lost', reason: 'WorkerLost' },
  ])
})
