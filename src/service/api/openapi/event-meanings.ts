// Descriptions and example messages of events, for the OpenAPI document.
import { EVENTS, sayingOf } from '../../../domain/announcements.ts'
import { STATUSES } from '../../../domain/lifecycle.ts'

/** The last three are no events that an endpoint can subscribe to. */
export const MEANINGS: Readonly<Record<string, string>> = {
  ...EVENTS,
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
