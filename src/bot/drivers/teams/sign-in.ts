// Signs the bot's browser in to Microsoft: address, password, and the pages between them and the account.
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { SignInOrders } from '../../../domain/protocol.ts'
import { Failure } from '../../../kit/failure.ts'
import type { Verdict } from '../web-client/patience.ts'
import { firstVisible, linesOf, openSignIn, placeOf, quoted } from '../web-client/sign-in-page.ts'
import { SIGN_IN_HOSTS } from './screens.ts'

const START = 'https://www.office.com/login'
const WITHIN_MS = 60_000
const LOOK_EVERY_MS = 200
const PRESS_WITHIN_MS = 3_000
const SETTLE_WITHIN_MS = 5_000

type Password = Extract<SignInOrders, { kind: 'password' }>

/** Null: the browser is signed in. Throws on abort, or when the page dies. */
export async function signIn(page: Page, orders: Password, signal: AbortSignal): Promise<Verdict | null> {
  const failed = (message: string): Verdict => ({ reason: 'LoginFailed', message: `${orders.email} could not be signed in: ${message}` })
  const deadline = performance.now() + WITHIN_MS
  const problem = await openSignIn(page, START, 'Microsoft')
  if (problem) return { reason: 'ConnectionLost', message: `${orders.email} could not be signed in: ${problem}` }
  const done = new Set<string>()
  while (performance.now() < deadline) {
    if (signal.aborted) throw new Failure('sign_in_stopped', 'The sign-in was interrupted', { cause: signal.reason })
    if (done.has('password') && !isSigningIn(page)) {
      // The last redirects still set cookies. Navigating too early would lose them.
      await page.waitForLoadState('load', { timeout: SETTLE_WITHIN_MS }).catch(() => undefined)
      return null
    }
    const obstacle = await obstacleOn(page)
    if (obstacle) return failed(obstacle)
    await stepOn(page, orders, done)
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
  const message = `Microsoft did not finish signing ${orders.email} in within ${WITHIN_MS / 1000} s; the last page was ${placeOf(page)}`
  // Not known to be the account's fault, so the account stays in use.
  return { reason: 'ConnectionLost', message }
}

/** Also true during a navigation, and while Teams redeems a ticket. */
function isSigningIn(page: Page): boolean {
  const url = URL.parse(page.url())
  return !url || SIGN_IN_HOSTS.includes(url.hostname) || url.pathname === '/login' || url.searchParams.has('ticket')
}

type Obstacle = {
  /** The element that identifies the problem, in any language. */
  readonly css?: string
  /** A line of the page. */
  readonly says?: RegExp
  readonly message: (line: string) => string
}

const SECOND_FACTOR = 'Microsoft wants another proof of who it is'

/** The most specific first. */
const OBSTACLES: readonly Obstacle[] = [
  { says: /temporarily locked|account has been locked/i, message: (line) => `Microsoft has locked the account${quoted(line)}` },
  { css: '#usernameError', message: (line) => `Microsoft does not know the address${quoted(line)}` },
  { css: '#passwordError', message: (line) => `Microsoft did not accept the password${quoted(line)}` },
  { says: /account or password is incorrect/i, message: (line) => `Microsoft did not accept the password${quoted(line)}` },
  {
    css: 'input[name="newpasswd"]',
    message: () => 'Microsoft wants a new password; sign in once by hand, and store the new one',
  },
  {
    css: '#idDiv_SAOTCAS_Title, #idDiv_SAOTCC_Title, input[name="otc"]',
    message: (line) => `${SECOND_FACTOR}${quoted(line)}; switch multi-factor authentication off for it`,
  },
  {
    says: /approve sign in request|verify your identity|enter code/i,
    message: (line) => `${SECOND_FACTOR}${quoted(line)}; switch multi-factor authentication off for it`,
  },
  {
    css: '#ProofUpDescription, #idSubmit_ProofUp_Redirect',
    message: (line) => `Microsoft wants more information about it${quoted(line)}; sign in once by hand, and exempt it from registration`,
  },
  { says: /trouble signing you in|AADSTS\d+/i, message: (line) => `Microsoft refused it${quoted(line)}` },
]

async function obstacleOn(page: Page): Promise<string | null> {
  if (!isSigningIn(page)) return null
  const lines = await linesOf(page)
  for (const { css, says, message } of OBSTACLES) {
    const line = says && lines.find((it) => says.test(it))
    if (line !== undefined) return message(line)
    const element = css ? await firstVisible([(it) => it.locator(css)], page) : null
    if (element) return message((await element.innerText().catch(() => '')).trim())
  }
  return null
}

type Step = { readonly name: string; readonly field?: string; readonly button: string; readonly value?: (orders: Password) => string }

const STEPS: readonly Step[] = [
  { name: 'password', field: 'input[name="passwd"]', button: 'input[type="submit"], #idSIButton9', value: (orders) => orders.password },
  {
    name: 'address',
    field: 'input[name="loginfmt"][type="email"]',
    button: 'input[type="submit"], #idSIButton9',
    value: ({ email }) => email,
  },
  // Otherwise a long meeting may outlive the session.
  { name: 'stay', field: '#KmsiDescription, #KmsiCheckboxField', button: '#idSIButton9' },
]

/** Answers the page. Each answer is given once: a page that comes again has rejected it, and Microsoft locks an account after a few tries. */
async function stepOn(page: Page, orders: Password, done: Set<string>): Promise<void> {
  try {
    for (const { name, field, button, value } of STEPS) {
      const seen = field ? await firstVisible([(it) => it.locator(field)], page) : null
      if (!seen || done.has(name)) continue
      if (value) await seen.fill(value(orders), { timeout: PRESS_WITHIN_MS })
      await page.locator(button).first().click({ timeout: PRESS_WITHIN_MS, noWaitAfter: true })
      done.add(name)
      return
    }
  } catch (error) {
    // The page was closing: it is read again.
    if (page.isClosed()) throw error
  }
}
