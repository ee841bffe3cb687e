import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Tab } from './tab.ts'
import type { PlatformTables } from './tables.ts'

const AN_HOUR_MS = 3_600_000
const never = new AbortController().signal

/** A tab whose page shows nothing. */
function emptyTab(more: Partial<ConstructorParameters<typeof Tab>[0]> = {}): Tab {
  const page = { mainFrame: () => ({ evaluate: async () => null }), url: () => 'about:blank' } as unknown as Page
  const tables = { notices: { door: [], waiting: [], call: [] } } as Partial<PlatformTables> as PlatformTables
  return new Tab({ page, global: 'client', tables, isGone: () => false, ...more })
}

test('a rest ends when the tab is woken, whoever else is resting', async () => {
  const tab = emptyTab()
  const rests = [tab.rest(never, AN_HOUR_MS), tab.rest(never, AN_HOUR_MS)]
  tab.wake()
  await Promise.all(rests)
})

test('a tab that was woken after its last look does not rest', async () => {
  const tab = emptyTab()
  await tab.look()
  tab.wake()
  await tab.rest(never, AN_HOUR_MS)
})

test('a look serves every call to wake before it', async () => {
  const tab = emptyTab()
  tab.wake()
  await tab.look()
  const stop = new AbortController()
  let isOver = false
  const rest = tab.rest(stop.signal, AN_HOUR_MS).then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  stop.abort()
  await rest
})

test('the screen that a page publishes is taken without a look, but not from a page that died', async () => {
  let isGone = false
  const tab = emptyTab({ isGone: () => isGone, published: () => 'inside' })
  expect((await tab.see('door')).screen).toBe('inside')
  isGone = true
  await expect(tab.see('door')).rejects.toThrow('The page died')
})
