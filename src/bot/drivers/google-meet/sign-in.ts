// Signs the bot's browser in to Google: our own server is the identity provider, and Google's pages on the way are clicked through.
import type { Page } from 'playwright-core'
import type { SignInOrders } from '../../../domain/protocol.ts'
import { hostOf } from '../browser-meeting/facts.ts'
import type { Verdict } from '../browser-meeting/patience.ts'
import { followSignIn, linesOf, type Obstacle, obstacleIn, type Step } from '../browser-meeting/sign-in-page.ts'

/** Cookies that Google sets when the account is signed in. */
const SESSION_COOKIES = ['SID', 'HSID', 'SSID', 'APISID', 'SAPISID']
const GOOGLE = /(^|\.)google\.com$/

type SamlSession = Extract<SignInOrders, { kind: 'saml_session' }>

/** Returns null when the browser is signed in. Throws on abort, or when the page dies. */
export async function signIn(page: Page, orders: SamlSession, signal: AbortSignal): Promise<Verdict | null> {
  const pages = {
    company: 'Google',
    start: orders.sessionUrl,
    isSignedIn: () => isSignedIn(page),
    obstacle: () => obstacleOn(page, orders),
    steps: () => (hostOf(page.url()) === 'accounts.google.com' ? stepsFor(orders) : []),
  }
  const problem = await followSignIn(page, pages, signal)
  if (!problem) return null
  const why = problem.kind === 'unfinished' ? `Google did not finish ${problem.why}` : problem.why
  return { reason: 'LoginFailed', message: `${orders.email} could not be signed in: ${why}` }
}

async function isSignedIn(page: Page): Promise<boolean> {
  const { hostname = '', pathname = '' } = URL.parse(page.url()) ?? {}
  if (GOOGLE.test(hostname) && pathname.includes('/speedbump/')) return false
  const cookies = await page.context().cookies('https://accounts.google.com')
  const missing = SESSION_COOKIES.filter((name) => !cookies.some((cookie) => cookie.name === name && cookie.value !== ''))
  // Only signed-in accounts reach this page.
  return missing.length === 0 || (hostOf(page.url()) === 'myaccount.google.com' && !missing.includes('SID'))
}

/** The most specific first. */
function obstaclesFor({ email, domain }: SamlSession): readonly Obstacle[] {
  const asksForPassword = `Google asks for a password, so single sign-on is not on for ${email}`
  return [
    { at: /\/challenge\/pwd/, problem: asksForPassword, isQuoted: false },
    { at: /\/challenge\//, problem: 'Google wants another proof of who it is', cure: '; switch 2-step verification off for it' },
    { says: /single sign-on/i, problem: `Google knows of no single sign-on for ${domain}` },
    { says: /cannot be accessed because|required response parameter/i, problem: 'Google did not accept our answer' },
    { says: /couldn.t find your google account/i, problem: 'Google does not know the address' },
    { says: /couldn.t sign you in|may not be secure/i, problem: 'Google refused it' },
    { says: /account (is|has been|was) (disabled|suspended|deleted)/i, problem: 'the account cannot be used' },
    { at: /\/rejected/, problem: 'Google refused it' },
    { css: 'input[type="password"]:visible', problem: asksForPassword },
  ]
}

async function obstacleOn(page: Page, orders: SamlSession): Promise<string | null> {
  if (page.url().startsWith(new URL(orders.sessionUrl).origin)) {
    const [title, ...lines] = await linesOf(page)
    return title === 'Sign-in failed' ? lines.join(' ') : null
  }
  return GOOGLE.test(hostOf(page.url())) ? obstacleIn(page, obstaclesFor(orders)) : null
}

function stepsFor({ email }: SamlSession): readonly Step[] {
  return [
    { field: 'input[type="email"], input#identifierId', text: email, press: [/^next$/i, '#identifierNext button'] },
    // Shown once to every new browser of an organisation's account.
    { at: /\/speedbump\/samlconfirmaccount/, press: [/^continue$/i, '#confirm', 'button[jsname="LgbsSe"]'] },
    // Offers of a passkey, a phone number and the like.
    { at: /\/(speedbump|signinoptions)\//, press: [/^(not now|skip|cancel)$/i] },
  ]
}
