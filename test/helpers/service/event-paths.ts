// Every path of a bot's lifecycle as steps, with the events that the specification demands.
import { expect } from 'vitest'
import type { ErrorReason } from '../../../src/domain/errors.ts'
import type { Stage, Status, Trigger } from '../../../src/domain/lifecycle.ts'
import type { Platform } from '../../../src/domain/platforms.ts'

export type Step =
  | { readonly by: Exclude<Trigger, 'created' | 'scheduled'>; readonly reason?: ErrorReason; readonly message?: string }
  | { readonly stage: Stage }
/** event, bot_event, bot_status, status_code, and further fields of this event. */
type Row = readonly [event: string, botEvent: string, botStatus: string, code: number | null, extra?: Record<string, unknown>]
type Path = {
  readonly name: string
  readonly platform: Platform
  readonly first?: 'scheduled'
  readonly body?: Record<string, unknown>
  readonly steps: readonly Step[]
  readonly events: readonly Row[]
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
    events: [
      ...[...WENT_IN, RECORDING, LEAVING, stopped('bot.stopped', 'Stopped', 200), PROCESSING],
      ...[same('bot.uploading', 'bot.uploading', 200, { status: 'success' }), DONE, same('data_deletion', 'MediaExpired')],
    ],
    ends: 'MediaExpired',
  },
  {
    name: 'a recording that is processed again',
    platform: 'room',
    steps: [...INSIDE, ...by('leaving', 'left'), ...AFTER, ...by('processing_retried', 'processing_finished')],
    events: [...[...WENT_IN, LEAVING, stopped('bot.stopped', 'Stopped', 200)], ...[PROCESSING, DONE, PROCESSING, DONE]],
    ends: 'Done',
  },
  {
    name: 'a scheduled bot that starts',
    platform: 'teams',
    first: 'scheduled',
    steps: [...by('launched'), ...INSIDE, ...by('leaving', 'left')],
    events: [SCHEDULED, ...WENT_IN, LEAVING, stopped('bot.stopped', 'Stopped', 200)],
    ends: 'Stopped',
  },
  {
    name: 'a scheduled bot that is cancelled',
    platform: 'teams',
    first: 'scheduled',
    steps: by('cancelled', 'media_deleted'),
    events: [SCHEDULED, same('bot.cancelled', 'Cancelled'), same('data_deletion', 'MediaExpired')],
    ends: 'MediaExpired',
  },
  {
    name: 'a scheduled bot that is rejected at its start',
    platform: 'teams',
    first: 'scheduled',
    steps: [{ by: 'launch_rejected', reason: 'InsufficientCredits', message: 'low credits' }],
    events: [SCHEDULED, same('bot.error', 'Error', null, { message: 'Error: low credits' }), doneAs('Error')],
    ends: 'Error',
  },
  {
    name: 'a scheduled bot that no node could start',
    platform: 'teams',
    first: 'scheduled',
    steps: by('launch_exhausted'),
    events: [SCHEDULED, stopped('bot.failed', 'Error', 500), doneAs('Error')],
    ends: 'Error',
  },
  {
    name: 'a recording in Google Meet with a callback_url',
    platform: 'google_meet',
    body: { callback_url: 'http://127.0.0.1:9/' },
    steps: [...INSIDE, { stage: 'Recording' }],
    events: [...WENT_IN, RECORDING],
    ends: 'InMeeting',
  },
  {
    name: 'a recording in Google Meet without a callback_url',
    platform: 'google_meet',
    steps: [...INSIDE, { stage: 'Recording' }],
    events: WENT_IN,
    ends: 'InMeeting',
  },
  {
    name: 'a blocked join in Google Meet',
    platform: 'google_meet',
    steps: [{ by: 'join_blocked', reason: 'MeetingNotFound', message: 'No such meeting' }, ...by('media_deleted')],
    events: [
      ...[JOINING, stopped('bot.failed', 'Failed', 500, { failure_reason: 'MeetingNotFound', message: 'Failed: No such meeting' })],
      ...[doneAs('Failed'), same('data_deletion', 'MediaExpired')],
    ],
    ends: 'MediaExpired',
  },
  {
    name: 'a failure in Google Meet before admission, with its reason',
    platform: 'google_meet',
    steps: [{ by: 'join_failed', reason: 'LoginFailed', message: 'Error: the login failed' }],
    events: [
      JOINING,
      stopped('bot.failed', 'Error', 500, { failure_reason: 'LoginFailed', message: 'Error: the login failed' }),
      doneAs('Error'),
    ],
    ends: 'Error',
  },
  {
    name: 'a failure in Google Meet after admission, without a reason',
    platform: 'google_meet',
    steps: [...INSIDE, ...by('leaving'), { by: 'failed', reason: 'BrowserCrashed' }, ...by('media_deleted')],
    events: [...WENT_IN, LEAVING, stopped('bot.failed', 'Error', 500), doneAs('Error'), same('data_deletion', 'MediaExpired')],
    ends: 'MediaExpired',
  },
  {
    name: 'a bot that is never admitted',
    platform: 'google_meet',
    steps: [...AT_THE_DOOR, ...by('leaving'), { by: 'never_admitted', reason: 'JoinTimeout' }],
    events: [
      JOINING,
      WAITING,
      LEAVING,
      stopped('bot.notallowed', 'NotAllowed', 500, { failure_reason: 'JoinTimeout' }),
      doneAs('NotAllowed'),
    ],
    ends: 'NotAllowed',
  },
  {
    name: 'a bot that the host refuses',
    platform: 'teams',
    steps: [...AT_THE_DOOR, ...by('leaving', 'refused')],
    events: [JOINING, WAITING, LEAVING, stopped('bot.denied', 'Denied', 500), doneAs('Denied')],
    ends: 'Denied',
  },
  {
    name: 'a blocked join in Teams after the knock',
    platform: 'teams',
    steps: [...AT_THE_DOOR, ...by('leaving', 'join_blocked')],
    events: [JOINING, WAITING, LEAVING, stopped('bot.failed', 'Failed', 500), doneAs('Failed')],
    ends: 'Failed',
  },
  {
    name: 'a bot that is removed from the meeting',
    platform: 'room',
    steps: [...INSIDE, ...by('leaving', 'removed'), ...AFTER],
    events: [...WENT_IN, LEAVING, stopped('bot.kicked', 'Stopped', 200), PROCESSING, DONE],
    ends: 'Done',
  },
  {
    name: 'a bot that is asked to leave while it joins',
    platform: 'room',
    steps: by('leaving', 'left'),
    events: [JOINING, LEAVING, stopped('bot.stopped', 'Stopped', 200)],
    ends: 'Stopped',
  },
  {
    name: 'a recording that the Zoom host allows',
    platform: 'zoom',
    steps: [...INSIDE, ...by('recording_allowed', 'leaving', 'left'), ...AFTER],
    events: [
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
    name: 'a recording that the Zoom host denies',
    platform: 'zoom',
    steps: [...INSIDE, ...by('recording_denied', 'leaving', 'left')],
    events: [
      ...WENT_IN,
      same('bot.recording_permission_denied', 'RecordingPermissionDenied', 500),
      LEAVING,
      stopped('bot.stopped', 'Stopped', 200),
    ],
    ends: 'Stopped',
  },
  {
    name: 'a blocked join in Zoom, with media processing',
    platform: 'zoom',
    steps: [...by('join_blocked'), ...AFTER],
    events: [JOINING, stopped('bot.failed', 'Error', 500), PROCESSING, DONE],
    ends: 'Done',
  },
]
