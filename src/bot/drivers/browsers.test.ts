// The browsers of a worker, with programs that are only launched.
import { EventEmitter } from 'node:events'
import type { Browser } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { Browsers } from './browsers.ts'

const launched = vi.hoisted(() => [] as ((browser: Browser) => void)[])
vi.mock('./browser.ts', () => ({ launchBrowser: () => new Promise<Browser>((resolve) => launched.push(resolve)) }))

class FakeBrowser extends EventEmitter {
  async close(): Promise<void> {
    this.emit('disconnected')
  }
}

/** Opens the browser that was launched last. */
async function open(): Promise<FakeBrowser> {
  const browser = new FakeBrowser()
  await vi.waitFor(() => expect(launched).not.toEqual([]))
  for (const resolve of launched.splice(0)) resolve(browser as unknown as Browser)
  return browser
}

function bench() {
  const died: (readonly string[])[] = []
  const options = { mode: 'headless', executable: undefined, flags: [], log: () => undefined } as const
  const browsers = new Browsers<string>({ ...options, onDied: (users) => died.push([...users]) })
  return { browsers, died }
}

test('reports a browser that ends to its users, but not to those who are moving to another one', async () => {
  const { browsers, died } = bench()
  const taken = [browsers.take('headless', 'ann'), browsers.take('headless', 'ben')]
  const old = await open()
  await Promise.all(taken)
  const moved = browsers.replace('headless', 'ann')
  old.emit('disconnected')
  expect(died).toEqual([['ben']])
  const fresh = await open()
  await moved
  fresh.emit('disconnected')
  expect(died).toEqual([['ben'], ['ann']])
})
