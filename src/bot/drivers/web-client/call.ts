// Polls the page during the call: detects its end, dismisses notices, and reads participants where no message lists them.
import type { MeetingEvent } from '../../../domain/meeting.ts'
import type { Facts } from './facts.ts'
import { Presses } from './steps.ts'
import type { Tab } from './tab.ts'
import type { ControlName, Screen } from './tables.ts'
import type { ClientRoster } from './web-client.ts'

type EndCause = Extract<MeetingEvent, { kind: 'ended' }>['cause']

const LOOK_EVERY_MS = 1_000
/** Networks recover. A call that is lost for longer is over. */
const LOST_AFTER_MS = 60_000
/** A platform that sends its users does so within this time after admission. */
const USERS_WITHIN_MS = 5_000
/** After the platform says that the bot has left, the page shows the reason within this time. */
const PAGE_SAYS_WITHIN_MS = 3_000

const ENDINGS: Partial<Readonly<Record<Screen, EndCause>>> = {
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
  /** Waits for other actions: a settings dialog that the bot has opened is no notice. */
  readonly press: (control: ControlName) => Promise<boolean>
  readonly notices: readonly ControlName[]
  /** Called after each look at the call. */
  readonly upkeep: (facts: Facts) => Promise<void>
  readonly now: () => number
}

/** Resolves with the cause when the call is over; null when the signal aborts first. */
export async function followCall({ tab, roster, press, notices, upkeep, now }: CallTools, signal: AbortSignal): Promise<EndCause | null> {
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

/** Combines the screen of the page with the platform's messages about the bot. */
export class CallWatch {
  #insideAt: number
  #leftAt: number | null = null

  constructor(enteredAt: number) {
    this.#insideAt = enteredAt
  }

  see(screen: Screen, ownEnd: ClientRoster['ownEnd'], at: number): EndCause | null {
    this.#leftAt = ownEnd === 'left' ? (this.#leftAt ?? at) : null
    if (screen === 'inside') this.#insideAt = at
    const hasLeft = this.#leftAt !== null && at - this.#leftAt > PAGE_SAYS_WITHIN_MS
    const said = ownEnd === 'left' ? (hasLeft ? 'ended' : null) : ownEnd
    return ENDINGS[screen] ?? said ?? (at - this.#insideAt > LOST_AFTER_MS ? 'lost' : null)
  }
}
