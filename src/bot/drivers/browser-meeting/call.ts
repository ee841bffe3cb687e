// Polls the page during the call: detects its end, dismisses notices, and reads participants where no message lists them.
import type { MeetingEvent } from '../../../domain/meeting.ts'
import type { Facts } from './facts.ts'
import type { ClientRoster } from './meeting-client.ts'
import type { ControlName, Screen } from './page-rules.ts'
import { Presses } from './steps.ts'
import type { Tab } from './tab.ts'

type EndCause = Extract<MeetingEvent, { kind: 'ended' }>['cause']

const LOOK_EVERY_MS = 1_000
/** Networks recover. A call that is lost for longer is over. */
const LOST_AFTER_MS = 60_000
/** A move between rooms takes seconds. A page that takes longer is opened again. */
const MOVED_WITHIN_MS = 90_000
/** A platform that sends its users does so within this time after admission. */
export const USERS_WITHIN_MS = 5_000
/** After the platform says that the bot has left, the page shows the reason within this time. */
const PAGE_SAYS_WITHIN_MS = 3_000

const ENDINGS: Partial<Readonly<Record<Screen, EndCause>>> = {
  removed: 'removed',
  ended: 'ended',
  left: 'ended',
  denied: 'removed',
  refused: 'removed',
  encrypted: 'removed',
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
  /** The page shows that the bot is in a breakout room. */
  readonly isInRoom: (facts: Facts) => boolean
  /** Called after each look at the call, or at the page between two rooms. */
  readonly rooms: (facts: Facts, isInside: boolean) => Promise<void>
  readonly now: () => number
}

/** Resolves with the cause when the call is over; null when the signal aborts first. */
export async function followCall(tools: CallTools, signal: AbortSignal): Promise<EndCause | null> {
  const { tab, roster, isInRoom, now } = tools
  const enteredAt = now()
  const watch = new CallWatch(enteredAt)
  const presses = new Presses()
  while (!signal.aborted) {
    const { facts, screen } = await tab.see('call')
    const ending = watch.see(screen, roster.ownEnd, now())
    if (ending) return ending
    if (screen === 'inside' && now() - enteredAt > USERS_WITHIN_MS) roster.see(facts.people, now(), isInRoom(facts))
    await attend(tools, { facts, screen, presses })
    await tab.rest(signal, LOOK_EVERY_MS)
  }
  return null
}

type Seen = { readonly facts: Facts; readonly screen: Screen; readonly presses: Presses }

async function attend({ press, notices, upkeep, rooms }: CallTools, { facts, screen, presses }: Seen): Promise<void> {
  const isInside = screen === 'inside'
  const notice = presses.first(notices, facts)
  if (notice && (await press(notice))) presses.count(notice, true)
  if (isInside) await upkeep(facts)
  if (isInside || screen === 'moving') await rooms(facts, isInside)
}

/** Combines the screen of the page with the platform's messages about the bot. */
export class CallWatch {
  #insideAt: number
  #leftAt: number | null = null
  #movingSince: number | null = null

  constructor(enteredAt: number) {
    this.#insideAt = enteredAt
  }

  see(screen: Screen, ownEnd: ClientRoster['ownEnd'], at: number): EndCause | null {
    this.#movingSince = screen === 'moving' ? (this.#movingSince ?? at) : null
    // A bot that is moved leaves one call for another. Any other end is that of the meeting.
    if (this.#movingSince !== null && (ownEnd === null || ownEnd === 'left')) return this.#move(this.#movingSince, at)
    if (screen === 'inside') this.#insideAt = at
    return ENDINGS[screen] ?? this.#said(ownEnd, at) ?? (at - this.#insideAt > LOST_AFTER_MS ? 'lost' : null)
  }

  #said(ownEnd: ClientRoster['ownEnd'], at: number): EndCause | null {
    this.#leftAt = ownEnd === 'left' ? (this.#leftAt ?? at) : null
    const hasLeft = this.#leftAt !== null && at - this.#leftAt > PAGE_SAYS_WITHIN_MS
    return ownEnd === 'left' ? (hasLeft ? 'ended' : null) : ownEnd
  }

  #move(since: number, at: number): EndCause | null {
    this.#insideAt = at
    this.#leftAt = null
    return at - since > MOVED_WITHIN_MS ? 'stuck' : null
  }
}
