// Screen rules and verdicts that the pages of several platforms share.
import type { ErrorReason } from '../../../domain/errors.ts'
import type { Condition, PageRules, Screen, ScreenRule, Sentences, VerdictRule } from './page-rules.ts'

/** Seconds: screens may flicker while a page loads. */
export const FLICKER = 1
const PATIENCE = 60

/** The screen that one of its own sentences names. */
export const says = (screen: Screen): ScreenRule => ({ screen, when: { sentences: [screen] } })

/** Sentences that may stand anywhere on the page. */
export const sentences = (...lists: readonly (readonly string[])[]): Sentences => ({ says: lists.flat() })

/** Any of these holds when two of the conditions do. */
export const pairsOf = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.flatMap((one, index) => conditions.slice(index + 1).map((other): Condition => ({ all: [one, other] })))

/** The refusal that a screen means, once it has stayed for so many seconds. */
export const verdict = (reason: ErrorReason, message: string, afterSeconds = FLICKER): VerdictRule => ({ reason, message, afterSeconds })

/** The verdicts of a platform whose pages have no better explanation. */
export const verdictsOf = (label: string) =>
  ({
    captcha: verdict('CaptchaRequired', `${label} shows a captcha, which only a person may solve`, 5),
    not_found: verdict('MeetingNotFound', 'There is no such meeting'),
    ended: verdict('MeetingEnded', 'The meeting has ended'),
    removed: verdict('JoinRefused', 'The bot was removed before it was admitted'),
    problem: { ...verdict('ConnectionLost', `${label} says that it cannot connect`, 10), reload: { afterSeconds: 3, most: 2 } },
    lost: verdict('ConnectionLost', `${label} lost its connection`, PATIENCE),
    unknown: verdict('InternalError', `${label} shows a page that the bot does not know`, PATIENCE),
    prejoin: verdict('JoinRefused', `${label} did not accept the request to join`, PATIENCE),
  }) satisfies PageRules['verdicts']
