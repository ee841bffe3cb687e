// A host ends with its parent process, also while it is loading.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { forkHost, launchOf } from './host-process.ts'

const started: ReturnType<typeof forkHost>[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

test.each([0, 600])('ends when its parent disconnects %d ms after the start', async (afterMs) => {
  const child = forkHost(launchOf('host', { browserMode: 'headless', chromium: undefined, chromiumFlags: [] }))
  started.push(child)
  await delay(afterMs)
  child.disconnect()
  expect(await Promise.race([once(child, 'exit').then(([code]) => code), delay(15_000, 'still there')])).toBe(0)
})
