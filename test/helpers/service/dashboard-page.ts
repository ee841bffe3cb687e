// The dashboard in a real browser: collects every problem of a page, and checks its accessibility.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

export type Watched = { readonly page: Page; readonly problems: readonly string[] }

/** Problems are script errors, policy violations in the console, and answers from 500 on. */
export async function openPage(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  // Expected errors: a signed-out page asks once for its session, and some tests go offline.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 40[14]|ERR_INTERNET_DISCONNECTED/.test(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('response', (response) => response.status() >= 500 && problems.push(`${response.status()} ${response.url()}`))
  return { page, problems }
}

type Finding = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] }

/** Runs in an isolated world, because the page's policy would block it. */
export async function judgeAccess(page: Page, where: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const evaluate = (expression: string) => session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
  await evaluate(axe.source)
  const { result } = await evaluate('axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)')
  const findings = result.value as readonly Finding[]
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(serious.map(({ id, nodes }) => `${where}: ${id} ${nodes[0]?.html}`)).toEqual([])
  await session.detach()
}

export async function judgeWidth(page: Page, where: string): Promise<void> {
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
  expect(isTooWide, `${where} scrolls sideways`).toBe(false)
}
