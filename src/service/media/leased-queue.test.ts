import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../../test/helpers/until.ts'
import { createLog } from '../../kit/log.ts'
import { type LeasedQueue, startLeasedQueue } from './leased-queue.ts'
import { RetryLater } from './retry-later.ts'

type Row = { readonly botId: string; readonly failures: number; readonly unfinished: number; readonly workSeconds: number }
const ROW: Row = { botId: 'bot_1', failures: 0, unfinished: 0, workSeconds: 1 }

/** Claims one row, whose work fails. */
function startQueue(more: Partial<LeasedQueue<Row>>) {
  const log = createLog({ level: 'silent', pretty: false })
  const error = vi.spyOn(log, 'error')
  const rows = [ROW]
  const calls = { delay: vi.fn(async () => undefined), retry: vi.fn(async () => undefined), uncount: vi.fn(async () => undefined) }
  const loop = startLeasedQueue<Row>({
    label: 'recording',
    failureLevel: 'error',
    log,
    lease: { seconds: 60, renewEveryMs: 20_000 },
    atOnce: 1,
    shortSeconds: 60,
    untilDueMs: async () => (rows.length > 0 ? 0 : 1_000),
    claim: async () => rows.shift() ?? null,
    renew: async () => undefined,
    work: () => Promise.reject(new Error('The file is damaged')),
    ...calls,
    retrySeconds: () => null,
    giveUp: async () => undefined,
    giveUpUnfinished: async () => undefined,
    factsOf: ({ botId }) => ({ botId }),
    ...more,
  })
  onTestFinished(() => loop.stop())
  return { error, calls }
}

test('logs an error of the failure path with the id of the bot, and uncounts the claim', async () => {
  const err = new Error('There is no such transition')
  const { error, calls } = startQueue({ giveUp: () => Promise.reject(err) })
  await until('the claim is uncounted', () => calls.uncount.mock.calls.length === 1)
  expect(error).toHaveBeenCalledWith({ err, botId: 'bot_1' }, 'the outcome of a recording could not be written')
})

test('logs an error of the uncounting with the id of the bot', async () => {
  const err = new Error('The column does not exist')
  const { error } = startQueue({ giveUp: () => Promise.reject(new Error('first')), uncount: () => Promise.reject(err) })
  await until('both errors are logged', () => error.mock.calls.length === 3)
  expect(error).toHaveBeenLastCalledWith({ err, botId: 'bot_1' }, 'the outcome of a recording could not be written')
})

test('delays work that asks for a later try, without counting it', async () => {
  const { calls } = startQueue({ work: () => Promise.reject(new RetryLater('The object store failed')) })
  await until('it is delayed', () => calls.delay.mock.calls.length === 1)
  expect(calls.delay).toHaveBeenCalledWith(ROW, 10)
  expect(calls.retry).not.toHaveBeenCalled()
})

test('names a RetryLater in the log by its class', () => {
  expect(new RetryLater('').name).toBe(RetryLater.name)
})

test('keeps a place for short work while long work is in progress', async () => {
  const due = [600, 600, 600, 2, 1].map((workSeconds) => ({ ...ROW, workSeconds }))
  const begun: number[] = []
  const release = Promise.withResolvers<void>()
  startQueue({
    untilDueMs: async () => 0,
    async claim({ mostSeconds }) {
      const index = due.findIndex(({ workSeconds }) => mostSeconds === null || workSeconds <= mostSeconds)
      return index < 0 ? null : (due.splice(index, 1)[0] ?? null)
    },
    async work({ workSeconds }) {
      begun.push(workSeconds)
      if (workSeconds > 60) await release.promise
    },
  })
  await until('both short rows are in work', () => begun.length === 3)
  expect(begun).toEqual([600, 2, 1])
  release.resolve()
  await until('the long rows are in work', () => begun.length === 5)
})
