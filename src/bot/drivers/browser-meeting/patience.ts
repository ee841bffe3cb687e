// How long a screen before admission must stay until it counts as a refusal.
import type { ErrorReason } from '../../../domain/errors.ts'
import { excerpt, type Facts } from './facts.ts'
import type { PageRules, Screen, VerdictRule } from './page-rules.ts'

export type Verdict = {
  readonly reason: ErrorReason
  readonly message: string
  /** A fresh browser may pass. */
  readonly tryAfresh?: boolean
}

/** Refusals that soon redirect to the marketing page, and the screens during the redirect. */
const LEAD_AWAY: readonly Screen[] = ['restricted', 'refused', 'invalid', 'not_found']
const ON_THE_WAY: readonly Screen[] = ['blank', 'unknown', 'marketing']

/** Receives every screen, and returns a verdict when one has stayed too long. */
export class Patience {
  readonly #verdicts: PageRules['verdicts']
  #screen: Screen | null = null
  #since = 0
  /** The last verdict of a screen that redirects. It holds even if the redirect was quick. */
  #last: Verdict | null = null

  constructor(verdicts: PageRules['verdicts']) {
    this.#verdicts = verdicts
  }

  /** `hasAsked`: the bot has asked to join. */
  see(screen: Screen, facts: Facts, now: number, hasAsked: boolean): Verdict | null {
    if (screen !== this.#screen) {
      this.#screen = screen
      this.#since = now
    }
    const rule = this.#verdicts[screen]
    const verdict = rule && {
      reason: rule.reason,
      message: `${rule.message}: ${excerpt(facts)}`,
      ...(rule.tryAfresh && { tryAfresh: true }),
    }
    if (!ON_THE_WAY.includes(screen)) this.#last = LEAD_AWAY.includes(screen) ? (verdict ?? null) : null
    if (!rule || !verdict || now - this.#since < secondsOf(rule, hasAsked) * 1000) return null
    if (screen !== 'marketing') return verdict
    // A redirect after asking means a refusal, not a wrong link.
    return this.#last ?? (hasAsked ? { ...verdict, reason: 'JoinRefused' } : verdict)
  }

  /** The page was reloaded: the time of a screen starts again. */
  restart(now: number): void {
    this.#since = now
  }

  /** How long the last screen has been shown. */
  stayedMs(now: number): number {
    return now - this.#since
  }
}

function secondsOf({ afterSeconds, onceAskedSeconds = afterSeconds }: VerdictRule, hasAsked: boolean): number {
  return hasAsked ? onceAskedSeconds : afterSeconds
}
