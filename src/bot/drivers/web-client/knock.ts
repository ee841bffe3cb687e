// Opens the meeting and asks to join. A look at the page follows each step, so that no verdict is missed.
import type { Page } from 'playwright-core'
import { type KnockOutcome, NOT_THE_MEETINGS } from '../../../domain/meeting.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
import type { Verdict } from './patience.ts'
import type { Screen } from './tables.ts'
import { type DoorTools, openDoor, Visit } from './visit.ts'
import type { WebClient } from './web-client.ts'

/** Screens after asking. `enter` decides what they mean. */
const ASKED: readonly Screen[] = ['waiting', 'early', 'inside', 'denied', 'unanswered', 'left']
/** Refusals of a guest that an account may avoid. */
const AS_A_GUEST: readonly Verdict['reason'][] = ['SignInRequired', 'CaptchaRequired', 'JoinRefused', 'MeetingRestricted']

const ACCOUNT_KINDS: Readonly<Record<AccountOrders['kind'], string>> = {
  saml_session: 'single sign-on',
  password: 'an e-mail address and a password',
}

export async function knock(tools: DoorTools, signal: AbortSignal): Promise<KnockOutcome> {
  const { account, client } = tools
  const signIn = account && signInWith(account, client)
  // An account is never ignored: joining as a guest may show the bot under another name and with other rights.
  if (account && !signIn) {
    const message = `${account.email} cannot be signed in: ${client.label} cannot be joined with ${ACCOUNT_KINDS[account.kind]}`
    return { kind: 'failed', reason: 'LoginFailed', message }
  }
  const first = signIn && account?.mode === 'always' ? await askAs(signIn, tools, signal) : await ask(tools, signal)
  const mayHelp = account?.mode === 'if_required' && first && AS_A_GUEST.includes(first.reason) && !signal.aborted
  const verdict = signIn && mayHelp ? await askAs(signIn, tools, signal) : first
  if (!verdict || signal.aborted) return { kind: 'asked' }
  return { kind: NOT_THE_MEETINGS.includes(verdict.reason) ? 'failed' : 'blocked', ...verdict }
}

type SignIn = (page: Page, signal: AbortSignal) => Promise<Verdict | null>

/** Null where the platform does not support this kind of account. */
function signInWith<Kind extends AccountOrders['kind']>(
  orders: Extract<AccountOrders, { kind: Kind }>,
  { signIns }: WebClient,
): SignIn | null {
  const signIn = signIns[orders.kind as Kind]
  return signIn ? (page, signal) => signIn(page, orders, signal) : null
}

async function askAs(signIn: SignIn, tools: DoorTools, signal: AbortSignal): Promise<Verdict | null> {
  const problem = await signIn(tools.tab.page, signal).catch((error: unknown) => {
    // Aborted while signing in: not a failure.
    if (!signal.aborted) throw error
    return null
  })
  if (problem) return problem
  tools.browser.isSignedIn = true
  return ask(tools, signal)
}

/** Null: the bot has asked to join. */
async function ask(tools: DoorTools, signal: AbortSignal): Promise<Verdict | null> {
  const unreachable = signal.aborted ? null : await openDoor(tools)
  if (unreachable) return unreachable
  tools.signs.forget()
  const visit = new Visit(tools)
  try {
    while (!signal.aborted) {
      const { facts, screen } = await tools.tab.see('door')
      if (ASKED.includes(screen)) return null
      const verdict = visit.judge(screen, facts)
      if (verdict) return verdict
      await visit.act(screen, facts)
      await tools.tab.rest(signal)
    }
    return null
  } finally {
    visit.end()
  }
}
