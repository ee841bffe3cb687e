// A bot's life: its statuses, what can happen to it, and THE TABLE of where each happening leads.
import type { Platform } from './platforms.ts'

export const STATUSES = [
  'Scheduled',
  'Joining',
  'InWaitingRoom',
  'InMeeting',
  'RecordingPermissionAllowed',
  'RecordingPermissionDenied',
  'Leaving',
  'Stopped',
  'Kicked',
  'NotAllowed',
  'Denied',
  'Failed',
  'Error',
  'MediaProcessing',
  'Done',
  'MediaExpired',
  'Cancelled',
] as const
export type Status = (typeof STATUSES)[number]

/** What a bot's timeline knows besides its statuses. */
export type Stage =
  | 'Queued'
  | 'Recording'
  | 'Rejoining'
  | 'Rejoined'
  | 'AudioProcessing'
  | 'VideoProcessing'
  | 'Uploading'
  | 'TranscriptionReady'

export const TRIGGERS = [
  'created',
  'scheduled',
  'launched',
  'cancelled',
  'launch_rejected',
  'launch_exhausted',
  'join_requested',
  'join_blocked',
  'join_failed',
  'admitted',
  'recording_allowed',
  'recording_denied',
  'leaving',
  'left',
  'removed',
  'never_admitted',
  'refused',
  'failed',
  'processing_started',
  'processing_finished',
  'media_deleted',
] as const
export type Trigger = (typeof TRIGGERS)[number]

type Row = { readonly from: readonly (Status | 'new')[]; readonly on: Trigger; readonly to: Status; readonly only?: readonly Platform[] }

const IN_MEETING = ['InMeeting', 'RecordingPermissionAllowed', 'RecordingPermissionDenied'] as const
const NEVER_GOT_IN = ['NotAllowed', 'Denied', 'Failed'] as const

// biome-ignore format: a table reads best with one row a line
export const TRANSITIONS: readonly Row[] = [
  { from: ['new'],              on: 'created',             to: 'Joining' },
  { from: ['new'],              on: 'scheduled',           to: 'Scheduled' },
  { from: ['Scheduled'],        on: 'launched',            to: 'Joining' },
  { from: ['Scheduled'],        on: 'cancelled',           to: 'Cancelled' },
  { from: ['Scheduled'],        on: 'launch_rejected',     to: 'Error' },
  { from: ['Scheduled'],        on: 'launch_exhausted',    to: 'Error' },
  { from: ['Joining'],          on: 'join_requested',      to: 'InWaitingRoom' },
  { from: ['Joining'],          on: 'join_blocked',        to: 'Failed',                     only: ['google_meet', 'teams', 'whatsapp', 'room'] },
  { from: ['Joining'],          on: 'join_blocked',        to: 'Error',                      only: ['zoom'] },
  { from: ['Joining'],          on: 'join_failed',         to: 'Error' },
  { from: ['InWaitingRoom'],    on: 'admitted',            to: 'InMeeting' },
  { from: ['InWaitingRoom'],    on: 'leaving',             to: 'Leaving' },
  { from: ['InMeeting'],        on: 'recording_allowed',   to: 'RecordingPermissionAllowed', only: ['zoom'] },
  { from: ['InMeeting'],        on: 'recording_denied',    to: 'RecordingPermissionDenied',  only: ['zoom'] },
  { from: IN_MEETING,           on: 'leaving',             to: 'Leaving' },
  { from: ['Leaving'],          on: 'left',                to: 'Stopped' },
  { from: ['Leaving'],          on: 'removed',             to: 'Kicked' },
  { from: ['Leaving'],          on: 'never_admitted',      to: 'NotAllowed' },
  { from: ['Leaving'],          on: 'refused',             to: 'Denied' },
  { from: ['Leaving'],          on: 'failed',              to: 'Error' },
  { from: ['Stopped','Kicked'], on: 'processing_started',  to: 'MediaProcessing' },
  { from: ['Error'],            on: 'processing_started',  to: 'MediaProcessing',            only: ['zoom', 'teams', 'room'] },
  { from: ['MediaProcessing'],  on: 'processing_finished', to: 'Done' },
  { from: ['Done'],             on: 'media_deleted',       to: 'MediaExpired' },

  // Rows the specification implies but does not list.
  // A bot asked to leave on its way in leaves like any other.
  { from: ['Joining'],          on: 'leaving',             to: 'Leaving' },
  // Only platform B skips Leaving when a join is blocked; on Teams the blocker may come after it.
  { from: ['Leaving'],          on: 'join_blocked',        to: 'Failed',                     only: ['teams'] },
  // What a bot that never got in keeps (a screenshot of the refusal) can be deleted too.
  { from: NEVER_GOT_IN,         on: 'media_deleted',       to: 'MediaExpired' },
  { from: ['Error'],            on: 'media_deleted',       to: 'MediaExpired' },
  { from: ['Cancelled'],        on: 'media_deleted',       to: 'MediaExpired' },
]

/** The status that `trigger` leads to, or null where the table has no such row. */
export function next(from: Status | 'new', trigger: Trigger, platform: Platform): Status | null {
  const row = TRANSITIONS.find((it) => it.on === trigger && it.from.includes(from) && (it.only?.includes(platform) ?? true))
  return row?.to ?? null
}

/** Nothing follows this status but `bot.done`: the bot never got in, and no media waits to be processed. */
export function isLastWord(status: Status, by: Trigger, platform: Platform): boolean {
  if (status === 'NotAllowed' || status === 'Denied' || status === 'Failed') return true
  if (status !== 'Error') return false
  const neverStarted = by === 'launch_rejected' || by === 'launch_exhausted'
  return neverStarted || next(status, 'processing_started', platform) === null
}

/** Statuses from which nothing more happens in the meeting; media work may still follow. */
export const TERMINAL: ReadonlySet<Status> = new Set([
  'Stopped',
  'Kicked',
  'NotAllowed',
  'Denied',
  'Failed',
  'Error',
  'Done',
  'MediaExpired',
  'Cancelled',
])

/** The bot is in the meeting and can be spoken to. */
export const PRESENT: ReadonlySet<Status> = new Set(['InMeeting', 'RecordingPermissionAllowed'])

/** The bot holds a seat, a login and the owner's attention: it has started and has not ended. */
export const RUNNING: readonly Status[] = [
  'Joining',
  'InWaitingRoom',
  'InMeeting',
  'RecordingPermissionAllowed',
  'RecordingPermissionDenied',
  'Leaving',
]

/** The status a filter means. Compared without case, because some clients know `FAILED` and `ERROR`. */
export function statusOf(text: string): Status | undefined {
  return STATUSES.find((status) => status.toLowerCase() === text.toLowerCase())
}
