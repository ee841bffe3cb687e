import { expect, test, vi } from 'vitest'
import { startLoop } from './loop.ts'

const HOUR_MS = 3_600_000
const nobody = (error: unknown): void => {
  throw error
}

test('works at once, then when woken, one piece at a time', async () => {
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
    onError: nobody,
    retryMs: HOUR_MS,
  })
  await vi.waitFor(() => expect(done).toBe(1))
  loop.wake()
  loop.wake()
  await vi.waitFor(() => expect(done).toBe(2))
  await loop.stop()
  expect([done, most]).toEqual([2, 1])
})

test('a call while it works is not lost', async () => {
  let done = 0
  const loop = startLoop({
    async work() {
      done += 1
      if (done === 1) loop.wake()
      return HOUR_MS
    },
    onError: nobody,
    retryMs: HOUR_MS,
  })
  await vi.waitFor(() => expect(done).toBe(2))
  await loop.stop()
})

test('work that throws before it returns a promise is tried again', async () => {
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

test('a failure is told, and the work is tried again', async () => {
  const told: unknown[] = []
  let tries = 0
  const loop = startLoop({
    async work() {
      tries += 1
      if (tries === 1) throw new Error('once')
      return HOUR_MS
    },
    onError: (error) => told.push(error),
    retryMs: 1,
  })
  await vi.waitFor(() => expect(tries).toBe(2))
  expect(told).toEqual([new Error('once')])
  await loop.stop()
})

test('stopping waits for the work under way and starts no more', async () => {
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
    onError: nobody,
    retryMs: 1,
  })
  await vi.waitFor(() => expect(started).toBe(true))
  const stopped = loop.stop()
  finish()
  await stopped
  expect(done).toBe(1)
})
