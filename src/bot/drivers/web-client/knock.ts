// Goes to the meeting and asks to be let in. Every step is followed by a look, so a verdict is never missed.
import type { Page, Response } from 'playwright-core'
import type { BotSpec } from '../../../domain/bot.ts'
import type { KnockOutcome } from '../../../domain/meeting.ts'
import type { SignInOrders } from '../../../domain/protocol.ts'
import { Failure } from '../../../kit/failure.ts'
import type { DoorInput } from './display-input.ts'
import type { DoorSigns } from './door-signs.ts'
import type { Facts } from './facts.ts'
import { Patience, type Verdict } from './patience.ts'
import { screenFor } from './screens.ts'
import { nextStep, Presses } from './steps.ts'
import type { Tab } from './tab.ts'
import type { Screen } from './tables.ts'
import type { WebClient } from './web-client.ts'

export type KnockTools = {
  readonly client: WebClient
  readonly tab: Tab
  readonly input: DoorInput
  readonly signs: DoorSigns
  readonly spec: BotSpec
  readonly account: SignInOrders | null
  readonly now: () => number
}

const OPEN_WITHIN_MS = 30_000
const MOST_RELOADS = 2
const RELOAD_AFTER_MS = 3_000

/** It has been asked, and something came of it. What, is for enter to say. */
const ASKED: readonly Screen[] = ['waiting', 'inside', 'denied', 'unanswered', 'left']
/** An account may help. */
const AS_A_GUEST: readonly Verdict['reason'][] = ['SignInRequired', 'JoinRefused', 'MeetingRestricted']
/** Not the meeting is in the way. */
const OURS: readonly Verdict['reason'][] = ['LoginFailed', 'ConnectionLost', 'InternalError']

const ACCOUNT_KINDS: Readonly<Record<SignInOrders['kind'], string>> = {
  saml_session: 'single sign-on',
  password: 'an e-mail address and a password',
}

export async function knock(tools: KnockTools, signal: AbortSignal): Promise<KnockOutcome> {
  const { account, client } = tools
  const signIn = account && signInWith(account, client)
  // An account is never ignored: a guest may see and be seen as what the caller did not ask for.
  if (account && !signIn) {
    const message = `${account.email} cannot be signed in: ${client.label} cannot be joined with ${ACCOUNT_KINDS[account.kind]}`
    return { kind: 'failed', reason: 'LoginFailed', message }
  }
  const first = signIn && account?.mode === 'always' ? await askAs(signIn, tools, signal) : await ask(tools, false, signal)
  const mayHelp = account?.mode === 'if_required' && first && AS_A_GUEST.includes(first.reason) && !signal.aborted
  const verdict = signIn && mayHelp ? await askAs(signIn, tools, signal) : first
  if (!verdict || signal.aborted) return { kind: 'asked' }
  return { kind: OURS.includes(verdict.reason) ? 'failed' : 'blocked', ...verdict }
}

type SignIn = (page: Page, signal: AbortSignal) => Promise<Verdict | null>

/** Null where the platform does not take this kind of account. */
function signInWith<Kind extends SignInOrders['kind']>(
  orders: Extract<SignInOrders, { kind: Kind }>,
  { signIns }: WebClient,
): SignIn | null {
  const signIn = signIns[orders.kind as Kind]
  return signIn ? (page, signal) => signIn(page, orders, signal) : null
}

async function askAs(signIn: SignIn, tools: KnockTools, signal: AbortSignal): Promise<Verdict | null> {
  const problem = await signIn(tools.tab.page, signal).catch((error: unknown) => {
    // Told to leave on the way: nothing failed.
    if (!signal.aborted) throw error
    return null
  })
  return problem ?? (await ask(tools, true, signal))
}

/** Null: it has been asked. */
async function ask(tools: KnockTools, isSignedIn: boolean, signal: AbortSignal): Promise<Verdict | null> {
  const unreachable = signal.aborted ? null : await openDoor(tools)
  if (unreachable) return unreachable
  tools.signs.forget()
  const visit = new Visit(tools, isSignedIn)
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

export async function openDoor({ client, tab, spec }: KnockTools): Promise<Verdict | null> {
  try {
    await tab.page.goto(client.addressOf(spec).href, { waitUntil: 'commit', timeout: OPEN_WITHIN_MS })
    return null
  } catch (error) {
    // Without the browser's own message, which may show a token in the address.
    if (tab.isGone) throw new Failure('page_died', 'The page died')
    const [why = 'its page did not load in time'] = /net::\w+/.exec(String(error)) ?? []
    return { reason: 'ConnectionLost', message: `${client.label} could not be reached: ${why}` }
  }
}

/** One visit to the page before the meeting: what was done on it, and what it showed for how long. */
export class Visit {
  readonly #tools: KnockTools
  readonly #isSignedIn: boolean
  readonly #name: string
  readonly #presses = new Presses()
  readonly #patience: Patience
  #askedAt: number | null = null
  #reloads = 0
  /** What the platform answered to the request to join, where it was no yes. */
  #answer: string | null = null

  readonly #onResponse = (response: Response): void => {
    const { client, now } = this.#tools
    if (client.joinRequest === null || !response.url().includes(client.joinRequest)) return
    // A press may have worked though it was reported as failed.
    this.#askedAt ??= now()
    this.#answer = response.ok() ? null : `${client.label} answered the request to join with HTTP ${response.status()}`
  }

  constructor(tools: KnockTools, isSignedIn: boolean) {
    this.#tools = tools
    this.#isSignedIn = isSignedIn
    this.#patience = new Patience(tools.client.tables.verdicts)
    this.#name = tools.spec.name.slice(0, tools.client.longestName).trim()
    tools.tab.page.on('response', this.#onResponse)
  }

  /** While there is a listener, the browser keeps each answer for hours. */
  end(): void {
    this.#tools.tab.page.off('response', this.#onResponse)
  }

  judge(screen: Screen, facts: Facts): Verdict | null {
    const now = this.#tools.now()
    const verdict = this.#patience.see(screenFor(screen, !this.#isSignedIn), facts, now, this.#askedAt !== null)
    if (screen === 'prejoin' && this.#isSignedIn && facts.visible.has('nameField'))
      return { reason: 'LoginFailed', message: `${this.#tools.client.label} asks for a name, so the account is not signed in there` }
    const isUnanswered = (screen === 'prejoin' || screen === 'problem') && this.#answer !== null
    const known = verdict && isUnanswered ? { reason: 'JoinRefused' as const, message: this.#answer ?? '' } : verdict
    return this.#tools.signs.judge(screen === 'not_started' ? this.#judgeHost(now) : known)
  }

  async act(screen: Screen, facts: Facts): Promise<void> {
    if (screen === 'prejoin') await this.#step(facts)
    const isStuck = screen === 'problem' && this.#patience.stayedMs(this.#tools.now()) > RELOAD_AFTER_MS
    if (!isStuck || this.#reloads >= MOST_RELOADS) return
    this.#reloads++
    this.#askedAt = null
    await openDoor(this.#tools)
  }

  nextStep(facts: Facts): ReturnType<typeof nextStep> {
    const { client, now } = this.#tools
    const { door: notices } = client.tables.notices
    return nextStep(facts, { name: this.#name, notices, presses: this.#presses, askedAt: this.#askedAt }, now())
  }

  async #step(facts: Facts): Promise<void> {
    const { input, now } = this.#tools
    const step = this.nextStep(facts)
    if (step?.kind === 'type') await input.fill('nameField', this.#name)
    if (step?.kind !== 'press') return
    this.#presses.note(step.control)
    // Before the press: a page may be dropped within milliseconds.
    if (step.control === 'join') this.#tools.signs.asked(now())
    const isPressed = await input.press(step.control)
    if (isPressed && step.control === 'join') this.#askedAt = now()
  }

  /** A host who is late is waited for as long as one who does not open. */
  #judgeHost(now: number): Verdict | null {
    const { waitingRoomSeconds } = this.#tools.spec.leave
    if (this.#patience.stayedMs(now) < waitingRoomSeconds * 1000) return null
    return { reason: 'MeetingNotStarted', message: `The meeting has not started: its host did not come within ${waitingRoomSeconds} s` }
  }
}
