// Watches the call by looking at it: whether it is over and how, what lies in front of it, and the participants where no message names them.
import type { MeetingEvent } from '../../../domain/meeting.ts'
import type { Facts } from './facts.ts'
import { Presses } from './steps.ts'
import type { Tab } from './tab.ts'
import type { ControlName, Screen } from './tables.ts'
import type { ClientRoster } from './web-client.ts'

type How = Extract<MeetingEvent, { kind: 'ended' }>['how']

const LOOK_EVERY_MS = 1_000
/** Networks come back; a call that is still lost then is over. */
const LOST_AFTER_MS = 60_000
/** The platform sends its users as soon as the bot is in, if it does. */
const USERS_WITHIN_MS = 5_000
/** The platform says that the bot has left; the page says why, a moment later. */
const PAGE_SAYS_WITHIN_MS = 3_000

const ENDINGS: Partial<Readonly<Record<Screen, How>>> = {
  removed: 'removed',
  ended: 'ended',
  left: 'ended',
  denied: 'removed',
  refused: 'removed',
  sign_in: 'removed',
  marketing: 'ended',
}

type CallTools = {
  readonly tab: Tab
  readonly roster: ClientRoster
  /** Not while something else is being done: the settings that the bot has opened are no notice. */
  readonly press: (control: ControlName) => Promise<boolean>
  readonly notices: readonly ControlName[]
  /** After each look at the call. */
  readonly upkeep: (facts: Facts) => Promise<void>
  readonly now: () => number
}

/** Settles when the call is over, with how it ended; null when the signal came first. */
export async function followCall({ tab, roster, press, notices, upkeep, now }: CallTools, signal: AbortSignal): Promise<How | null> {
  const enteredAt = now()
  const watch = new CallWatch(enteredAt)
  const presses = new Presses()
  while (!signal.aborted) {
    const { facts, screen } = await tab.see('call')
    const ending = watch.see(screen, roster.ownEnd, now())
    if (ending) return ending
    if (screen === 'inside' && now() - enteredAt > USERS_WITHIN_MS) roster.see(facts.people, now())
    const notice = presses.first(notices, facts)
    if (notice && (await press(notice))) presses.note(notice, true)
    if (screen === 'inside') await upkeep(facts)
    await tab.rest(signal, LOOK_EVERY_MS)
  }
  return null
}

/** Weighs what the page shows against what the platform says of the bot itself. */
export class CallWatch {
  #insideAt: number
  #leftAt: number | null = null

  constructor(enteredAt: number) {
    this.#insideAt = enteredAt
  }

  see(screen: Screen, ownEnd: ClientRoster['ownEnd'], at: number): How | null {
    this.#leftAt = ownEnd === 'left' ? (this.#leftAt ?? at) : null
    if (screen === 'inside') this.#insideAt = at
    const hasLeft = this.#leftAt !== null && at - this.#leftAt > PAGE_SAYS_WITHIN_MS
    const said = ownEnd === 'left' ? (hasLeft ? 'ended' : null) : ownEnd
    return ENDINGS[screen] ?? said ?? (at - this.#insideAt > LOST_AFTER_MS ? 'lost' : null)
  }
}
