// Decides whether a bot leaves by itself now, and why. Pure.
import type { LeaveRules, OnlyBotsRule } from './automatic-leave.ts'

/** The known facts of the meeting. Times are milliseconds on one clock. */
export type MeetingFacts = {
  readonly now: number
  readonly enteredAt: number
  readonly everHadCompany: boolean
  /** Start of the time without other participants in the roster; null while there are some. */
  readonly aloneSince: number | null
  /** Start of the time in which every other participant is a bot by name; null otherwise. */
  readonly onlyBotsSince: number | null
  /** The last packet of any audio or video, and the last one with voice. */
  readonly lastMediaAt: number | null
  readonly lastVoiceAt: number | null
  /** When the bot asked for permission to record; null once it is allowed, and where the platform does not ask. */
  readonly permissionAskedAt: number | null
}

type LeaveRule = 'permission_unanswered' | 'longest_call' | 'no_one_joined' | 'everyone_left' | 'silence' | 'only_bots'
type ReasonToLeave = { readonly rule: LeaveRule; readonly message: string }

/** An empty roster counts only after this long without media: rosters have been wrong. */
const QUIET_MS = 5_000

type Judge = (rules: LeaveRules, facts: MeetingFacts) => string | null

/** In order of priority: the first that applies is the reason. */
const JUDGES: Readonly<Record<LeaveRule, Judge>> = {
  permission_unanswered: ({ recordingPermissionSeconds }, { now, permissionAskedAt }) =>
    lasted(permissionAskedAt, now, recordingPermissionSeconds)
      ? `The host did not answer the request to record within ${recordingPermissionSeconds} s`
      : null,

  longest_call: ({ longestCallSeconds }, { now, enteredAt }) =>
    lasted(enteredAt, now, longestCallSeconds) ? `The call reached its longest recording time of ${longestCallSeconds} s` : null,

  no_one_joined: ({ nobodyJoinedSeconds }, facts) =>
    !facts.everHadCompany && isAlone(facts) && lasted(facts.enteredAt, facts.now, nobodyJoinedSeconds)
      ? `No other participant joined within ${nobodyJoinedSeconds} s`
      : null,

  everyone_left: ({ everyoneLeftSeconds }, facts) =>
    facts.everHadCompany && isAlone(facts) && lasted(facts.aloneSince, facts.now, everyoneLeftSeconds)
      ? `Everyone else has been gone for ${everyoneLeftSeconds} s`
      : null,

  silence: ({ silenceSeconds }, { now, enteredAt, lastVoiceAt }) =>
    silenceSeconds !== null && lasted(lastVoiceAt ?? enteredAt, now, silenceSeconds)
      ? `No participant has spoken for ${silenceSeconds} s`
      : null,

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

/** At least one other participant, and all of them bots by name. `others` does not include the bot itself. */
export function areOnlyBots(others: readonly string[], { matches }: OnlyBotsRule): boolean {
  const marks = matches.map((match) => match.toLowerCase())
  return others.length > 0 && others.every((name) => marks.some((mark) => name.toLowerCase().includes(mark)))
}

/** Requires two independent signals: an empty roster, and no media. */
function isAlone({ aloneSince, lastMediaAt, now }: MeetingFacts): boolean {
  return aloneSince !== null && (lastMediaAt === null || now - lastMediaAt >= QUIET_MS)
}

/** The countdown starts only when the rule is active. */
function activeFrom({ activateAfterSeconds }: OnlyBotsRule, enteredAt: number): number {
  return enteredAt + activateAfterSeconds * 1000
}

function lasted(since: number | null, now: number, seconds: number): boolean {
  return since !== null && now - since >= seconds * 1000
}
