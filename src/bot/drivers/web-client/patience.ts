// How long a screen at the door is borne before it counts as the reason why the bot does not get in.
import type { ErrorReason } from '../../../domain/errors.ts'
import { excerpt, type Facts } from './facts.ts'
import type { PlatformTables, Screen } from './tables.ts'

export type Verdict = { readonly reason: ErrorReason; readonly message: string }

/** Screens that lead to the marketing page by themselves, and what a tab may show on the way. */
const LEAD_AWAY: readonly Screen[] = ['restricted', 'refused', 'invalid', 'not_found']
const ON_THE_WAY: readonly Screen[] = ['blank', 'unknown', 'marketing']

/** Sees every screen, and says when one has stayed for too long. */
export class Patience {
  readonly #verdicts: PlatformTables['verdicts']
  #screen: Screen | null = null
  #since = 0
  /** The last verdict of a screen that leads away: it holds, however soon the page led on. */
  #last: Verdict | null = null

  constructor(verdicts: PlatformTables['verdicts']) {
    this.#verdicts = verdicts
  }

  /** `hasAsked`: the platform knows that the bot wants to come in. */
  see(screen: Screen, facts: Facts, now: number, hasAsked: boolean): Verdict | null {
    if (screen !== this.#screen) {
      this.#screen = screen
      this.#since = now
    }
    const row = this.#verdicts[screen]
    const verdict = row ? { reason: row.reason, message: `${row.message}: ${excerpt(facts)}` } : null
    if (!ON_THE_WAY.includes(screen)) this.#last = LEAD_AWAY.includes(screen) ? verdict : null
    if (!row || !verdict || now - this.#since < secondsOf(row, hasAsked) * 1000) return null
    if (screen !== 'marketing') return verdict
    // Led away after it had asked, the bot was not wrong about the meeting: it was turned away.
    return this.#last ?? (hasAsked ? { ...verdict, reason: 'JoinRefused' } : verdict)
  }

  /** The page was opened again: whatever it shows is new. */
  restart(now: number): void {
    this.#since = now
  }

  /** How long the last screen has been there. */
  stayedMs(now: number): number {
    return now - this.#since
  }
}

type Row = { readonly afterSeconds: number; readonly onceAskedSeconds?: number }

function secondsOf({ afterSeconds, onceAskedSeconds = afterSeconds }: Row, hasAsked: boolean): number {
  return hasAsked ? onceAskedSeconds : afterSeconds
}
