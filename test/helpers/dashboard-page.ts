// The dashboard in a real browser: a page that notes every problem, and judges whether everybody can use it.
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

export type Watched = { readonly page: Page; readonly problems: readonly string[] }

/** Problems are errors of scripts, lines of the policy in the console, and answers of 500 and more. */
export async function openPage(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  // A page that is not signed in asks once whether it is; a test that goes offline means it.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 40[14]|ERR_INTERNET_DISCONNECTED/.test(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('response', (response) => response.status() >= 500 && problems.push(`${response.status()} ${response.url()}`))
  return { page, problems }
}

type Finding = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] }

/** Run from outside the page's policy, which would not let it in. */
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
