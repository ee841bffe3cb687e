import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Tab } from './tab.ts'
import type { PlatformTables } from './tables.ts'

const AN_HOUR_MS = 3_600_000
const never = new AbortController().signal

/** A tab with an empty page. */
function emptyTab(more: Partial<ConstructorParameters<typeof Tab>[0]> = {}): Tab {
  const page = { mainFrame: () => ({ evaluate: async () => null }), url: () => 'about:blank' } as unknown as Page
  const tables = { notices: { door: [], waiting: [], call: [] } } as Partial<PlatformTables> as PlatformTables
  return new Tab({ page, global: 'client', tables, isGone: () => false, ...more })
}

test('ends every pause when the tab is woken', async () => {
  const tab = emptyTab()
  const rests = [tab.rest(never, AN_HOUR_MS), tab.rest(never, AN_HOUR_MS)]
  tab.wake()
  await Promise.all(rests)
})

test('does not pause if the tab was woken since the last look', async () => {
  const tab = emptyTab()
  await tab.look()
  tab.wake()
  await tab.rest(never, AN_HOUR_MS)
})

test('answers several wakes with one look', async () => {
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

test('uses a published screen without a look at the page, unless the page crashed', async () => {
  let isGone = false
  const tab = emptyTab({ isGone: () => isGone, published: () => 'inside' })
  expect((await tab.see('door')).screen).toBe('inside')
  isGone = true
  await expect(tab.see('door')).rejects.toThrow('The page crashed')
})
