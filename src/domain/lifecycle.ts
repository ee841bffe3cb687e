// A bot's lifecycle: its statuses, its triggers, and THE TABLE of transitions.
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

/** Entries of a bot's timeline besides its statuses. */
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
  'processing_retried',
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

  // Rows that the specification implies but does not list.
  // A bot that is asked to leave while joining leaves like any other.
  { from: ['Joining'],          on: 'leaving',             to: 'Leaving' },
  // Only platform B skips Leaving when a join is blocked. On Teams the blocker may come after it.
  { from: ['Leaving'],          on: 'join_blocked',        to: 'Failed',                     only: ['teams'] },
  // The screenshot of a bot that was never admitted can be deleted too.
  { from: NEVER_GOT_IN,         on: 'media_deleted',       to: 'MediaExpired' },
  { from: ['Error'],            on: 'media_deleted',       to: 'MediaExpired' },
  { from: ['Cancelled'],        on: 'media_deleted',       to: 'MediaExpired' },
  // An operator lets a recording be processed again that was given up.
  { from: ['Done'],             on: 'processing_retried',  to: 'MediaProcessing' },
]

/** The status after `trigger`, or null where the table has no such row. */
export function next(from: Status | 'new', trigger: Trigger, platform: Platform): Status | null {
  const row = TRANSITIONS.find((it) => it.on === trigger && it.from.includes(from) && (it.only?.includes(platform) ?? true))
  return row?.to ?? null
}

/** Only `bot.done` follows: the bot was never admitted, and there is no media to process. */
export function isLastWord(status: Status, by: Trigger, platform: Platform): boolean {
  if (status === 'NotAllowed' || status === 'Denied' || status === 'Failed') return true
  if (status !== 'Error') return false
  const neverStarted = by === 'launch_rejected' || by === 'launch_exhausted'
  return neverStarted || next(status, 'processing_started', platform) === null
}

/** Statuses after the meeting. Media processing may follow. */
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

/** The bot is in the meeting and takes commands. */
export const PRESENT: ReadonlySet<Status> = new Set(['InMeeting', 'RecordingPermissionAllowed'])

/** The bot has started and has not ended: it holds a seat and a login. */
export const RUNNING: readonly Status[] = [
  'Joining',
  'InWaitingRoom',
  'InMeeting',
  'RecordingPermissionAllowed',
  'RecordingPermissionDenied',
  'Leaving',
]

/** The status of a filter value. Case is ignored: some clients send `FAILED` and `ERROR`. */
export function statusOf(text: string): Status | undefined {
  return STATUSES.find((status) => status.toLowerCase() === text.toLowerCase())
}
