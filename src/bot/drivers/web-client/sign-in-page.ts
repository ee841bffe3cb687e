// Helpers for the sign-in pages of any company: opening them, reading them, and pressing the first control that exists.
import type { Locator, Page } from 'playwright-core'

const OPEN_WITHIN_MS = 20_000
const READ_WITHIN_MS = 1_000

/** The network problem, or null. */
export async function openSignIn(page: Page, url: string, company: string): Promise<string | null> {
  try {
    await page.goto(url, { waitUntil: 'commit', timeout: OPEN_WITHIN_MS })
    return null
  } catch (error) {
    const [found] = /net::ERR_\w+|Timeout \d+ms/.exec(String(error)) ?? []
    const code = found?.startsWith('Timeout') ? 'timeout' : found
    // The page redirected by itself before it loaded.
    if (code === 'net::ERR_ABORTED') return null
    if (code) return `the bot’s browser could not reach ${new URL(url).origin} or ${company} (${code})`
    throw error
  }
}

/** Empty during a navigation. */
export async function linesOf(page: Page): Promise<readonly string[]> {
  const text = await page.innerText('body', { timeout: READ_WITHIN_MS }).catch(() => '')
  return text.split('\n').flatMap((line) => line.trim() || [])
}

export async function firstVisible(candidates: readonly ((page: Page) => Locator)[], page: Page): Promise<Locator | null> {
  for (const candidate of candidates) {
    const locator = candidate(page).first()
    if (await locator.isVisible()) return locator
  }
  return null
}

export const quoted = (line: string) => (line ? ` (“${line.slice(0, 200)}”)` : '')

/** Without the query and fragment, which may hold a secret. */
export function placeOf(page: Page): string {
  const url = URL.parse(page.url())
  return url ? `${url.hostname}${url.pathname}` : 'none'
}
