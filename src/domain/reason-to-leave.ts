// Whether a bot should leave by itself now, and why. Pure: what is known of the meeting goes in, a reason or null comes out.
import type { LeaveRules, OnlyBotsRule } from './automatic-leave.ts'

/** What a bot knows of its meeting. Moments are milliseconds on one clock. */
export type MeetingFacts = {
  readonly now: number
  readonly enteredAt: number
  readonly everHadCompany: boolean
  /** Since when the roster has shown nobody else; null while somebody is there. */
  readonly aloneSince: number | null
  /** Since when everybody else has been a bot by name; null while somebody is not. */
  readonly onlyBotsSince: number | null
  /** The last packet of anybody's audio or video, and the last one that held a voice. */
  readonly lastMediaAt: number | null
  readonly lastVoiceAt: number | null
  /** Since when the bot has waited for permission to record; null once it is allowed, and where the platform does not ask. */
  readonly permissionAskedAt: number | null
}

type LeaveRule = 'permission_unanswered' | 'longest_call' | 'nobody_joined' | 'everyone_left' | 'silence' | 'only_bots'
type ReasonToLeave = { readonly rule: LeaveRule; readonly message: string }

/** A roster that shows nobody is believed only when nobody has sent anything for this long either: rosters have been wrong. */
const QUIET_MS = 5_000

type Judge = (rules: LeaveRules, facts: MeetingFacts) => string | null

/** In the order in which they count: the first that holds is the reason. */
const JUDGES: Readonly<Record<LeaveRule, Judge>> = {
  permission_unanswered: ({ recordingPermissionSeconds }, { now, permissionAskedAt }) =>
    lasted(permissionAskedAt, now, recordingPermissionSeconds)
      ? `The host did not answer the request to record within ${recordingPermissionSeconds} s`
      : null,

  longest_call: ({ longestCallSeconds }, { now, enteredAt }) =>
    lasted(enteredAt, now, longestCallSeconds) ? `The call reached its longest recording time of ${longestCallSeconds} s` : null,

  nobody_joined: ({ nobodyJoinedSeconds }, facts) =>
    !facts.everHadCompany && isAlone(facts) && lasted(facts.enteredAt, facts.now, nobodyJoinedSeconds)
      ? `Nobody else joined within ${nobodyJoinedSeconds} s`
      : null,

  everyone_left: ({ everyoneLeftSeconds }, facts) =>
    facts.everHadCompany && isAlone(facts) && lasted(facts.aloneSince, facts.now, everyoneLeftSeconds)
      ? `Everyone else has been gone for ${everyoneLeftSeconds} s`
      : null,

  silence: ({ silenceSeconds }, { now, enteredAt, lastVoiceAt }) =>
    silenceSeconds !== null && lasted(lastVoiceAt ?? enteredAt, now, silenceSeconds) ? `Nobody has spoken for ${silenceSeconds} s` : null,

  only_bots: ({ onlyBots }, { now, enteredAt, onlyBotsSince }) =>
    onlyBots && onlyBotsSince !== null && lasted(Math.max(onlyBotsSince, activeFrom(onlyBots, enteredAt)), now, onlyBots.timeoutSeconds)
      ? 'Only bots are left in the meeting'
      : null,
}

export function reasonToLeave(rules: LeaveRules, facts: MeetingFacts): ReasonToLeave | null {
  for (const [rule, judge] of Object.entries(JUDGES) as [LeaveRule, Judge][]) {
    const message = judge(rules, facts)
    if (message) return { rule, message }
  }
  return null
}

/** Whether everybody else, and at least one, is a bot by name. The bot itself is not among the others, so it never matches itself. */
export function areOnlyBots(others: readonly string[], { matches }: OnlyBotsRule): boolean {
  const marks = matches.map((match) => match.toLowerCase())
  return others.length > 0 && others.every((name) => marks.some((mark) => name.toLowerCase().includes(mark)))
}

/** Two independent signals: the roster, and that nothing is being sent. */
function isAlone({ aloneSince, lastMediaAt, now }: MeetingFacts): boolean {
  return aloneSince !== null && (lastMediaAt === null || now - lastMediaAt >= QUIET_MS)
}

/** The countdown never begins before the rule is active. */
function activeFrom({ activateAfterSeconds }: OnlyBotsRule, enteredAt: number): number {
  return enteredAt + activateAfterSeconds * 1000
}

function lasted(since: number | null, now: number, seconds: number): boolean {
  return since !== null && now - since >= seconds * 1000
}
