import type { ElementHandle, Page } from 'playwright-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hide } from '../../worker/page/hidden.ts'
import type { PageRules } from './page-rules.ts'
import { Tab } from './tab.ts'

const AN_HOUR_MS = 3_600_000
const never = new AbortController().signal

/** A tab with an empty page. */
function emptyTab(more: Partial<ConstructorParameters<typeof Tab>[0]> = {}): Tab {
  const page = { mainFrame: () => ({ evaluate: async () => null }), url: () => 'about:blank' } as unknown as Page
  const pageRules = { notices: { door: [], waiting: [], call: [] } } as Partial<PageRules> as PageRules
  return new Tab({ page: () => page, observers: 'client', pageRules, isGone: () => false, ...more })
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

/** A tab whose page runs in this process and has one button. `presses`: how often it was pressed. `disposals`: how often its handle was freed. */
function tabWithButton(observers: string): { readonly tab: Tab; readonly presses: () => number; readonly disposals: () => number } {
  let [presses, disposals] = [0, 0]
  const button = {
    asElement: () => button,
    dispose: async () => void disposals++,
    evaluate: async (work: (it: object, given: unknown) => unknown, given: unknown) => work(button, given),
    click: async () => void presses++,
  }
  const evaluateHandle = async (expression: string): Promise<object> => {
    if (expression.includes('.find(')) return button
    // biome-ignore lint/security/noGlobalEval: an expression for the page.
    const it: object = globalThis.eval(expression)
    return { evaluate: async (work: (...given: unknown[]) => unknown, given: unknown) => work(it, given), dispose: async () => undefined }
  }
  const page = { mainFrame: () => ({ evaluateHandle }), url: () => 'about:blank' } as unknown as Page
  const pageRules = { notices: { door: [], waiting: [], call: [] }, controls: {} } as unknown as PageRules
  return { tab: emptyTab({ page: () => page, pageRules, observers }), presses: () => presses, disposals: () => disposals }
}

test('presses a control that the page-side observers aim at', async () => {
  const { tab, presses } = tabWithButton('pressed')
  hide('pressed', { aim: () => ({ x: 1, y: 1 }), insist: async () => undefined })
  expect(await tab.press('join')).toBe(true)
  expect(presses()).toBe(1)
})

test('frees the handle of a control after a press', async () => {
  const { tab, disposals } = tabWithButton('freed')
  await tab.press('join')
  expect(disposals()).toBe(1)
})

test('reports a press as failed in a page that has lost its observers', async () => {
  const { tab, presses } = tabWithButton('lost')
  expect(await tab.press('join')).toBe(false)
  expect(presses()).toBe(0)
})

test('fails to look at a web page that has lost its observers', async () => {
  const page = { mainFrame: () => ({ evaluate: async () => undefined }), url: () => 'https://meet.example/abc' } as unknown as Page
  await expect(emptyTab({ page: () => page }).look()).rejects.toThrow('removed the code of the bot')
})

test('does not wait for a promise of the page that never settles', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const silent = (): Promise<never> => new Promise(() => undefined)
  const frame = { evaluate: silent, evaluateHandle: silent }
  const tab = emptyTab({ page: () => ({ mainFrame: () => frame, url: () => 'about:blank' }) as unknown as Page })
  const element = { evaluate: silent } as unknown as ElementHandle
  const answers = Promise.allSettled([tab.run('startCaptions()'), tab.pressSeen([]), tab.observe(element, 'aim')])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await answers).toMatchObject([{ value: null }, { value: false }, { reason: { code: 'page_silent' } }])
})

test('looks into the frame of the client where the page around it has text in shadow roots only', async () => {
  const inner = { evaluate: async () => ({ text: 'Enter your name' }), childFrames: () => [] }
  const page = {
    mainFrame: () => ({ evaluate: async () => ({ text: '', shadow: '\nWe use cookies' }) }),
    url: () => 'https://zoom.example/wc',
    $: async () => ({ contentFrame: async () => inner, dispose: async () => undefined }),
  } as unknown as Page
  const pageRules = { frame: 'iframe#webclient' } as unknown as PageRules
  const notices = { door: [], waiting: [], call: [] }
  const facts = await emptyTab({ page: () => page, pageRules: { ...pageRules, notices } }).look(true)
  expect(facts.text).toBe('enter your name\nwe use cookies')
})
