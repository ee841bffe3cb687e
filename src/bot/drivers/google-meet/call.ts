// The call, followed by looking: when it is over, and how; what lies in front of it; who is there, where the meeting does not tell.
import type { MeetingEvent } from '../../../domain/meeting.ts'
import type { Roster } from './roster.ts'
import { type Screen, screenOf } from './screens.ts'
import type { ControlName } from './selectors.ts'
import { INSIDE_NOTICES, Presses } from './steps.ts'
import { pause, type Tab } from './tab.ts'

type How = Extract<MeetingEvent, { kind: 'ended' }>['how']

const LOOK_EVERY_MS = 1_000
/** Networks come back; whoever is still out then is out. */
const LOST_AFTER_MS = 60_000
/** The meeting tells by itself, if it does, as soon as the bot is in. */
const TOLD_WITHIN_MS = 5_000
/** The meeting says that the bot has left; the page says why, a moment later. */
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
  readonly roster: Roster
  /** Not while something else is being done: the settings that the bot has opened are no notice. */
  readonly press: (control: ControlName) => Promise<boolean>
  readonly now: () => number
}

/** Settles when the call is over, with how it ended; null when the signal came first. */
export async function followCall({ tab, roster, press, now }: CallTools, signal: AbortSignal): Promise<How | null> {
  const enteredAt = now()
  const watch = new CallWatch(enteredAt)
  const presses = new Presses()
  while (!signal.aborted) {
    const facts = await tab.look()
    const screen = screenOf(facts, 'call')
    const ending = watch.see(screen, roster.ownEnd, now())
    if (ending) return ending
    if (screen === 'inside' && now() - enteredAt > TOLD_WITHIN_MS) roster.see(facts.people, now())
    const notice = presses.first(INSIDE_NOTICES, facts)
    if (notice && (await press(notice))) presses.note(notice)
    await pause(signal, LOOK_EVERY_MS)
  }
  return null
}

/** Weighs what the page shows and what the meeting tells of the bot itself. */
export class CallWatch {
  #insideAt: number
  #leftAt: number | null = null

  constructor(enteredAt: number) {
    this.#insideAt = enteredAt
  }

  see(screen: Screen, ownEnd: Roster['ownEnd'], at: number): How | null {
    this.#leftAt = ownEnd === 'left' ? (this.#leftAt ?? at) : null
    if (screen === 'inside') this.#insideAt = at
    const hasLeft = this.#leftAt !== null && at - this.#leftAt > PAGE_SAYS_WITHIN_MS
    const told = ownEnd === 'removed' ? 'removed' : hasLeft ? 'ended' : null
    return ENDINGS[screen] ?? told ?? (at - this.#insideAt > LOST_AFTER_MS ? 'lost' : null)
  }
}
