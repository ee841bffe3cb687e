// Descriptions and example messages of events, for the OpenAPI document.
import { sayingOf } from '../../../domain/announcements.ts'
import { STATUSES } from '../../../domain/lifecycle.ts'

export const MEANINGS: Readonly<Record<string, string>> = {
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
  'webhook_endpoint.test': 'The test event of `testWebhookEndpoint`.',
  'webhook_endpoint.disabled': 'An endpoint was disabled because all deliveries to it failed for five days. Only in the event feed.',
  live_transcript: 'Live transcript, sent to `live_transcription_required.webhook_url`.',
}

const MESSAGES: Readonly<Record<string, string>> = {
  'bot.recording': 'The meeting is being recorded',
  'bot.rejoining': 'The bot lost its session and rejoins',
  'bot.rejoined': 'Bot is back in the meeting',
  'bot.error': 'The speech vendor refused the key.',
  'bot.uploading': 'Uploading',
  'audio.processed': 'The audio is ready',
  'video.processed': 'The video is ready',
  'transcription.processed': 'The transcript is ready: 41 words',
  'transcription.failed': 'The recording could not be transcribed.',
  'bot.transcriptionready': 'Transcript Ready',
  'bot.done': 'Delivered 23 s of audio, 23 s of video, 7 separate streams, 41 words',
}

/** `botStatus`: the event's first possible status. */
export function exampleMessage(event: string, botStatus: string): string {
  const status = STATUSES.find((it) => it === botStatus)
  return MESSAGES[event] ?? (status ? sayingOf(status) : event)
}
