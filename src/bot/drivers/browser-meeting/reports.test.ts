// How page code reports to the driver: by a hidden function, and without Playwright's names in the page's globals.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Frame } from 'playwright-core'
import { afterEach, expect, test, vi } from 'vitest'
import { hidden, hide } from '../../worker/page/hidden.ts'
import { hiddenObject } from '../../worker/page-bundle.ts'
import { PLAYWRIGHT_NAMES, reporter, startReports } from './page/hidden-binding.ts'
import { receiveReports } from './reports.ts'

afterEach(() => void vi.unstubAllGlobals())

function openPage(globals: object = {}): EventTarget {
  const page = Object.assign(new EventTarget(), globals)
  vi.stubGlobal('window', page)
  return page
}

test('takes the binding and Playwright’s names out of the globals, and sends each report with the name of its function', () => {
  const sent: string[] = []
  const send = (text: string) => sent.push(text)
  const page = openPage({ bound: () => undefined, __playwright__binding__: send, __playwright__binding__controller__: {} })
  startReports('bound', ['reports', 'witness'])
  expect(Reflect.ownKeys(page).filter((name) => typeof name === 'string')).toEqual([])
  reporter('reports')({ kind: 'sync', data: 'AAEC' })
  reporter('witness')({ kind: 'sent' })
  expect(sent.map((text) => JSON.parse(text))).toEqual([
    { name: 'bound', seq: 0, serializedArgs: ['["reports",{"kind":"sync","data":"AAEC"}]'] },
    { name: 'bound', seq: 0, serializedArgs: ['["witness",{"kind":"sent"}]'] },
  ])
})

test('gives each report to the receiver of its function', async () => {
  let binding: (source: { readonly frame: Frame }, text: string) => void = () => undefined
  const context = {
    exposeBinding: async (_name: string, bound: typeof binding) => {
      binding = bound
    },
    addInitScript: async () => undefined,
  } as unknown as BrowserContext
  const frame = {} as Frame
  const [driver, witness] = [vi.fn(), vi.fn()]
  await receiveReports(context, { driver, witness })
  binding({ frame }, '["witness",{"kind":"sent"}]')
  expect(witness.mock.calls).toEqual([[{ kind: 'sent' }, frame]])
  expect(driver).not.toHaveBeenCalled()
})

test('fails in a page to which Playwright gave no binding', () => {
  openPage({ __playwright__another__: () => undefined })
  expect(() => startReports('bound', ['reports'])).toThrow('no binding')
})

test('knows the names by which the installed Playwright binds functions', () => {
  const playwright = readFileSync(join(import.meta.dirname, '../../../../node_modules/playwright-core/lib/coreBundle.js'), 'utf8')
  for (const name of PLAYWRIGHT_NAMES) expect(playwright.includes(`"${name}"`), name).toBe(true)
})

test('reports nothing in a page without a driver', () => {
  openPage()
  expect(() => reporter('absent')({ kind: 'sync' })).not.toThrow()
})

test('gives a hidden object to the expression with its name, and keeps it from other listeners', () => {
  const object = { look: () => 'seen' }
  hide('secret', object)
  const received = vi.fn()
  performance.addEventListener('secret', received)
  // biome-ignore lint/security/noGlobalEval: the driver evaluates it in the page.
  expect(globalThis.eval(hiddenObject('secret'))).toBe(object)
  expect(hidden('another')).toBeUndefined()
  expect(received).not.toHaveBeenCalled()
})

test('gives a hidden object only to events that have a place for it', () => {
  hide('plain', {})
  const event = new CustomEvent('plain')
  performance.dispatchEvent(event)
  expect(event.detail).toBeNull()
})

test('keeps the names of hidden objects from a page that replaces how events are sent', () => {
  hide('kept', {})
  const dispatched = vi.spyOn(EventTarget.prototype, 'dispatchEvent')
  expect(hidden('kept')).toEqual({})
  expect(dispatched).not.toHaveBeenCalled()
  dispatched.mockRestore()
})
