// What a screen at the door means for the bot: why it will not get in, and how long such a screen is borne before it counts.
import type { ErrorReason } from '../../../domain/errors.ts'
import { excerpt, type Facts, type Screen } from './screens.ts'

export type Verdict = { readonly reason: ErrorReason; readonly message: string }

type Row = {
  readonly reason: ErrorReason
  readonly message: string
  /** 0: at once. */
  readonly afterMs: number
}

/** Screens may flicker while a page loads; what stays is meant. */
const FLICKER_MS = 1_000
const PATIENCE_MS = 60_000

/** Null: no reason to give up. */
const VERDICTS: Readonly<Record<Screen, Row | null>> = {
  restricted: { reason: 'MeetingRestricted', message: 'Only people who were invited may join this meeting', afterMs: FLICKER_MS },
  refused: { reason: 'JoinRefused', message: 'Google Meet does not let this client join', afterMs: FLICKER_MS },
  sign_in: { reason: 'SignInRequired', message: 'The meeting asks for a Google Account', afterMs: FLICKER_MS },
  signed_out: { reason: 'LoginFailed', message: 'Google Meet no longer takes the account for signed in', afterMs: FLICKER_MS },
  invalid: { reason: 'InvalidMeetingLink', message: 'Google Meet does not take the meeting code for one', afterMs: FLICKER_MS },
  not_found: { reason: 'MeetingNotFound', message: 'There is no such meeting', afterMs: FLICKER_MS },
  marketing: { reason: 'MeetingNotFound', message: 'Google Meet led away from the meeting, to its marketing page', afterMs: FLICKER_MS },
  ended: { reason: 'MeetingEnded', message: 'The meeting has ended', afterMs: FLICKER_MS },
  removed: { reason: 'JoinRefused', message: 'The meeting removed the bot before it was in', afterMs: FLICKER_MS },
  captcha: { reason: 'CaptchaRequired', message: 'Google Meet wants a puzzle solved, which only a person may do', afterMs: 5_000 },
  blank: { reason: 'JoinRefused', message: 'Google Meet shows nothing', afterMs: 15_000 },
  problem: { reason: 'ConnectionLost', message: 'Google Meet says that it cannot connect', afterMs: 10_000 },
  lost: { reason: 'ConnectionLost', message: 'Google Meet lost its connection', afterMs: PATIENCE_MS },
  unknown: { reason: 'InternalError', message: 'Google Meet shows a page that the bot does not know', afterMs: PATIENCE_MS },
  prejoin: { reason: 'JoinRefused', message: 'Google Meet did not take the request to join', afterMs: PATIENCE_MS },
  not_started: null,
  waiting: null,
  inside: null,
  denied: null,
  unanswered: null,
  left: null,
}

/** Screens that go on to the marketing page by themselves, and what a tab may show on the way. */
const LEAD_AWAY: readonly Screen[] = ['restricted', 'refused', 'invalid', 'not_found']
const ON_THE_WAY: readonly Screen[] = ['blank', 'unknown', 'marketing']

/** Sees every screen, and says when one has stayed for too long. */
export class Patience {
  #screen: Screen | null = null
  #since = 0
  /** What was said last, where the way may lead on from there: it holds, however soon it led on. */
  #said: Verdict | null = null

  /** `hasAsked`: Meet knows that the bot wants to come in. */
  see(screen: Screen, facts: Facts, now: number, hasAsked: boolean): Verdict | null {
    if (screen !== this.#screen) {
      this.#screen = screen
      this.#since = now
    }
    const row = VERDICTS[screen]
    const verdict = row && { reason: row.reason, message: `${row.message}: ${excerpt(facts)}` }
    if (!ON_THE_WAY.includes(screen)) this.#said = LEAD_AWAY.includes(screen) ? verdict : null
    if (!verdict || now - this.#since < row.afterMs) return null
    if (screen !== 'marketing') return verdict
    // Led away after it had asked, the bot was not wrong about the meeting: it was turned away.
    return this.#said ?? (hasAsked ? { ...verdict, reason: 'JoinRefused' } : verdict)
  }

  /** How long the last screen has been there. */
  stayedMs(now: number): number {
    return now - this.#since
  }
}
