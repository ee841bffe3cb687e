// Reads automatic_leave: checks each timeout against its platform's range and fills in defaults.
import type { Static } from 'typebox'
import {
  LEAVE_DEFAULTS,
  type LeaveRules,
  leaveRanges,
  ONLY_BOTS_DEFAULTS,
  ONLY_BOTS_RANGES,
  type OnlyBotsRule,
} from '../../../../domain/automatic-leave.ts'
import { invalid } from '../../../../domain/errors.ts'
import type { Platform, Range } from '../../../../domain/platforms.ts'
import type { AutomaticLeave } from './schema.ts'

type Given = Static<typeof AutomaticLeave>

const FIELDS = {
  waiting_room_timeout: 'waitingRoomSeconds',
  no_one_joined_timeout: 'nobodyJoinedSeconds',
  everyone_left_timeout: 'everyoneLeftSeconds',
  voice_inactivity_timeout: 'silenceSeconds',
  in_call_recording_timeout: 'longestCallSeconds',
  recording_permission_denied_timeout: 'recordingPermissionSeconds',
} as const satisfies Partial<Record<keyof Given, keyof LeaveRules>>

export function readLeaveRules(given: Given | undefined, platform: Platform, base: LeaveRules = LEAVE_DEFAULTS): LeaveRules {
  if (!given) return base
  const ranges = leaveRanges(platform)
  const rules: Record<string, unknown> = { ...base }
  for (const [field, rule] of Object.entries(FIELDS) as [keyof typeof FIELDS, (typeof FIELDS)[keyof typeof FIELDS]][]) {
    const seconds = given[field]
    if (seconds === undefined) continue
    rules[rule] = within(`automatic_leave.${field}`, seconds, ranges[rule])
  }
  const names = given.bot_detection?.using_participant_names
  return { ...(rules as LeaveRules), onlyBots: names ? readOnlyBots(names) : base.onlyBots }
}

type Names = NonNullable<NonNullable<Given['bot_detection']>['using_participant_names']>

function readOnlyBots({
  matches,
  activate_after = ONLY_BOTS_DEFAULTS.activateAfterSeconds,
  timeout = ONLY_BOTS_DEFAULTS.timeoutSeconds,
}: Names): OnlyBotsRule {
  const field = 'automatic_leave.bot_detection.using_participant_names'
  if (matches.some((match) => match.trim() === '')) throw invalid(`${field}.matches must not contain a blank text.`)
  return {
    matches,
    activateAfterSeconds: within(`${field}.activate_after`, activate_after, ONLY_BOTS_RANGES.activateAfterSeconds),
    timeoutSeconds: within(`${field}.timeout`, timeout, ONLY_BOTS_RANGES.timeoutSeconds),
  }
}

function within(field: string, seconds: number, { min, max }: Range): number {
  if (seconds < min || seconds > max) throw invalid(`${field} must be from ${min} to ${max} seconds.`)
  return seconds
}
