// Opens the meeting and asks to join. A look at the page follows each step, so that no verdict is missed. A refusal of the browser itself is
// followed by tries in fresh ones, as long as the bot has not asked: the host is never asked twice.
import type { Page } from 'playwright-core'
import { type KnockOutcome, NOT_THE_MEETINGS } from '../../../domain/meeting.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
import type { MeetingClient } from './meeting-client.ts'
import type { Screen } from './page-rules.ts'
import type { Verdict } from './patience.ts'
import { type Afresh, type DoorTools, openDoor, Visit } from './visit.ts'

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
  const verdict = await askInTurn(tools, signIn, signal)
  if (!verdict || signal.aborted) return { kind: 'asked' }
  const { reason, message } = verdict
  return { kind: NOT_THE_MEETINGS.includes(reason) ? 'failed' : 'blocked', reason, message }
}

/** Where the bot tries after each refusal of its browser. */
const AFRESH: readonly Afresh[] = ['context', 'browser', 'browser', 'browser']
const IN_WORDS: Readonly<Record<Afresh, string>> = { context: 'a fresh browser context', browser: 'a fresh browser' }
/** An account at hand is used after this many refusals. */
const SIGN_IN_AFTER = 2

/** Null: the bot has asked to join. */
async function askInTurn(first: DoorTools, signIn: SignIn | null, signal: AbortSignal): Promise<Verdict | null> {
  const { account, browser, signs, spec, now } = first
  const endAt = now() + spec.leave.waitingRoomSeconds * 1000
  let tools = first
  let refusals = 0
  const tryToAsk = (isRequired: boolean) =>
    signIn && isRequired && !browser.isSignedIn ? askAs(signIn, tools, signal) : ask(tools, signal)
  let verdict = await tryToAsk(account?.mode === 'always')
  for (const where of AFRESH) {
    if (!verdict?.tryAfresh || signs.hasAsked || signal.aborted || now() >= endAt) break
    const fresh = await openAfresh(tools, where, verdict.message)
    if (!fresh) return { ...verdict, message: `${verdict.message} (${IN_WORDS[where]} could not be opened)` }
    tools = fresh
    refusals += 1
    verdict = await tryToAsk(refusals >= SIGN_IN_AFTER)
  }
  const mayHelp = verdict && signIn && !browser.isSignedIn && AS_A_GUEST.includes(verdict.reason) && !signal.aborted
  if (mayHelp) return tryToAsk(true)
  const last = AFRESH[refusals - 1]
  return verdict && last ? { ...verdict, message: `${verdict.message} (try ${refusals + 1}, in ${IN_WORDS[last]})` } : verdict
}

/** Null where no other browser starts, such as for lack of memory: the refusal stands. A context fails only with the bot's own browser. */
async function openAfresh(tools: DoorTools, where: Afresh, refusal: string): Promise<DoorTools | null> {
  try {
    return await tools.tryAfresh(where, `${refusal}. The bot tries again in ${IN_WORDS[where]}`)
  } catch (error) {
    if (where === 'browser') return null
    throw error
  }
}

type SignIn = (page: Page, signal: AbortSignal) => Promise<Verdict | null>

/** Null where the platform does not support this kind of account. */
function signInWith<Kind extends AccountOrders['kind']>(
  orders: Extract<AccountOrders, { kind: Kind }>,
  client: MeetingClient,
): SignIn | null {
  const signIn = client.signIn?.[orders.kind as Kind]
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
  tools.browser.cookies = await tools.tab.page.context().cookies()
  return ask(tools, signal)
}

/** Null: the bot has asked to join. */
async function ask(tools: DoorTools, signal: AbortSignal): Promise<Verdict | null> {
  const unreachable = await openDoor(tools, signal)
  if (unreachable) return unreachable
  tools.signs.forget()
  const visit = new Visit(tools)
  try {
    while (!signal.aborted) {
      const { facts, screen } = await tools.tab.see('door')
      if (ASKED.includes(screen)) return null
      const verdict = visit.judge(screen, facts)
      if (verdict) return verdict
      await visit.act(screen, facts, signal)
      await tools.tab.rest(signal)
    }
    return null
  } finally {
    visit.end()
  }
}
