// Every way through a bot's life as steps, and what the specification says is told on each.
import { expect } from 'vitest'
import type { ErrorReason } from '../../src/domain/errors.ts'
import type { Stage, Status, Trigger } from '../../src/domain/lifecycle.ts'
import type { Platform } from '../../src/domain/platforms.ts'

export type Step =
  | { readonly by: Exclude<Trigger, 'created' | 'scheduled'>; readonly reason?: ErrorReason; readonly message?: string }
  | { readonly stage: Stage }
/** event, bot_event, bot_status, status_code, and what only this event has. */
type Row = readonly [event: string, botEvent: string, botStatus: string, code: number | null, extra?: Record<string, unknown>]
type Path = {
  readonly name: string
  readonly platform: Platform
  readonly first?: 'scheduled'
  readonly body?: Record<string, unknown>
  readonly steps: readonly Step[]
  readonly told: readonly Row[]
  readonly ends: Status
}

const same = (event: string, status: string, code: number | null = 200, extra: Row[4] = {}): Row => [event, event, status, code, extra]
const stopped = (botEvent: string, status: string, code: number, extra: Row[4] = {}): Row => ['bot.stopped', botEvent, status, code, extra]
const by = (...triggers: Extract<Step, { by: unknown }>['by'][]): Step[] => triggers.map((trigger) => ({ by: trigger }))

const JOINING = same('bot.joining', 'Joining')
const WAITING = same('bot.in_waiting_room', 'InWaitingRoom')
const IN = same('bot.inmeeting', 'InMeeting')
const RECORDING = same('bot.recording', 'Recording')
const LEAVING = same('bot.leaving', 'Leaving')
const PROCESSING = same('bot.mediaprocessing', 'MediaProcessing', 200, { status: 'success' })
const DONE = same('bot.done', 'Done')
const SCHEDULED = same('bot.scheduled', 'Scheduled', 200, { scheduled_join_time: expect.stringMatching(/^20.*Z$/) })
const doneAs = (status: string) => same('bot.done', status, 200, { status: 'error' })
const AT_THE_DOOR = by('join_requested')
export const INSIDE = by('join_requested', 'admitted')
const AFTER = by('processing_started', 'processing_finished')
const WENT_IN = [JOINING, WAITING, IN]

export const PATHS: readonly Path[] = [
  {
    name: 'a meeting from beginning to deletion',
    platform: 'room',
    steps: [
      ...INSIDE,
      { stage: 'Recording' },
      ...by('leaving', 'left', 'processing_started'),
      { stage: 'Uploading' },
      ...by('processing_finished', 'media_deleted'),
    ],
    told: [
      ...[...WENT_IN, RECORDING, LEAVING, stopped('bot.stopped', 'Stopped', 200), PROCESSING],
      ...[same('bot.uploading', 'bot.uploading', 200, { status: 'success' }), DONE, same('data_deletion', 'MediaExpired')],
    ],
    ends: 'MediaExpired',
  },
  {
    name: 'a scheduled bot that starts',
    platform: 'teams',
    first: 'scheduled',
    steps: [...by('launched'), ...INSIDE, ...by('leaving', 'left')],
    told: [SCHEDULED, ...WENT_IN, LEAVING, stopped('bot.stopped', 'Stopped', 200)],
    ends: 'Stopped',
  },
  {
    name: 'a scheduled bot that is cancelled',
    platform: 'teams',
    first: 'scheduled',
    steps: by('cancelled', 'media_deleted'),
    told: [SCHEDULED, same('bot.cancelled', 'Cancelled'), same('data_deletion', 'MediaExpired')],
    ends: 'MediaExpired',
  },
  {
    name: 'a scheduled bot that is turned away',
    platform: 'teams',
    first: 'scheduled',
    steps: [{ by: 'launch_rejected', reason: 'InsufficientCredits', message: 'low credits' }],
    told: [SCHEDULED, same('bot.error', 'Error', null, { message: 'Error: low credits' }), doneAs('Error')],
    ends: 'Error',
  },
  {
    name: 'a scheduled bot that nobody could start',
    platform: 'teams',
    first: 'scheduled',
    steps: by('launch_exhausted'),
    told: [SCHEDULED, stopped('bot.failed', 'Error', 500), doneAs('Error')],
    ends: 'Error',
  },
  {
    name: 'Google Meet tells of its recording where there is a callback_url',
    platform: 'google_meet',
    body: { callback_url: 'http://127.0.0.1:9/' },
    steps: [...INSIDE, { stage: 'Recording' }],
    told: [...WENT_IN, RECORDING],
    ends: 'InMeeting',
  },
  {
    name: 'Google Meet does not tell of its recording where there is none',
    platform: 'google_meet',
    steps: [...INSIDE, { stage: 'Recording' }],
    told: WENT_IN,
    ends: 'InMeeting',
  },
  {
    name: 'Google Meet blocks the join',
    platform: 'google_meet',
    steps: [{ by: 'join_blocked', reason: 'MeetingNotFound', message: 'No such meeting' }, ...by('media_deleted')],
    told: [
      ...[JOINING, stopped('bot.failed', 'Failed', 500, { failure_reason: 'MeetingNotFound', message: 'Failed: No such meeting' })],
      ...[doneAs('Failed'), same('data_deletion', 'MediaExpired')],
    ],
    ends: 'MediaExpired',
  },
  {
    name: 'Google Meet’s own failures carry their reason before the meeting',
    platform: 'google_meet',
    steps: [{ by: 'join_failed', reason: 'LoginFailed', message: 'Error: the login failed' }],
    told: [
      JOINING,
      stopped('bot.failed', 'Error', 500, { failure_reason: 'LoginFailed', message: 'Error: the login failed' }),
      doneAs('Error'),
    ],
    ends: 'Error',
  },
  {
    name: 'and none once it was inside',
    platform: 'google_meet',
    steps: [...INSIDE, ...by('leaving'), { by: 'failed', reason: 'BrowserCrashed' }, ...by('media_deleted')],
    told: [...WENT_IN, LEAVING, stopped('bot.failed', 'Error', 500), doneAs('Error'), same('data_deletion', 'MediaExpired')],
    ends: 'MediaExpired',
  },
  {
    name: 'never admitted',
    platform: 'google_meet',
    steps: [...AT_THE_DOOR, ...by('leaving'), { by: 'never_admitted', reason: 'JoinTimeout' }],
    told: [
      JOINING,
      WAITING,
      LEAVING,
      stopped('bot.notallowed', 'NotAllowed', 500, { failure_reason: 'JoinTimeout' }),
      doneAs('NotAllowed'),
    ],
    ends: 'NotAllowed',
  },
  {
    name: 'refused by the host',
    platform: 'teams',
    steps: [...AT_THE_DOOR, ...by('leaving', 'refused')],
    told: [JOINING, WAITING, LEAVING, stopped('bot.denied', 'Denied', 500), doneAs('Denied')],
    ends: 'Denied',
  },
  {
    name: 'Teams blocks the join after the knock',
    platform: 'teams',
    steps: [...AT_THE_DOOR, ...by('leaving', 'join_blocked')],
    told: [JOINING, WAITING, LEAVING, stopped('bot.failed', 'Failed', 500), doneAs('Failed')],
    ends: 'Failed',
  },
  {
    name: 'shown out',
    platform: 'room',
    steps: [...INSIDE, ...by('leaving', 'removed'), ...AFTER],
    told: [...WENT_IN, LEAVING, stopped('bot.kicked', 'Stopped', 200), PROCESSING, DONE],
    ends: 'Done',
  },
  {
    name: 'asked to leave on its way in',
    platform: 'room',
    steps: by('leaving', 'left'),
    told: [JOINING, LEAVING, stopped('bot.stopped', 'Stopped', 200)],
    ends: 'Stopped',
  },
  {
    name: 'Zoom’s host allows the recording',
    platform: 'zoom',
    steps: [...INSIDE, ...by('recording_allowed', 'leaving', 'left'), ...AFTER],
    told: [
      ...WENT_IN,
      same('bot.recording_permission_allowed', 'RecordingPermissionAllowed'),
      LEAVING,
      stopped('bot.stopped', 'Stopped', 200),
      PROCESSING,
      DONE,
    ],
    ends: 'Done',
  },
  {
    name: 'Zoom’s host does not',
    platform: 'zoom',
    steps: [...INSIDE, ...by('recording_denied', 'leaving', 'left')],
    told: [
      ...WENT_IN,
      same('bot.recording_permission_denied', 'RecordingPermissionDenied', 500),
      LEAVING,
      stopped('bot.stopped', 'Stopped', 200),
    ],
    ends: 'Stopped',
  },
  {
    name: 'Zoom blocks the join: an error whose media is looked for all the same',
    platform: 'zoom',
    steps: [...by('join_blocked'), ...AFTER],
    told: [JOINING, stopped('bot.failed', 'Error', 500), PROCESSING, DONE],
    ends: 'Done',
  },
]
