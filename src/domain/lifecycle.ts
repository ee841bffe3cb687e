// A bot's lifecycle: its statuses, its triggers, and THE TABLE of transitions.
import type { Platform } from './platforms.ts'

const IN_MEETING = ['InMeeting', 'RecordingPermissionAllowed', 'RecordingPermissionDenied'] as const
const STARTED = ['Joining', 'InWaitingRoom', ...IN_MEETING, 'Leaving'] as const
const NEVER_GOT_IN = ['NotAllowed', 'Denied', 'Failed'] as const
const ENDED = ['Stopped', 'Kicked', ...NEVER_GOT_IN, 'Error'] as const
const SETTLED = ['Done', 'MediaExpired', 'Cancelled'] as const

export const STATUSES = ['Scheduled', ...STARTED, ...ENDED, 'MediaProcessing', ...SETTLED] as const
export type Status = (typeof STATUSES)[number]

/** The bot has started and has not ended: it holds a seat and a login. */
export const RUNNING: readonly Status[] = STARTED

/** Statuses after the meeting. Media processing may follow. */
export const TERMINAL: ReadonlySet<Status> = new Set([...ENDED, ...SETTLED])

/** The bot is in the meeting and takes commands. */
export const PRESENT: ReadonlySet<Status> = new Set(['InMeeting', 'RecordingPermissionAllowed'])

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

type Row = {
  readonly from: readonly (Status | 'new')[]
  readonly on: string
  readonly to: Status
  readonly only?: readonly Platform[]
}

// biome-ignore format: a table reads best with one row a line
const ROWS = [
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
] as const satisfies readonly Row[]

export type Trigger = (typeof ROWS)[number]['on']

export const TRANSITIONS: readonly (Row & { readonly on: Trigger })[] = ROWS

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

/** The status of a filter value. Case is ignored: some clients send `FAILED` and `ERROR`. */
export function statusOf(text: string): Status | undefined {
  return STATUSES.find((status) => status.toLowerCase() === text.toLowerCase())
}
