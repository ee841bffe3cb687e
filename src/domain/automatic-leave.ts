// Automatic leave: the timeouts that a caller may set, with ranges and defaults in seconds.
import { PLATFORMS, type Platform, type Range } from './platforms.ts'

export type LeaveRules = {
  readonly waitingRoomSeconds: number
  readonly nobodyJoinedSeconds: number
  readonly everyoneLeftSeconds: number
  /** Off unless given. */
  readonly silenceSeconds: number | null
  readonly longestCallSeconds: number
  readonly recordingPermissionSeconds: number
  readonly onlyBots: OnlyBotsRule | null
}

/** The bot leaves when the name of every other participant contains one of these. */
export type OnlyBotsRule = { readonly matches: readonly string[]; readonly activateAfterSeconds: number; readonly timeoutSeconds: number }

export const LEAVE_DEFAULTS: LeaveRules = {
  waitingRoomSeconds: 600,
  nobodyJoinedSeconds: 600,
  everyoneLeftSeconds: 300,
  silenceSeconds: null,
  longestCallSeconds: 14_400,
  recordingPermissionSeconds: 60,
  onlyBots: null,
}

export const ONLY_BOTS_DEFAULTS = { activateAfterSeconds: 300, timeoutSeconds: 5 }

export const ONLY_BOTS_RANGES = {
  activateAfterSeconds: { min: 60, max: 1800 },
  timeoutSeconds: { min: 5, max: 300 },
} as const satisfies Record<string, Range>

/** The range of each timeout on a platform. */
export function leaveRanges(platform: Platform): Readonly<Record<Exclude<keyof LeaveRules, 'onlyBots'>, Range>> {
  return {
    waitingRoomSeconds: PLATFORMS[platform].waitingRoomSeconds,
    nobodyJoinedSeconds: { min: 60, max: 1800 },
    everyoneLeftSeconds: { min: 60, max: 1800 },
    silenceSeconds: { min: 60, max: 1800 },
    longestCallSeconds: { min: 600, max: 18_000 },
    recordingPermissionSeconds: { min: 60, max: 300 },
  }
}
