// Values for the examples of the OpenAPI document.
const ID = '01kabcdefghjkmnpqrstvwxyz0'
const BOT = `bot_${ID}`
const MEETING = 'https://meet.google.com/abc-defg-hij'
const LATER = '2026-12-01T09:00:00.000Z'
const LINK = 'https://bots.example.com/media/1794822000.c2lnbmF0dXJl'

const IDS = {
  ...{ bot_id: BOT, BotID: BOT, botId: BOT, existing_bot_id: BOT, id: ID, transcript_id: `trn_${ID}`, event_id: `msg_${ID}` },
  ...{ endpoint_id: `whe_${ID}`, delivery_id: 'dlv_8f3kq0m2', key_id: `key_${ID}`, workspace_id: `wsp_${ID}`, user_id: `usr_${ID}` },
  ...{ login_id: `lgn_${ID}`, account_id: `cal_${ID}`, calendar_id: `cld_${ID}`, schedule_id: `sch_${ID}`, master_event_id: `evt_${ID}` },
  ...{ platform_id: 'bots@example.com', primary_calendar_id: 'bots@example.com', ical_uid: '7kukuqrfedlm2f9t@google.com' },
  ...{ deviceId: 'p1', participant_id: 'p1', speakerId: 'p1', speaker_id: 'p1', stream_id: 'p1-audio', streamIds: ['p1-audio'] },
  ...{ meetingId: 'abcdefghij', messageId: '1', command_id: `cmd_${ID}` },
}

const PEOPLE = {
  ...{ displayName: 'Ada', fullName: 'Ada Lovelace', full_name: 'Ada Lovelace', participant_name: 'Ada', name: 'Ada' },
  ...{ speaker: 'Ada', speakerName: 'Ada', speakerDisplayName: 'Ada', BotUsername: 'Note taker', bot_username: 'Note taker' },
  ...{ bot_name: 'Note taker', email: 'bot1@example.com', user_email: 'ada@example.com' },
}

const ADDRESSES = {
  ...{ meeting_link: MEETING, meeting_url: MEETING, MeetingLink: MEETING, existing_meeting_url: MEETING },
  ...{
    url: 'https://example.com/hooks/emissary',
    callback_url: 'https://example.com/hooks/bots',
    img_url: 'https://example.com/agenda.png',
  },
  ...{ audio_url: `${LINK}/audio.m4a`, video_url: `${LINK}/video.mp4`, screenshot: `${LINK}/screenshot.jpg` },
  ...{ raw_transcript: `${LINK}/transcript-raw.json`, processed_transcript: `${LINK}/transcript.json` },
  ...{ participant_events: `${LINK}/participant-events.json`, caption_file: null, profilePicture: null },
  ...{ domain: 'example.com', sso_workspace_domain: 'example.com' },
}

const WORDS = {
  ...{ message: 'Bot is in the meeting', Message: 'Bot is in the meeting', bot_message: 'Hello, I take notes.', text: 'Good morning.' },
  ...{ transcript: 'Good morning.', new_text: 'morning.', word: 'good', punctuated_word: 'Good', summary: 'Stand-up' },
  ...{ status: 'InMeeting', Status: 'InMeeting', bot_status: 'InMeeting', platform: 'GMeet', Platform: 'GMeet', meeting_platform: 'GMeet' },
  ...{ humanized_status: 'in_meeting', audio_status: 'Success', video_status: 'Success', format: 'm4a', codec: 'opus' },
  ...{ command: 'send_message', provider: 'native', language: 'en', voice: 'en', currency: 'USD', resolution: '1280x720' },
  ...{ step: 'join', reason: 'browser_crashed', detail: 'Bot left the meeting', page_text: 'You can’t join this video call', error: null },
  ...{ code: 'chat_failed', event: 'bot.done', page_log: ['Failed to load resource: net::ERR_CONNECTION_RESET'] },
  ...{
    description: 'Production',
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    last_login_error: null,
    answer_head: 'ok',
  },
  ...{ nextCursor: 'WyIyMDI2LTExLTE1Il0', next: 'WyJsYXRlciJd', previous: null, filename: 'audio-1.weba', timeZone: 'Europe/Berlin' },
  ...{
    recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO',
    updated_fields: ['scheduled_join_time'],
    to: 'everyone',
    events: ['bot.stopped', 'bot.done'],
  },
}

const FLAGS = { is_all_day: false, is_deleted: false, is_expanded: false, has_more: false, hasNextPage: false, service: false }

const MOMENTS = {
  ...{ day: '2026-11-15', timestamp: '2026-11-15T09:30:00.000Z', absolute: '2026-11-15T09:30:00.000Z' },
  ...{ scheduled_join_time: LATER, from_date: LATER, occurrence_date: LATER },
}

const NUMBERS = {
  ...{ sample_rate: 48_000, sampleRate: 48_000, duration: 1_800, duration_seconds: 12.5, Duration: 1_800, size_mb: 84.2, fps: 30 },
  ...{ width: 1_280, height: 720, share: 0.4, http_status: 200, duration_ms: 84, status_code: 200, balance: 25, speaking_seconds: 12.5 },
}

/** Shown only in the answer that creates them. */
const SECRETS = {
  ...{
    api_key: 'em_0123456789abcdef',
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    password: 'correct horse battery staple',
  },
  ...{ sso_private_key_pem: '-----BEGIN PRIVATE KEY-----\n…', sso_cert_pem: '-----BEGIN CERTIFICATE-----\n…' },
  ...{ google_client_id: '123.apps.googleusercontent.com', google_client_secret: 'GOCSPX-…', google_refresh_token: '1//0g…' },
  ...{ microsoft_client_id: '8f3k…', microsoft_client_secret: 'q0m2…', microsoft_refresh_token: '0.AXo…' },
  ...{ zoom_sdk_key: 'k3J…', zoom_sdk_secret: 'h8S…' },
}

/** By field name. */
export const FIELDS: Readonly<Record<string, unknown>> = {
  ...{ ...IDS, ...PEOPLE, ...ADDRESSES, ...WORDS, ...FLAGS, ...MOMENTS, ...NUMBERS, ...SECRETS },
}

/** By format, for text without a value of its own. */
export const FORMATS: Readonly<Record<string, string>> = {
  uri: 'https://example.com/emissary',
  email: 'ada@example.com',
  'date-time': LATER,
}

const CALENDAR_DEFAULTS = {
  ...{ bot_name: 'Note taker', audio_required: true, video_required: true, bot_message: 'Hello, I take notes.' },
  transcription: { provider: { deepgram: { model: 'nova-3', language: 'en' } } },
}

/** By schema name, for bodies whose example cannot be built from single fields. */
export const BODIES: Readonly<Record<string, unknown>> = {
  ErrorAnswer: { message: 'Internal error. Try again. If it persists, tell the operator the X-Request-Id of this answer.' },
  ConnectGoogleCalendarRequest: {
    ...{ google_client_id: SECRETS.google_client_id, google_client_secret: SECRETS.google_client_secret },
    ...{ google_refresh_token: SECRETS.google_refresh_token, ...CALENDAR_DEFAULTS },
  },
  ConnectOutlookCalendarRequest: {
    ...{ microsoft_client_id: SECRETS.microsoft_client_id, microsoft_client_secret: SECRETS.microsoft_client_secret },
    ...{ microsoft_refresh_token: SECRETS.microsoft_refresh_token, ...CALENDAR_DEFAULTS },
  },
  ScheduleEventRequest: { bot_config: { bot_name: 'Note taker' }, schedule_all_occurrences: true, occurrence_limit: 4 },
  UnscheduleEventRequest: { cancel_all_occurrences: true, from_date: LATER },
  EventUnscheduled: {
    message: '1 scheduled bot cancelled',
    unscheduled: true,
    event_id: `evt_${ID}`,
    schedules_cancelled: 1,
    bots_deleted: 1,
  },
  TranscribeRequest: { provider: { deepgram: { model: 'nova-3', language: 'en' } }, callback_url: 'https://example.com/hooks/transcripts' },
  Transcription: {
    ...{ transcript_id: IDS.transcript_id, provider: 'deepgram', status: 'Success', created_at: MOMENTS.timestamp },
    config: { model: 'nova-3', language: 'en' },
    download_urls: { raw_transcript: ADDRESSES.raw_transcript, processed_transcript: ADDRESSES.processed_transcript },
  },
  UpdateWebhookEndpointRequest: { enabled: false },
  SpeakRequest: { text: 'The meeting ends in five minutes.', language: 'en' },
  SendMessageRequest: { message: 'The notes are on their way.' },
  AddCreditsRequest: { amount: 100 },
}
