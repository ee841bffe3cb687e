// What each event means, and a message that it can carry, for the readers of the description.
import { sayingOf } from '../../../domain/announcements.ts'
import { STATUSES } from '../../../domain/lifecycle.ts'

export const MEANINGS: Readonly<Record<string, string>> = {
  'bot.scheduled': 'A bot was created that joins later.',
  'bot.cancelled': 'A scheduled bot was cancelled before it joined.',
  'bot.joining': 'The bot is on its way into the meeting.',
  'bot.in_waiting_room': 'The bot asked to join and waits for the host.',
  'bot.inmeeting': 'The bot is in the meeting.',
  'bot.recording': 'The recording has begun.',
  'bot.recording_permission_allowed': 'The host allowed the recording.',
  'bot.recording_permission_denied': 'The host did not allow the recording.',
  'bot.rejoining': 'The bot lost its session and joins again.',
  'bot.rejoined': 'The bot is back in the meeting.',
  'bot.leaving': 'The bot leaves the meeting.',
  'bot.stopped': 'The bot is out of the meeting, or never got in. `bot_event` and `bot_status` say how it ended.',
  'bot.error': 'A live provider failed, or a scheduled bot was turned away at its start. The message says why.',
  'bot.mediaprocessing': 'The recording is being processed.',
  'bot.uploading': 'The recording goes to the store.',
  'audio.processed': 'The mixed audio was made, or could not be.',
  'video.processed': 'The video was made, or could not be.',
  'transcription.processed': 'A transcription run succeeded.',
  'transcription.failed': 'A transcription run failed. The message says why.',
  'bot.transcriptionready': 'The bot has a transcript to read.',
  'bot.done': 'Nothing more comes of this bot.',
  data_deletion: 'Everything that was stored of the bot was deleted.',
  'participant_events.join': 'A participant joined, or was there when the bot came in.',
  'participant_events.leave': 'A participant left.',
  'participant_events.update': 'A participant’s microphone, camera or name changed.',
  'participant_events.chat_message': 'A participant wrote in the chat.',
  'webhook_endpoint.test': 'The test that `testWebhookEndpoint` asks for.',
  'webhook_endpoint.disabled': 'An endpoint was disabled because nothing reached it for five days. Only in the feed.',
  live_transcript: 'Words while they are spoken, to `live_transcription_required.webhook_url`.',
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

/** `botStatus`: the first that the event can have. */
export function exampleMessage(event: string, botStatus: string): string {
  const status = STATUSES.find((it) => it === botStatus)
  return MESSAGES[event] ?? (status ? sayingOf(status) : event)
}
