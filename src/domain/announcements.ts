// Webhook events: the event, bot_event, bot_status and status_code of each status and each notice.
import type { Stage, Status, Trigger } from './lifecycle.ts'
import type { Platform } from './platforms.ts'

/** Every event name, which is also every name an endpoint can subscribe to. */
export const EVENT_NAMES = [
  'bot.scheduled',
  'bot.cancelled',
  'bot.joining',
  'bot.in_waiting_room',
  'bot.inmeeting',
  'bot.recording',
  'bot.recording_permission_allowed',
  'bot.recording_permission_denied',
  'bot.rejoining',
  'bot.rejoined',
  'bot.leaving',
  'bot.stopped',
  'bot.error',
  'bot.mediaprocessing',
  'bot.uploading',
  'audio.processed',
  'video.processed',
  'transcription.processed',
  'transcription.failed',
  'bot.transcriptionready',
  'bot.done',
  'data_deletion',
  'participant_events.join',
  'participant_events.leave',
  'participant_events.update',
  'participant_events.chat_message',
] as const
export type EventName = (typeof EVENT_NAMES)[number]

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
const ending = (botEvent: string, botStatus: string, statusCode: number): Announcement => ({
  event: 'bot.stopped',
  botEvent,
  botStatus,
  statusCode,
})

/** One row per status. */
const ANNOUNCEMENTS: Readonly<Record<Status, Announcement>> = {
  Scheduled: progress('bot.scheduled', 'Scheduled'),
  Joining: progress('bot.joining', 'Joining'),
  InWaitingRoom: progress('bot.in_waiting_room', 'InWaitingRoom'),
  InMeeting: progress('bot.inmeeting', 'InMeeting'),
  RecordingPermissionAllowed: progress('bot.recording_permission_allowed', 'RecordingPermissionAllowed'),
  RecordingPermissionDenied: { ...progress('bot.recording_permission_denied', 'RecordingPermissionDenied'), statusCode: 500 },
  Leaving: progress('bot.leaving', 'Leaving'),
  Stopped: ending('bot.stopped', 'Stopped', 200),
  Kicked: ending('bot.kicked', 'Stopped', 200),
  Denied: ending('bot.denied', 'Denied', 500),
  NotAllowed: ending('bot.notallowed', 'NotAllowed', 500),
  Failed: ending('bot.failed', 'Failed', 500),
  Error: ending('bot.failed', 'Error', 500),
  MediaProcessing: { ...progress('bot.mediaprocessing', 'MediaProcessing'), status: 'success' },
  Done: progress('bot.done', 'Done'),
  MediaExpired: progress('data_deletion', 'MediaExpired'),
  Cancelled: progress('bot.cancelled', 'Cancelled'),
}

/** One row per stage that is no status. */
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
  return ANNOUNCEMENTS[status]
}

/** `bot.done` for a bot that was never admitted: it repeats the status of its end. */
export function doneAs(status: Status): Announcement {
  return { ...progress('bot.done', status), botStatus: status }
}

const PREFIXES: Readonly<Partial<Record<Status, string>>> = {
  Error: 'Error: ',
  NotAllowed: 'Failed: ',
  Denied: 'Failed: ',
  Failed: 'Failed: ',
}

/** The stored and sent message. Failures carry exactly one prefix. */
export function messageFor(status: Status, message: string): string {
  const prefix = PREFIXES[status]
  return prefix ? prefix + message.replace(/^((Error|Failed): )+/, '') : message
}

const SAYINGS: Readonly<Record<Status, string>> = {
  Scheduled: 'Bot scheduled',
  Joining: 'Bot is joining the meeting',
  InWaitingRoom: 'Bot is in the waiting room',
  InMeeting: 'Bot is in the meeting',
  RecordingPermissionAllowed: 'The host allowed the recording',
  RecordingPermissionDenied: 'The host did not allow the recording',
  Leaving: 'Bot is leaving the meeting',
  Stopped: 'Bot left the meeting',
  Kicked: 'A participant removed the bot from the meeting',
  NotAllowed: 'The bot was not let in',
  Denied: 'The host refused the bot',
  Failed: 'The meeting could not be joined',
  Error: 'The bot could not go on',
  MediaProcessing: 'Processing media',
  Done: 'Bot is done',
  MediaExpired: 'Stored media was deleted',
  Cancelled: 'Scheduled bot cancelled',
}

/** The default message of a status. */
export function sayingOf(status: Status): string {
  return SAYINGS[status]
}

/** Every announcement, for the published description of the events. */
export function everyAnnouncement(): readonly Announcement[] {
  const ofStages = Object.values(STAGES).map(({ announcement }) => announcement)
  const ofMedia = (['audio', 'video', 'transcription'] as const).flatMap((media) => [
    mediaAnnouncement(media, true),
    mediaAnnouncement(media, false),
  ])
  const ofLaunches = [announcementOf('Error', 'launch_rejected'), LIVE_WORDS_FAILED]
  const ofEndings = (['NotAllowed', 'Denied', 'Failed', 'Error'] as const).map(doneAs)
  return [...Object.values(ANNOUNCEMENTS), ...ofStages, ...ofMedia, ...ofLaunches, ...ofEndings].filter((it) => it !== null)
}
