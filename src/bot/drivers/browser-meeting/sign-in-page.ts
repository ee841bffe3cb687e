// Signs the bot's browser in on the pages of a company: reads each page, ends at an obstacle, and answers until the browser is signed in.
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { Failure } from '../../../kit/failure.ts'

const OPEN_WITHIN_MS = 20_000
const READ_WITHIN_MS = 1_000
const WITHIN_MS = 60_000
const LOOK_EVERY_MS = 200
const PRESS_WITHIN_MS = 3_000
const SETTLE_WITHIN_MS = 5_000

type SignInPages = {
  readonly company: string
  readonly start: string
  /** `given`: the keys of the answers given so far. */
  readonly isSignedIn: (given: ReadonlySet<string>) => boolean | Promise<boolean>
  /** A sentence about what keeps the account out, or null. */
  readonly obstacle: () => Promise<string | null>
  /** The steps that are possible on the current page. */
  readonly steps: () => readonly Step[]
}

/** One answer to a page. Each is given once: a page that comes again has rejected it. */
export type Step = {
  /** Names the answer. Default: the address of the page. */
  readonly key?: string
  /** The path of the page. */
  readonly at?: RegExp
  /** An element that the page must show. It is filled with the text. */
  readonly field?: string
  readonly text?: string
  /** Selectors, or names of buttons, in order of trust. */
  readonly press: Ways
}

type Ways = readonly (string | RegExp)[]

type SignInProblem = { readonly kind: 'unreachable' | 'refused' | 'unfinished'; readonly why: string }

/** Returns null when the browser is signed in; the page may then be anywhere at the company. Throws on abort, or when the page dies. */
export async function followSignIn(page: Page, pages: SignInPages, signal: AbortSignal): Promise<SignInProblem | null> {
  const deadline = performance.now() + WITHIN_MS
  const unreachable = await openSignIn(page, pages.start, pages.company)
  if (unreachable) return { kind: 'unreachable', why: unreachable }
  const given = new Set<string>()
  while (performance.now() < deadline) {
    if (signal.aborted) throw new Failure('sign_in_stopped', 'The sign-in was interrupted', { cause: signal.reason })
    if (await pages.isSignedIn(given)) {
      // The last redirects still set cookies. Navigating too early would lose them.
      await page.waitForLoadState('load', { timeout: SETTLE_WITHIN_MS }).catch(() => undefined)
      return null
    }
    const obstacle = await pages.obstacle()
    if (obstacle) return { kind: 'refused', why: obstacle }
    await answer(page, pages.steps(), given)
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
  return { kind: 'unfinished', why: `within ${WITHIN_MS / 1000} s; the last page was ${placeOf(page)}` }
}

async function answer(page: Page, steps: readonly Step[], given: Set<string>): Promise<void> {
  try {
    const found = await stepOn(page, steps, given)
    if (!found) return
    if (found.text !== undefined) await found.seen?.fill(found.text, { timeout: PRESS_WITHIN_MS })
    await found.button.click({ timeout: PRESS_WITHIN_MS, noWaitAfter: true })
    given.add(found.key)
  } catch (error) {
    // The page was closing or covered: it is read again.
    if (page.isClosed()) throw error
  }
}

async function stepOn(page: Page, steps: readonly Step[], given: ReadonlySet<string>) {
  for (const { key = page.url(), at, field, text, press } of steps) {
    if (given.has(key) || (at && !isAt(page, at))) continue
    const seen = field ? await firstVisible(page, [field]) : null
    const button = field && !seen ? null : await firstVisible(page, press)
    if (button) return { key, seen, text, button }
  }
  return null
}

/** The network problem, or null. */
async function openSignIn(page: Page, url: string, company: string): Promise<string | null> {
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

/** One of `at`, `css` and `says` identifies the problem. */
export type Obstacle = {
  /** The path of the page. */
  readonly at?: RegExp
  /** An element, in any language. */
  readonly css?: string
  /** A line of the page. */
  readonly says?: RegExp
  /** Stands before the quoted line. */
  readonly problem: string
  /** Advice, after the quoted line. */
  readonly cure?: string
  /** False: the line of the page says nothing more. */
  readonly isQuoted?: false
}

/** A sentence about the first obstacle that the page shows, or null. */
export async function obstacleIn(page: Page, obstacles: readonly Obstacle[]): Promise<string | null> {
  const lines = await linesOf(page)
  for (const { problem, cure = '', isQuoted = true, ...signs } of obstacles) {
    const line = await lineAbout(signs, page, lines)
    if (line !== null) return `${problem}${line && isQuoted ? ` (“${line.slice(0, 200)}”)` : ''}${cure}`
  }
  return null
}

/** What the page says about the obstacle. Null where it does not show it. */
async function lineAbout(
  { at, css, says }: Pick<Obstacle, 'at' | 'css' | 'says'>,
  page: Page,
  lines: readonly string[],
): Promise<string | null> {
  if (at) return isAt(page, at) ? (lines[0] ?? '') : null
  if (says) return lines.find((it) => says.test(it)) ?? null
  const element = css ? await firstVisible(page, [css]) : null
  return element && (await element.innerText().catch(() => '')).trim()
}

/** Empty during a navigation. */
export async function linesOf(page: Page): Promise<readonly string[]> {
  const text = await page.innerText('body', { timeout: READ_WITHIN_MS }).catch(() => '')
  return text.split('\n').flatMap((line) => line.trim() || [])
}

const isAt = (page: Page, path: RegExp) => path.test(URL.parse(page.url())?.pathname ?? '')

async function firstVisible(page: Page, ways: Ways): Promise<Locator | null> {
  for (const way of ways) {
    const locator = (typeof way === 'string' ? page.locator(way) : page.getByRole('button', { name: way })).first()
    if (await locator.isVisible()) return locator
  }
  return null
}

/** Without the query and fragment, which may hold a secret. */
function placeOf(page: Page): string {
  const url = URL.parse(page.url())
  return url ? `${url.hostname}${url.pathname}` : 'none'
}
