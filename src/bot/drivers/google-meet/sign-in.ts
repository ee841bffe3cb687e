// Signs the bot's browser in to Google: our own server is the identity provider, and Google's pages on the way are clicked through.

import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import type { ErrorReason } from '../../../domain/errors.ts'
import type { SignInOrders } from '../../../domain/protocol.ts'
import { Failure } from '../../../kit/failure.ts'
import { firstVisible, linesOf, openSignIn, placeOf, quoted } from '../web-client/sign-in-page.ts'

const WITHIN_MS = 60_000
const LOOK_EVERY_MS = 200
const PRESS_WITHIN_MS = 3_000
const SETTLE_WITHIN_MS = 5_000

/** Cookies that Google sets when the account is signed in. */
const SESSION_COOKIES = ['SID', 'HSID', 'SSID', 'APISID', 'SAPISID']
const GOOGLE = /(^|\.)google\.com$/

type SamlSession = Extract<SignInOrders, { kind: 'saml_session' }>

export type SignInProblem = { readonly reason: ErrorReason; readonly message: string }

/** Null: the browser is signed in, and the page may be anywhere at Google. Throws on abort, or when the page dies. */
export async function signIn(page: Page, orders: SamlSession, signal: AbortSignal): Promise<SignInProblem | null> {
  const deadline = performance.now() + WITHIN_MS
  const problem = await openSignIn(page, orders.sessionUrl, 'Google')
  if (problem) return failed(orders, problem)
  const pressed = new Set<string>()
  while (performance.now() < deadline) {
    if (signal.aborted) throw new Failure('sign_in_stopped', 'The sign-in was interrupted', { cause: signal.reason })
    if (await isSignedIn(page)) {
      // The last redirects still set cookies. Navigating too early would lose them.
      await page.waitForLoadState('load', { timeout: SETTLE_WITHIN_MS }).catch(() => undefined)
      return null
    }
    const obstacle = await obstacleOn(page, orders)
    if (obstacle) return failed(orders, obstacle)
    await pressOn(page, orders, pressed)
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
  return failed(orders, `Google did not finish within ${WITHIN_MS / 1000} s; the last page was ${placeOf(page)}`)
}

function failed({ email }: SamlSession, message: string): SignInProblem {
  return { reason: 'LoginFailed', message: `${email} could not be signed in: ${message}` }
}

async function isSignedIn(page: Page): Promise<boolean> {
  if (isAt(page, /\/speedbump\//)) return false
  const cookies = await page.context().cookies('https://accounts.google.com')
  const missing = SESSION_COOKIES.filter((name) => !cookies.some((cookie) => cookie.name === name && cookie.value !== ''))
  // Only signed-in accounts reach this page.
  return missing.length === 0 || (hostOf(page) === 'myaccount.google.com' && !missing.includes('SID'))
}

type Obstacle = {
  /** The path of the page, where it identifies the problem. */
  readonly at?: RegExp
  /** A line of the page. */
  readonly says?: RegExp
  readonly message: (line: string, orders: SamlSession) => string
}

/** The most specific first. */
const OBSTACLES: readonly Obstacle[] = [
  { at: /\/challenge\/pwd/, message: asksForPassword },
  {
    at: /\/challenge\//,
    message: (line) => `Google wants another proof of who it is${quoted(line)}; switch 2-step verification off for it`,
  },
  { says: /single sign-on/i, message: (line, { domain }) => `Google knows of no single sign-on for ${domain}${quoted(line)}` },
  { says: /cannot be accessed because|required response parameter/i, message: (line) => `Google did not accept our answer${quoted(line)}` },
  { says: /couldn.t find your google account/i, message: (line) => `Google does not know the address${quoted(line)}` },
  { says: /couldn.t sign you in|may not be secure/i, message: (line) => `Google refused it${quoted(line)}` },
  { says: /account (is|has been|was) (disabled|suspended|deleted)/i, message: (line) => `the account cannot be used${quoted(line)}` },
  { at: /\/rejected/, message: (line) => `Google refused it${quoted(line)}` },
]

async function obstacleOn(page: Page, orders: SamlSession): Promise<string | null> {
  const lines = await linesOf(page)
  if (page.url().startsWith(new URL(orders.sessionUrl).origin)) return lines[0] === 'Sign-in failed' ? lines.slice(1).join(' ') : null
  if (!GOOGLE.test(hostOf(page))) return null
  for (const { at, says, message } of OBSTACLES) {
    const line = lines.find((it) => says?.test(it))
    if (line !== undefined || (at && isAt(page, at))) return message(line ?? lines[0] ?? '', orders)
  }
  const passwords = await page
    .locator('input[type="password"]:visible')
    .count()
    .catch(() => 0)
  return passwords > 0 ? asksForPassword('', orders) : null
}

function asksForPassword(_line: string, { email }: SamlSession): string {
  return `Google asks for a password, so single sign-on is not on for ${email}`
}

type Step = {
  readonly at?: RegExp
  /** In order of trust. */
  readonly press: readonly ((page: Page) => Locator)[]
  readonly fill?: string
}

const named = (name: RegExp) => (page: Page) => page.getByRole('button', { name })
const selected = (selector: string) => (page: Page) => page.locator(selector)

const STEPS: readonly Step[] = [
  { fill: 'input[type="email"], input#identifierId', press: [named(/^next$/i), selected('#identifierNext button')] },
  // Shown once to every new browser of an organisation's account.
  { at: /\/speedbump\/samlconfirmaccount/, press: [named(/^continue$/i), selected('#confirm'), selected('button[jsname="LgbsSe"]')] },
  // Offers of a passkey, a phone number and the like.
  { at: /\/(speedbump|signinoptions)\//, press: [named(/^(not now|skip|cancel)$/i)] },
]

/** Answers the page. Each answer is given once: a page that comes again has rejected it. */
async function pressOn(page: Page, { email }: SamlSession, pressed: Set<string>): Promise<void> {
  const here = page.url()
  if (pressed.has(here) || hostOf(page) !== 'accounts.google.com') return
  const found = await stepOn(page)
  if (!found) return
  try {
    await found.field?.fill(email, { timeout: PRESS_WITHIN_MS })
    await found.button.click({ timeout: PRESS_WITHIN_MS, noWaitAfter: true })
    pressed.add(here)
  } catch (error) {
    // The page was closing or covered: it is read again.
    if (page.isClosed()) throw error
  }
}

async function stepOn(page: Page): Promise<{ readonly field: Locator | null; readonly button: Locator } | null> {
  for (const { at, fill, press } of STEPS) {
    if (at && !isAt(page, at)) continue
    const field = fill ? await firstVisible([selected(fill)], page) : null
    const button = fill && !field ? null : await firstVisible(press, page)
    if (button) return { field, button }
  }
  return null
}

const isAt = (page: Page, pattern: RegExp) => GOOGLE.test(hostOf(page)) && pattern.test(new URL(page.url()).pathname)

function hostOf(page: Page): string {
  return URL.canParse(page.url()) ? new URL(page.url()).hostname : ''
}
