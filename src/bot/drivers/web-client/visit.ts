// One visit to the page before the meeting: opening it, what was done on it, and what it showed for how long.
import type { Response } from 'playwright-core'
import type { BotSpec } from '../../../domain/bot.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
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

export type DoorTools = {
  readonly client: WebClient
  readonly tab: Tab
  readonly input: DoorInput
  readonly signs: DoorSigns
  readonly spec: BotSpec
  readonly account: AccountOrders | null
  /** Whether the bot's browser is that account now. */
  readonly browser: { isSignedIn: boolean }
  /** Why the bot will not get in, where the page itself says so. */
  readonly refusal?: () => Verdict | null
  readonly now: () => number
}

const OPEN_WITHIN_MS = 30_000
const MOST_TRIES = 3
const SERVER_ERROR = 500

export async function openDoor({ client, tab, spec, browser }: DoorTools): Promise<Verdict | null> {
  try {
    const status = await open(tab, client.addressOf(spec))
    if (status >= SERVER_ERROR) return { reason: 'ConnectionLost', message: `${client.label} answered with HTTP ${status}` }
    if (client.wrongLinkStatuses?.includes(status))
      return { reason: 'InvalidMeetingLink', message: `${client.label} answered the link with HTTP ${status}` }
    const passed = client.passBy?.(tab.page.url(), spec, browser.isSignedIn)
    if (passed) await open(tab, passed)
    return null
  } catch (error) {
    // Without the browser's own message, which may show a token in the address.
    if (tab.isGone) throw new Failure('page_died', 'The page died')
    const [why = 'its page did not load in time'] = /net::\w+/.exec(String(error)) ?? []
    return { reason: 'ConnectionLost', message: `${client.label} could not be reached: ${why}` }
  }
}

/** The HTTP status. A server in trouble is asked again; it may take until then. */
async function open({ page }: Tab, address: URL): Promise<number> {
  for (let tries = 1; ; tries++) {
    const response = await page.goto(address.href, { waitUntil: 'commit', timeout: OPEN_WITHIN_MS })
    const status = response?.status() ?? 0
    if (status < SERVER_ERROR || tries === MOST_TRIES) return status
  }
}

export class Visit {
  readonly #tools: DoorTools
  readonly #isSignedIn: boolean
  readonly #name: string
  readonly #presses = new Presses()
  readonly #patience: Patience
  #askedAt: number | null
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

  /** `askedAt`: when the bot asked to be let in, on an earlier visit to the same page. */
  constructor(tools: DoorTools, askedAt: number | null = null) {
    this.#tools = tools
    this.#isSignedIn = tools.browser.isSignedIn
    this.#askedAt = askedAt
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
    const refusal = this.#tools.refusal?.()
    if (refusal) return refusal
    const seen = this.#patience.see(screenFor(screen, !this.#isSignedIn), facts, now, this.#askedAt !== null)
    const verdict = this.#mayReload(screen) ? null : seen
    if (screen === 'prejoin' && this.#isSignedIn && facts.visible.has('nameField'))
      return { reason: 'LoginFailed', message: `${this.#tools.client.label} asks for a name, so the account is not signed in there` }
    const isUnanswered = (screen === 'prejoin' || screen === 'problem') && this.#answer !== null
    const known = verdict && isUnanswered ? { reason: 'JoinRefused' as const, message: this.#answer ?? '' } : verdict
    return this.#tools.signs.judge(screen === 'not_started' ? this.#judgeHost(now) : known)
  }

  async act(screen: Screen, facts: Facts): Promise<void> {
    if (screen === 'prejoin') await this.#step(facts)
    const { afterSeconds = 0 } = this.#tools.client.tables.verdicts[screen]?.reload ?? {}
    if (!this.#mayReload(screen) || this.#patience.stayedMs(this.#tools.now()) < afterSeconds * 1000) return
    this.#reloads++
    this.#askedAt = null
    await openDoor(this.#tools)
    this.#patience.restart(this.#tools.now())
  }

  nextStep(facts: Facts): ReturnType<typeof nextStep> {
    const { client, now } = this.#tools
    const { door: notices } = client.tables.notices
    return nextStep(facts, { name: this.#name, notices, presses: this.#presses, askedAt: this.#askedAt }, now())
  }

  #mayReload(screen: Screen): boolean {
    return this.#reloads < (this.#tools.client.tables.verdicts[screen]?.reload?.most ?? 0)
  }

  async #step(facts: Facts): Promise<void> {
    const { input, now } = this.#tools
    const step = this.nextStep(facts)
    if (step?.kind === 'type') await input.fill('nameField', this.#name)
    if (step?.kind !== 'press') return
    // Before the press: a page may be dropped within milliseconds.
    if (step.control === 'join') this.#tools.signs.asked(now())
    const isPressed = await input.press(step.control)
    this.#presses.note(step.control, isPressed)
    if (isPressed && step.control === 'join') this.#askedAt = now()
  }

  /** A host who is late is waited for as long as one who does not open. */
  #judgeHost(now: number): Verdict | null {
    const { waitingRoomSeconds } = this.#tools.spec.leave
    if (this.#patience.stayedMs(now) < waitingRoomSeconds * 1000) return null
    return { reason: 'MeetingNotStarted', message: `The meeting has not started: its host did not come within ${waitingRoomSeconds} s` }
  }
}
