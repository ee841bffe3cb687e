import { expect, test } from 'vitest'
import { backoffMs, retry, retryAfterMs } from './retry.ts'

const SCHEDULE = { attempts: 3, firstMs: 10, longestMs: 1_000 }

/** Work that fails so many times before it succeeds, and counts its attempts. */
function failing(times: number) {
  let attempts = 0
  const work = async () => {
    attempts += 1
    if (attempts <= times) throw new Error(`failure ${attempts}`)
    return 'done'
  }
  return { work, attempts: () => attempts }
}

test('returns the result of the first attempt that succeeds', async () => {
  const { work, attempts } = failing(2)
  expect(await retry(SCHEDULE, work, { again: () => true, random: () => 0 })).toBe('done')
  expect(attempts()).toBe(3)
})

test('rejects with the last error after the last attempt', async () => {
  const { work } = failing(3)
  await expect(retry(SCHEDULE, work, { again: () => true, random: () => 0 })).rejects.toThrow('failure 3')
})

test('does not repeat work whose error is not worth another attempt', async () => {
  const { work, attempts } = failing(1)
  await expect(retry(SCHEDULE, work, { again: () => false, random: () => 0 })).rejects.toThrow('failure 1')
  expect(attempts()).toBe(1)
})

test('waits at least as long as the error asks', async () => {
  const { work } = failing(1)
  const startedAt = performance.now()
  await retry(SCHEDULE, work, { again: () => 100, random: () => 0 })
  expect(performance.now() - startedAt).toBeGreaterThan(95)
})

test('rejects at once if the error asks for a longer pause than the schedule allows', async () => {
  const { work, attempts } = failing(1)
  await expect(retry(SCHEDULE, work, { again: () => 1_001, random: () => 0 })).rejects.toThrow('failure 1')
  expect(attempts()).toBe(1)
})

test('ends the pause with the reason of the signal', async () => {
  const { work, attempts } = failing(1)
  const stop = new AbortController()
  const again = () => {
    setImmediate(() => stop.abort(new Error('stopped')))
    return 1_000
  }
  await expect(retry(SCHEDULE, work, { again, random: () => 0, signal: stop.signal })).rejects.toThrow('stopped')
  expect(attempts()).toBe(1)
})

test('doubles the pauses up to the longest, of which half is random', () => {
  const pauses = (random: number) => [1, 2, 3, 4].map((failures) => backoffMs({ firstMs: 10, longestMs: 40 }, failures, () => random))
  expect([pauses(0), pauses(1)]).toEqual([
    [5, 10, 20, 20],
    [10, 20, 40, 40],
  ])
})

test.each([
  ['3', 3_000],
  ['Thu, 01 Jan 1970 00:01:05 GMT', 5_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', null],
  [null, null],
])('reads the Retry-After %j', (header, ms) => expect(retryAfterMs(header, new Date(60_000))).toBe(ms))
