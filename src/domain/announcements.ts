// Webhook events: the event, bot_event, bot_status and status_code of each status and each notice.
import type { Stage, Status, Trigger } from './lifecycle.ts'
import type { Platform } from './platforms.ts'

/** The meaning of every event, for the published description. An endpoint can subscribe to each of them. */
export const EVENTS = {
  'bot.scheduled': 'A bot was created that joins later.',
  'bot.cancelled': 'A scheduled bot was cancelled before it joined.',
  'bot.joining': 'The bot is joining the meeting.',
  'bot.in_waiting_room': 'The bot asked to join and waits for the host.',
  'bot.inmeeting': 'The bot is in the meeting.',
  'bot.recording': 'The recording has begun.',
  'bot.recording_permission_allowed': 'The host allowed the recording.',
  'bot.recording_permission_denied': 'The host did not allow the recording.',
  'bot.rejoining': 'The bot lost its session and joins again.',
  'bot.rejoined': 'The bot is back in the meeting.',
  'bot.leaving': 'The bot leaves the meeting.',
  'bot.stopped': 'The bot left the meeting or was never admitted. `bot_event` and `bot_status` say how it ended.',
  'bot.error': 'A live transcription provider failed, or a scheduled bot was rejected at its start. `message` says why.',
  'bot.mediaprocessing': 'The recording is being processed.',
  'bot.uploading': 'The recording is being uploaded to the store.',
  'audio.processed': 'The mixed audio is ready, or could not be made.',
  'video.processed': 'The video is ready, or could not be made.',
  'transcription.processed': 'A transcription run succeeded.',
  'transcription.failed': 'A transcription run failed. `message` says why.',
  'bot.transcriptionready': 'The transcript can be read.',
  'bot.done': 'The last event of the bot: all processing has ended.',
  data_deletion: 'All stored data of the bot was deleted.',
  'participant_events.join': 'A participant joined, or was present when the bot was admitted.',
  'participant_events.leave': 'A participant left.',
  'participant_events.update': 'A participant’s microphone, camera or name changed.',
  'participant_events.chat_message': 'A participant sent a chat message.',
} as const
export type EventName = keyof typeof EVENTS
export const EVENT_NAMES = Object.keys(EVENTS) as EventName[]

export type Announcement = {
  readonly event: EventName
  readonly botEvent: string
  readonly botStatus: string
  /** An HTTP-like code, as the specification has it; absent for `bot.error`. */
  readonly statusCode?: number
  /** For events after the call. */
  readonly status?: 'success' | 'error'
}

const progress = (event: EventName, botStatus: string): Announcement => ({ event, botEvent: event, botStatus, statusCode: 200 })
type StatusRow = {
  readonly event: EventName
  /** By default the event. */
  readonly botEvent?: string
  /** By default the status. */
  readonly botStatus?: string
  /** By default 200. */
  readonly statusCode?: number
  readonly afterCall?: true
  /** The default message. */
  readonly saying: string
  /** Every message of a failure begins with it. */
  readonly prefix?: string
}

const STATUS_ROWS: Readonly<Record<Status, StatusRow>> = {
  Scheduled: { event: 'bot.scheduled', saying: 'Bot scheduled' },
  Joining: { event: 'bot.joining', saying: 'Bot is joining the meeting' },
  InWaitingRoom: { event: 'bot.in_waiting_room', saying: 'Bot is in the waiting room' },
  InMeeting: { event: 'bot.inmeeting', saying: 'Bot is in the meeting' },
  RecordingPermissionAllowed: { event: 'bot.recording_permission_allowed', saying: 'The host allowed the recording' },
  RecordingPermissionDenied: { event: 'bot.recording_permission_denied', statusCode: 500, saying: 'The host did not allow the recording' },
  Leaving: { event: 'bot.leaving', saying: 'Bot is leaving the meeting' },
  Stopped: { event: 'bot.stopped', saying: 'Bot left the meeting' },
  Kicked: { event: 'bot.stopped', botEvent: 'bot.kicked', botStatus: 'Stopped', saying: 'A participant removed the bot from the meeting' },
  Denied: { event: 'bot.stopped', botEvent: 'bot.denied', statusCode: 500, saying: 'The host refused the bot', prefix: 'Failed: ' },
  NotAllowed: { event: 'bot.stopped', botEvent: 'bot.notallowed', statusCode: 500, saying: 'The bot was not let in', prefix: 'Failed: ' },
  Failed: { event: 'bot.stopped', botEvent: 'bot.failed', statusCode: 500, saying: 'The meeting could not be joined', prefix: 'Failed: ' },
  Error: { event: 'bot.stopped', botEvent: 'bot.failed', statusCode: 500, saying: 'The bot could not go on', prefix: 'Error: ' },
  MediaProcessing: { event: 'bot.mediaprocessing', afterCall: true, saying: 'Processing media' },
  Done: { event: 'bot.done', saying: 'Bot is done' },
  MediaExpired: { event: 'data_deletion', saying: 'Stored media was deleted' },
  Cancelled: { event: 'bot.cancelled', saying: 'Scheduled bot cancelled' },
}

function announcementIn({ event, botEvent = event, botStatus, statusCode = 200, afterCall }: StatusRow, status: string): Announcement {
  return { event, botEvent, botStatus: botStatus ?? status, statusCode, ...(afterCall && { status: 'success' }) }
}

/** The row of a stage that is no status. */
type Notice = {
  readonly announcement: Announcement | null
  readonly saying: string
  /** The stage can be reached more than once. Its newest time is kept. */
  readonly repeats?: true
}

const STAGES: Readonly<Record<Stage, Notice>> = {
  Queued: { announcement: null, saying: 'Waiting for a free seat' },
  Recording: { announcement: progress('bot.recording', 'Recording'), saying: 'The meeting is being recorded' },
  Rejoining: { announcement: progress('bot.rejoining', 'Rejoining'), saying: 'The bot lost its session and rejoins', repeats: true },
  Rejoined: { announcement: progress('bot.rejoined', 'InMeeting'), saying: 'Bot is back in the meeting', repeats: true },
  AudioProcessing: { announcement: null, saying: 'Processing Audio' },
  VideoProcessing: { announcement: null, saying: 'Processing Video' },
  Uploading: { announcement: { ...progress('bot.uploading', 'bot.uploading'), status: 'success' }, saying: 'Uploading' },
  TranscriptionReady: {
    announcement: { ...progress('bot.transcriptionready', 'bot.transcriptionready'), status: 'success' },
    saying: 'Transcript Ready',
  },
}

/** Post-call media, each with its event for success and for failure. */
const MEDIA_EVENTS = {
  audio: { processed: 'audio.processed', failed: 'audio.processed' },
  video: { processed: 'video.processed', failed: 'video.processed' },
  transcription: { processed: 'transcription.processed', failed: 'transcription.failed' },
} as const satisfies Record<string, { readonly processed: EventName; readonly failed: EventName }>

export function mediaAnnouncement(media: keyof typeof MEDIA_EVENTS, ok: boolean): Announcement {
  const event = MEDIA_EVENTS[media][ok ? 'processed' : 'failed']
  return { ...progress(event, event), statusCode: ok ? 200 : 500, status: ok ? 'success' : 'error' }
}

/** A live transcription provider failed; the bot stays. */
export const LIVE_WORDS_FAILED: Announcement = { event: 'bot.error', botEvent: 'bot.error', botStatus: 'InMeeting' }

/** The notice of a stage. Platform B announces its recording only to callers that gave a callback_url. */
export function noticeOf(stage: Stage, platform: Platform, hasCallback: boolean): Notice {
  const isHidden = stage === 'Recording' && platform === 'google_meet' && !hasCallback
  return isHidden ? { ...STAGES[stage], announcement: null } : STAGES[stage]
}

/** A scheduled bot rejected at its start is announced as `bot.error`, every other transition by its status. */
export function announcementOf(status: Status, trigger: Trigger): Announcement {
  if (trigger === 'launch_rejected') return { event: 'bot.error', botEvent: 'bot.error', botStatus: status }
  return announcementIn(STATUS_ROWS[status], status)
}

/** `bot.done` for a bot that was never admitted: it repeats the status of its end. */
export function doneAs(status: Status): Announcement {
  return progress('bot.done', status)
}

/** The stored and sent message. Failures carry exactly one prefix. */
export function messageFor(status: Status, message: string): string {
  const { prefix } = STATUS_ROWS[status]
  return prefix ? prefix + message.replace(/^((Error|Failed): )+/, '') : message
}

/** The default message of a status. */
export function sayingOf(status: Status): string {
  return STATUS_ROWS[status].saying
}

/** Every announcement, for the published description of the events. */
export function everyAnnouncement(): readonly Announcement[] {
  const ofStatuses = Object.entries(STATUS_ROWS).map(([status, row]) => announcementIn(row, status))
  const ofStages = Object.values(STAGES).map(({ announcement }) => announcement)
  const ofMedia = (['audio', 'video', 'transcription'] as const).flatMap((media) => [
    mediaAnnouncement(media, true),
    mediaAnnouncement(media, false),
  ])
  const ofLaunches = [announcementOf('Error', 'launch_rejected'), LIVE_WORDS_FAILED]
  const ofEndings = (['NotAllowed', 'Denied', 'Failed', 'Error'] as const).map(doneAs)
  return [...ofStatuses, ...ofStages, ...ofMedia, ...ofLaunches, ...ofEndings].filter((it) => it !== null)
}
