import { expect, test, vi } from 'vitest'
import { startLoop } from './loop.ts'

const HOUR_MS = 3_600_000
const rethrow = (error: unknown): void => {
  throw error
}

test('runs at once, then when woken, one run at a time', async () => {
  let running = 0
  let most = 0
  let done = 0
  const loop = startLoop({
    async work() {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      done += 1
      return HOUR_MS
    },
    onError: rethrow,
    retryMs: HOUR_MS,
  })
  await vi.waitFor(() => expect(done).toBe(1))
  loop.wake()
  loop.wake()
  await vi.waitFor(() => expect(done).toBe(2))
  await loop.stop()
  expect([done, most]).toEqual([2, 1])
})

test('runs again after a wake during a run', async () => {
  let done = 0
  const loop = startLoop({
    async work() {
      done += 1
      if (done === 1) loop.wake()
      return HOUR_MS
    },
    onError: rethrow,
    retryMs: HOUR_MS,
  })
  await vi.waitFor(() => expect(done).toBe(2))
  await loop.stop()
})

test('retries work that throws synchronously', async () => {
  let tries = 0
  const loop = startLoop({
    work() {
      tries += 1
      if (tries === 1) throw new Error('at once')
      return Promise.resolve(HOUR_MS)
    },
    onError: () => undefined,
    retryMs: 1,
  })
  await vi.waitFor(() => expect(tries).toBe(2))
  await loop.stop()
})

test('reports a failure and retries', async () => {
  const errors: unknown[] = []
  let tries = 0
  const loop = startLoop({
    async work() {
      tries += 1
      if (tries === 1) throw new Error('once')
      return HOUR_MS
    },
    onError: (error) => errors.push(error),
    retryMs: 1,
  })
  await vi.waitFor(() => expect(tries).toBe(2))
  expect(errors).toEqual([new Error('once')])
  await loop.stop()
})

test('waits on stop for the run in progress and starts no other', async () => {
  let finish = (): void => undefined
  let done = 0
  let started = false
  const loop = startLoop({
    async work() {
      started = true
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      done += 1
      return 0
    },
    onError: rethrow,
    retryMs: 1,
  })
  await vi.waitFor(() => expect(started).toBe(true))
  const stopped = loop.stop()
  finish()
  await stopped
  expect(done).toBe(1)
})
