// Bodies of create_bot that the specification rejects, with the field that the error must name.
import { TEAMS_LONG, TEAMS_PERSONAL } from './create-bot-bodies.ts'
import type { JsonObject } from './hostile-values.ts'

/** Registered in advance by another workspace. */
export const FOREIGN_LOGIN_DOMAIN = 'foreign-logins.example'

const MEET = 'https://meet.google.com/abc-defg-hij'
const ZOOM = 'https://zoom.us/j/12345678901?pwd=Ab12'

type Breakage = { readonly names: string; readonly patch: JsonObject }

const seconds = (field: string, min: number, max: number): Breakage[] =>
  [min - 1, max + 1, 0, -60, 2 ** 40].map((value) => ({
    names: `automatic_leave.${field}`,
    patch: { automatic_leave: { [field]: value } },
  }))

const each = (names: string, values: readonly unknown[], patch: (value: unknown) => JsonObject): Breakage[] =>
  values.map((value) => ({ names, patch: patch(value) }))

const NO_MEETINGS = [
  '',
  '  ',
  'not a link',
  'ftp://meet.google.com/abc-defg-hij',
  'javascript:alert(1)',
  'https://example.com/j/123456789',
].concat(
  ['https://meet.google.com/', 'https://zoom.us/', 'https://zoom.us/signin', 'https://zoom.us/download', 'https://teams.microsoft.com/'],
  [
    'https://meet.google.com.evil.example/abc-defg-hij',
    'https://meet.google.com@evil.example/abc-defg-hij',
    `https://zoom.us/j/${'1'.repeat(5_000)}`,
  ],
)
const NO_TIMES = [
  '',
  'tomorrow',
  '2020-01-01T00:00:00Z',
  '2099-01-01T00:00:00Z',
  '2027-02-30T10:00:00Z',
  '2027-01-01',
  '2027-01-01T25:00:00Z',
]
const NO_PROVIDERS = [
  '',
  'unknown_vendor',
  'deepgram',
  'constructor',
  '__proto',
  {},
  { native: {}, deepgram: {} },
  { native: 5 },
  { unknown_vendor: {} },
]
const NO_WEB_URLS = [
  '',
  'not a url',
  'ftp://files.example/x',
  'wss://sockets.example',
  'https://',
  `https://x.example/${'x'.repeat(4_100)}`,
]
const NO_SOCKETS = ['', 'https://x.example', 'ftp://x.example', 'wss://']

/** Each turns a valid body into one that gets 400 with a message that names the field. */
export const BREAKAGES: readonly Breakage[] = [
  each('meeting_link', [...NO_MEETINGS, null, 7, [], {}], (meeting_link) => ({ meeting_link })),
  each('bot_name', ['', '   ', 'x'.repeat(101)], (bot_name) => ({ bot_name })),
  each('bot_message', ['x'.repeat(4_001)], (bot_message) => ({ bot_message })),
  each('deduplication_key', ['', 'x'.repeat(2001)], (deduplication_key) => ({ deduplication_key })),
  each('join_at', NO_TIMES, (join_at) => ({ join_at })),
  each('callback_url', NO_WEB_URLS, (callback_url) => ({ callback_url })),
  each('bot_image_url', NO_WEB_URLS, (bot_image_url) => ({ bot_image_url })),
  each('live_audio_required.websocket_url', NO_SOCKETS, (websocket_url) => ({ live_audio_required: { websocket_url } })),
  each('live_transcription_required', [{}, { webhook_url: 'https://a.example', websocket_url: 'wss://a.example' }], (it) => ({
    live_transcription_required: it,
  })),
  each('live_transcription_required.webhook_url', [{}, { transcript: { provider: 'native' } }], (recording_config) => ({
    recording_config,
    live_transcription_required: { webhook_url: 'https://a.example' },
  })),
  each('recording_config.transcript.provider', NO_PROVIDERS, (provider) => ({ recording_config: { transcript: { provider } } })),
  each('recording_config.transcript.provider', [{}, { language: 'en-US' }], (meeting_captions) => ({
    meeting_link: 'https://call.whatsapp.com/video/AbCdEfGhIjKlMnOpQrStUv',
    recording_config: { transcript: { provider: { meeting_captions } } },
  })),
  each('recording_config.transcript.provider.meeting_captions.language', [5, ['en'], 'klingon'], (language) => ({
    meeting_link: MEET,
    recording_config: { transcript: { provider: { meeting_captions: { language } } } },
  })),
  each('recording_config.video_layout', ['', 'gallery', 'Grid_View'], (video_layout) => ({ recording_config: { video_layout } })),
  each('recording_config.video_layout', ['speaker_view'], (video_layout) => ({
    meeting_link: 'https://call.whatsapp.com/video/AbCdEfGhIjKlMnOpQrStUv',
    recording_config: { video_layout },
  })),
  each('recording_config.retention.hours', [0, -1, 87_601], (hours) => ({ recording_config: { retention: { hours } } })),
  each('recording_config.realtime_endpoints', [['bot.done'], ['']], (events) => ({
    recording_config: { realtime_endpoints: [{ type: 'webhook', url: 'https://a.example', events }] },
  })),
  seconds('waiting_room_timeout', 60, 1800),
  seconds('no_one_joined_timeout', 60, 1800),
  seconds('everyone_left_timeout', 60, 1800),
  seconds('voice_inactivity_timeout', 60, 1800),
  seconds('in_call_recording_timeout', 600, 18_000),
  seconds('recording_permission_denied_timeout', 60, 300),
  each('automatic_leave.waiting_room_timeout', [601, 1_200], (it) => ({
    meeting_link: MEET,
    automatic_leave: { waiting_room_timeout: it },
  })),
  each('automatic_leave.waiting_room_timeout', [1_201], (it) => ({ meeting_link: ZOOM, automatic_leave: { waiting_room_timeout: it } })),
  each('matches', [[], [''], ['bot', ' ']], (matches) => ({
    automatic_leave: { bot_detection: { using_participant_names: { matches } } },
  })),
  each('use_zoom_obf', [true, false], (use_zoom_obf) => ({ use_zoom_obf })),
  each('zoom_oauth_connection_user_id', ['user'], (it) => ({ platforma: { zoom_oauth_connection_user_id: it } })),
  each('platforma', [{ zak_url: 'https://a.example', obf_url: 'https://b.example' }], (platforma) => ({ meeting_link: ZOOM, platforma })),
  each('platforma.zak_url', NO_WEB_URLS.filter(Boolean), (zak_url) => ({ meeting_link: ZOOM, platforma: { zak_url } })),
  each('platforma.zak_url', [MEET, TEAMS_LONG], (meeting_link) => ({ meeting_link, platforma: { zak_url: 'https://a.example' } })),
  each('platforma.obf_url', ['https://a.example/?meeting_number=1'], (obf_url) => ({ meeting_link: ZOOM, platforma: { obf_url } })),
  each('platformb.platformb_login_domain', ['nobodys-logins.example', '%', '🦊'], (it) => ({
    meeting_link: MEET,
    platformb: { platformb_login_domain: it },
  })),
  each('platformc.login_required', [true], (login_required) => ({ meeting_link: TEAMS_PERSONAL, platformc: { login_required } })),
].flat()

/** Valid bodies that this caller may not send. */
export const FORBIDDEN_PATCH: JsonObject = { meeting_link: MEET, platformb: { platformb_login_domain: FOREIGN_LOGIN_DOMAIN } }
