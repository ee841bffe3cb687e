// One visit to the pages before the meeting: opening them, acting on them, and judging how long each screen stays.
import { setTimeout as delay } from 'node:timers/promises'
import type { Cookie, Response } from 'playwright-core'
import type { BotSpec } from '../../../domain/bot.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
import { Failure } from '../../../kit/failure.ts'
import type { DoorInput } from './display-input.ts'
import type { DoorSigns } from './door-signs.ts'
import type { Facts } from './facts.ts'
import type { MeetingClient, Purpose } from './meeting-client.ts'
import type { Screen } from './page-rules.ts'
import { Patience, type Verdict } from './patience.ts'
import { screenFor } from './screens.ts'
import { nextStep, Presses } from './steps.ts'
import type { Tab } from './tab.ts'

export type Afresh = 'context' | 'browser'

export type DoorTools = {
  readonly client: MeetingClient
  readonly tab: Tab
  readonly input: DoorInput
  readonly signs: DoorSigns
  readonly spec: BotSpec
  readonly purpose: Purpose
  readonly account: AccountOrders | null
  /** By which the platform knows the bot as a registered one. An account needs none. */
  readonly token: string | null
  /** The bot's browser is signed in with the account. These cookies sign another one in. */
  readonly browser: { isSignedIn: boolean; cookies: readonly Cookie[] }
  /** Continues in a fresh context or browser, with evidence of why. Returns the tools for it. */
  readonly tryAfresh: (where: Afresh, why: string) => Promise<DoorTools>
  /** Why the bot will not be admitted, where the page itself publishes it. */
  readonly refusal?: () => Verdict | null
  readonly now: () => number
}

const OPEN_WITHIN_MS = 30_000
/** Doubled after each further attempt. */
const FIRST_PAUSE_MS = 1_000
const SERVER_ERROR = 500
const NO_HOST: Verdict = { reason: 'MeetingNotStarted', message: 'The meeting has not started: its host did not join' }

const NO_PASSCODE: Verdict = {
  reason: 'InvalidMeetingLink',
  message: 'The meeting asks for a passcode, and the link has none. Copy the whole link with its pwd parameter',
}

/** Opens the page before the meeting. Returns null on success or abort, otherwise why it cannot be opened. */
export async function openDoor(tools: DoorTools, signal: AbortSignal): Promise<Verdict | null> {
  const { client, tab, spec, purpose, browser, token, now } = tools
  const { redirects, identified } = client
  const withToken = (address: URL) => (identified && token !== null && !browser.isSignedIn ? identified(address, token) : address)
  try {
    const status = await open(tab, withToken(client.addressOf(spec, purpose)), { signal, now })
    if (status >= SERVER_ERROR) return { reason: 'ConnectionLost', message: `${client.label} answered with HTTP ${status}` }
    if (redirects?.wrongLinkStatuses.includes(status))
      return { reason: 'InvalidMeetingLink', message: `${client.label} answered the link with HTTP ${status}` }
    const passed = redirects?.passBy(tab.page.url(), spec, browser.isSignedIn)
    if (passed) await open(tab, withToken(passed), { signal, now })
    return null
  } catch (error) {
    if (signal.aborted) return null
    // Leaves out the browser's own message, which may contain a token of the address.
    if (tab.isGone) throw new Failure('page_died', 'The page crashed')
    const [why = 'its page did not load in time'] = /net::\w+/.exec(String(error)) ?? []
    return { reason: 'ConnectionLost', message: `${client.label} could not be reached: ${why}` }
  }
}

type OpenTools = {
  readonly signal: AbortSignal
  readonly now: () => number
  readonly pause?: (ms: number, value: undefined, options: { readonly signal: AbortSignal }) => Promise<void>
}

/** Opens the address and returns the HTTP status. A server or network error is tried again until the deadline, after pauses that grow. */
export async function open(tab: Tab, address: URL, { signal, now, pause = delay }: OpenTools): Promise<number> {
  const deadline = now() + OPEN_WITHIN_MS
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    signal.throwIfAborted()
    const isLast = () => signal.aborted || tab.isGone || now() + pauseMs >= deadline
    try {
      const timeout = Math.max(1, deadline - now())
      const response = await unlessAborted(tab.page.goto(address.href, { waitUntil: 'commit', timeout }), signal)
      const status = response?.status() ?? 0
      if (status < SERVER_ERROR || isLast()) return status
    } catch (error) {
      if (isLast()) throw error
    }
    // Rejects on abort, which the next round throws with its reason.
    await pause(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Rejects with the signal's reason when it aborts first. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}

export class Visit {
  readonly #tools: DoorTools
  readonly #isSignedIn: boolean
  readonly #name: string
  readonly #passcode: string | null
  readonly #presses = new Presses()
  readonly #patience: Patience
  #askedAt: number | null
  /** The number of reloads, by the screen that caused them. */
  readonly #reloads = new Map<Screen, number>()
  /** Since when the host is missing. A reload does not reset it. */
  #hostAbsentSince: number | null = null
  /** The platform's answer to the request to join, where it was an error. */
  #answer: string | null = null

  readonly #onResponse = (response: Response): void => {
    const { client, now } = this.#tools
    if (!client.joinRequest || !response.url().includes(client.joinRequest.url)) return
    // A press that was reported as failed may have worked.
    this.#askedAt ??= now()
    this.#answer = response.ok() ? null : `${client.label} answered the request to join with HTTP ${response.status()}`
  }

  /** `askedAt`: when the bot asked to join on an earlier visit to the same page. */
  constructor(tools: DoorTools, askedAt: number | null = null) {
    this.#tools = tools
    this.#isSignedIn = tools.browser.isSignedIn
    this.#askedAt = askedAt
    this.#patience = new Patience(tools.client.pageRules.verdicts)
    this.#name = tools.spec.name.slice(0, tools.client.longestName).trim()
    const { meeting } = tools.spec
    this.#passcode = 'passcode' in meeting ? meeting.passcode : null
    // Playwright reports every response to a listener, and a page of the built-in room loads 40 files.
    if (tools.client.joinRequest) tools.tab.page.on('response', this.#onResponse)
  }

  /** A listener must be removed: with one, the browser keeps every response for hours. */
  end(): void {
    this.#tools.tab.page.off('response', this.#onResponse)
  }

  judge(screen: Screen, facts: Facts): Verdict | null {
    const now = this.#tools.now()
    const refusal = this.#tools.refusal?.()
    if (refusal) return refusal
    const seen = this.#patience.see(screenFor(screen, !this.#isSignedIn), facts, now, this.#askedAt !== null)
    const verdict = this.#mayReload(screen) ? null : seen
    const unfit = screen === 'prejoin' ? this.#judgeForm(facts) : null
    if (unfit) return unfit
    const isUnanswered = (screen === 'prejoin' || screen === 'problem') && this.#answer !== null
    const known = verdict && isUnanswered ? { reason: 'JoinRefused' as const, message: this.#answer ?? '' } : verdict
    return this.#tools.signs.judge(screen === 'not_started' ? this.#judgeHost(now) : known)
  }

  async act(screen: Screen, facts: Facts, signal: AbortSignal): Promise<void> {
    if (screen === 'prejoin') await this.#step(facts)
    const { afterSeconds = 0 } = this.#tools.client.pageRules.verdicts[screen]?.reload ?? {}
    if (!this.#mayReload(screen) || this.#patience.stayedMs(this.#tools.now()) < afterSeconds * 1000) return
    this.#reloads.set(screen, this.#reloadsOf(screen) + 1)
    this.#askedAt = null
    await openDoor(this.#tools, signal)
    this.#patience.restart(this.#tools.now())
  }

  nextStep(facts: Facts): ReturnType<typeof nextStep> {
    const { client, now } = this.#tools
    const { door: notices } = client.pageRules.notices
    return nextStep(facts, { name: this.#name, passcode: this.#passcode, notices, presses: this.#presses, askedAt: this.#askedAt }, now())
  }

  #mayReload(screen: Screen): boolean {
    return this.#reloadsOf(screen) < (this.#tools.client.pageRules.verdicts[screen]?.reload?.most ?? 0)
  }

  #reloadsOf(screen: Screen): number {
    return this.#reloads.get(screen) ?? 0
  }

  async #step(facts: Facts): Promise<void> {
    const { input, now } = this.#tools
    const step = this.nextStep(facts)
    if (step?.kind === 'type') await input.fill('nameField', this.#name)
    if (step?.kind === 'type_passcode') this.#presses.count('passcodeField', await input.fill('passcodeField', this.#passcode ?? ''))
    if (step?.kind !== 'press') return
    // Set before the press: the platform may drop the page within milliseconds.
    if (step.control === 'join') this.#tools.signs.asked(now())
    const isPressed = await input.press(step.control)
    this.#presses.count(step.control, isPressed)
    if (isPressed && step.control === 'join') this.#askedAt = now()
  }

  /** The page requires something that the bot does not have. */
  #judgeForm({ visible }: Facts): Verdict | null {
    this.#hostAbsentSince = null
    if (this.#isSignedIn && visible.has('nameField'))
      return { reason: 'LoginFailed', message: `${this.#tools.client.label} asks for a name, so the account is not signed in there` }
    return this.#passcode === null && visible.has('passcodeField') ? NO_PASSCODE : null
  }

  /** A late host gets as long as one who does not admit. */
  #judgeHost(now: number): Verdict | null {
    const { waitingRoomSeconds } = this.#tools.spec.leave
    this.#hostAbsentSince ??= now
    if (now - this.#hostAbsentSince < waitingRoomSeconds * 1000) return null
    const { reason, message } = this.#tools.client.pageRules.verdicts.not_started ?? NO_HOST
    return { reason, message: `${message} within ${waitingRoomSeconds} s` }
  }
}
