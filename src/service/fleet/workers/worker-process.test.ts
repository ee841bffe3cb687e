// A worker ends with its parent process, also while it is loading.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { forkWorker, launchOf } from './worker-process.ts'

const started: ReturnType<typeof forkWorker>[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

test.each([0, 600])('ends when its parent disconnects %d ms after the start', async (afterMs) => {
  const child = forkWorker(launchOf('worker', { browserMode: 'headless', chromium: undefined, chromiumFlags: [] }))
  started.push(child)
  await delay(afterMs)
  child.disconnect()
  const ended = await Promise.race([once(child, 'exit').then(([code]) => code), delay(15_000, 'still there')])
  // 1: on a busy machine a browser that is still starting does not close within the time to leave.
  expect(ended).toBeOneOf([0, 1])
})
