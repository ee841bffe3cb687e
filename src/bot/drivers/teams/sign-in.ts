// Signs the bot's browser in to Microsoft: address, password, and the pages between them and the account.
import type { Page } from 'playwright-core'
import type { SignInOrders } from '../../../domain/protocol.ts'
import type { Verdict } from '../browser-meeting/patience.ts'
import { followSignIn, type Obstacle, obstacleIn, type Step } from '../browser-meeting/sign-in-page.ts'
import { SIGN_IN_HOSTS } from './screens.ts'

type Password = Extract<SignInOrders, { kind: 'password' }>

/** Returns null when the browser is signed in. Throws on abort, or when the page dies. */
export async function signIn(page: Page, orders: Password, signal: AbortSignal): Promise<Verdict | null> {
  const pages = {
    company: 'Microsoft',
    start: 'https://www.office.com/login',
    isSignedIn: (given: ReadonlySet<string>) => given.has('password') && !isSigningIn(page),
    obstacle: async () => (isSigningIn(page) ? obstacleIn(page, OBSTACLES) : null),
    steps: () => stepsFor(orders),
  }
  const problem = await followSignIn(page, pages, signal)
  if (!problem) return null
  // ConnectionLost is not known to be the account's fault, so the account stays in use.
  const reason = problem.kind === 'refused' ? 'LoginFailed' : 'ConnectionLost'
  if (problem.kind === 'unfinished') return { reason, message: `Microsoft did not finish signing ${orders.email} in ${problem.why}` }
  return { reason, message: `${orders.email} could not be signed in: ${problem.why}` }
}

/** Also true during a navigation, and while Teams redeems a ticket. */
function isSigningIn(page: Page): boolean {
  const url = URL.parse(page.url())
  return !url || SIGN_IN_HOSTS.includes(url.hostname) || url.pathname === '/login' || url.searchParams.has('ticket')
}

const SECOND_FACTOR = { problem: 'Microsoft wants another proof of who it is', cure: '; switch multi-factor authentication off for it' }

/** The most specific first. */
const OBSTACLES: readonly Obstacle[] = [
  { says: /temporarily locked|account has been locked/i, problem: 'Microsoft has locked the account' },
  { css: '#usernameError', problem: 'Microsoft does not know the address' },
  { css: '#passwordError', problem: 'Microsoft did not accept the password' },
  { says: /account or password is incorrect/i, problem: 'Microsoft did not accept the password' },
  { css: 'input[name="newpasswd"]', problem: 'Microsoft wants a new password; sign in once by hand, and store the new one' },
  { ...SECOND_FACTOR, css: '#idDiv_SAOTCAS_Title, #idDiv_SAOTCC_Title, input[name="otc"]' },
  { ...SECOND_FACTOR, says: /approve sign in request|verify your identity|enter code/i },
  {
    css: '#ProofUpDescription, #idSubmit_ProofUp_Redirect',
    problem: 'Microsoft wants more information about it',
    cure: '; sign in once by hand, and exempt it from registration',
  },
  { says: /trouble signing you in|AADSTS\d+/i, problem: 'Microsoft refused it' },
]

/** Microsoft locks an account after a few tries. */
function stepsFor({ email, password }: Password): readonly Step[] {
  const next = ['input[type="submit"], #idSIButton9']
  return [
    { key: 'password', field: 'input[name="passwd"]', text: password, press: next },
    { key: 'address', field: 'input[name="loginfmt"][type="email"]', text: email, press: next },
    // Otherwise a long meeting may outlive the session.
    { key: 'stay', field: '#KmsiDescription, #KmsiCheckboxField', press: ['#idSIButton9'] },
  ]
}
