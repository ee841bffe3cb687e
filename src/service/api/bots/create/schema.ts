// Schemas of create_bot: body, headers and answers.
import Type, { type Static } from 'typebox'
import { EVENT_NAMES } from '../../../../domain/announcements.ts'
import { LEAVE_DEFAULTS, type LeaveRules, leaveRanges, ONLY_BOTS_DEFAULTS, ONLY_BOTS_RANGES } from '../../../../domain/automatic-leave.ts'
import { LAYOUTS, PLATFORM_NAMES, PLATFORMS, type Range } from '../../../../domain/platforms.ts'
import { SPEC_DEFAULTS } from '../../../../domain/spec-defaults.ts'
import { LIMITS } from '../../../../room/wire.ts'
import { DEFAULT_RETENTION_HOURS } from '../../../db/fleet/retention.ts'
import { idempotencyHeaders } from '../../http/idempotency-key.ts'
import { BotState, Line, NamedObject, NewAttributes, Nullable, published, Url } from '../../schema.ts'
import { ProviderOrName } from '../../speech-providers/schema.ts'

/** Values for absent fields. */
type Rule = Exclude<keyof LeaveRules, 'onlyBots'>

/** The widest range of all platforms. Code checks the range of the meeting's platform. */
function Seconds(rule: Rule, description?: string) {
  const ranges = PLATFORM_NAMES.map((platform) => leaveRanges(platform)[rule])
  const range = { min: Math.min(...ranges.map(({ min }) => min)), max: Math.max(...ranges.map(({ max }) => max)) }
  return SecondsIn(range, LEAVE_DEFAULTS[rule], description)
}

function SecondsIn({ min, max }: Range, fallback: number | null, description?: string) {
  const options = { ...(description && { description }), ...(fallback !== null && { default: fallback }) }
  return published(Type.Integer(options), { minimum: min, maximum: max })
}

const { zoom, google_meet } = PLATFORMS
const WAITING_ROOM = `At most ${zoom.waitingRoomSeconds.max} for Zoom and ${google_meet.waitingRoomSeconds.max} for Google Meet.`

export const AutomaticLeave = NamedObject(
  'AutomaticLeave',
  {
    waiting_room_timeout: Type.Optional(Seconds('waitingRoomSeconds', WAITING_ROOM)),
    no_one_joined_timeout: Type.Optional(Seconds('nobodyJoinedSeconds')),
    everyone_left_timeout: Type.Optional(Seconds('everyoneLeftSeconds')),
    voice_inactivity_timeout: Type.Optional(Seconds('silenceSeconds', 'Off unless given.')),
    in_call_recording_timeout: Type.Optional(Seconds('longestCallSeconds')),
    recording_permission_denied_timeout: Type.Optional(Seconds('recordingPermissionSeconds', 'Only for Zoom.')),
    bot_detection: Type.Optional(
      Type.Object({
        using_participant_names: Type.Optional(
          NamedObject('BotDetection', {
            matches: Type.Array(Line({ minLength: 1 }), {
              minItems: 1,
              maxItems: 100,
              description: 'A participant whose name contains one of these counts as a bot. Case-insensitive.',
            }),
            activate_after: Type.Optional(SecondsIn(ONLY_BOTS_RANGES.activateAfterSeconds, ONLY_BOTS_DEFAULTS.activateAfterSeconds)),
            timeout: Type.Optional(SecondsIn(ONLY_BOTS_RANGES.timeoutSeconds, ONLY_BOTS_DEFAULTS.timeoutSeconds)),
          }),
        ),
      }),
    ),
  },
  {
    description: 'Timeouts in seconds after which the bot leaves.',
    examples: [{ waiting_room_timeout: 300, everyone_left_timeout: 60 }],
  },
)

export const REALTIME_EVENTS = EVENT_NAMES.filter((name) => name.startsWith('participant_events.'))

const RealtimeEndpoint = NamedObject('RealtimeEndpoint', {
  type: Type.Enum(['webhook', 'websocket']),
  url: Url('https for a webhook, wss for a WebSocket.'),
  events: Type.Array(published(Type.String(), { enum: REALTIME_EVENTS }), { minItems: 1 }),
})

const RecordingConfig = NamedObject('RecordingConfig', {
  transcript: Type.Optional(
    NamedObject('TranscriptConfig', {
      provider: Type.Optional(ProviderOrName()),
    }),
  ),
  video_layout: Type.Optional(Type.Enum([...LAYOUTS], { default: SPEC_DEFAULTS.layout, description: 'WhatsApp: grid_view only.' })),
  audio_separate_streams: Type.Optional(Type.Boolean()),
  video_separate_streams: Type.Optional(Type.Boolean()),
  retention: Type.Optional(
    NamedObject('Retention', {
      type: Type.Optional(Type.Literal('timed')),
      hours: Type.Number({
        minimum: 1,
        maximum: 87_600,
        default: DEFAULT_RETENTION_HOURS,
        description: 'Hours after the call until media is deleted.',
      }),
    }),
  ),
  realtime_endpoints: Type.Optional(Type.Array(RealtimeEndpoint, { maxItems: 10 })),
})

const Socket = NamedObject('SocketTarget', { websocket_url: Url('wss') })

const PlatformA = NamedObject(
  'ZoomOptions',
  {
    zak_url: Type.Optional(Url('HTTPS URL of your server that answers with a ZAK token.')),
    obf_url: Type.Optional(Url('HTTPS URL of your server that answers with an OBF token, or with a list of tokens of several users.')),
  },
  { description: 'Zoom (alias `zoom`): signed-in join with exactly one of the two URLs. Without one the bot joins as a guest.' },
)

const PlatformB = NamedObject(
  'GoogleMeetOptions',
  {
    platformb_login_domain: Type.Optional(Line({ description: 'A login domain you registered (alias google_login_domain).' })),
    sign_in_email: Type.Optional(Line()),
    strict_email: Type.Optional(Type.Boolean({ description: 'true: fail if sign_in_email is not available. false: use another login.' })),
  },
  { description: 'Google Meet (alias `google_meet`): signed-in join.' },
)

const PlatformC = NamedObject(
  'TeamsOptions',
  {
    platformc_login_domain: Type.Optional(Line({ description: 'A login domain you registered (alias teams_login_domain).' })),
    login_required: Type.Optional(
      Type.Boolean({
        description:
          'true: join signed in. false: join as a guest and sign in only if the meeting requires it. Default: login_mode of the domain. true is not allowed for personal links.',
      }),
    ),
    sign_in_email: Type.Optional(Line()),
    strict_email: Type.Optional(Type.Boolean({ description: 'true: fail if sign_in_email is not available. false: use another login.' })),
  },
  { description: 'Microsoft Teams (alias `teams`): signed-in join.' },
)

export const CreateBotBody = NamedObject(
  'CreateBotRequest',
  {
    meeting_link: Type.String({ description: 'Link of the meeting to join.' }),
    bot_name: Type.Optional(
      Line({ minLength: 1, maxLength: LIMITS.nameLength, default: SPEC_DEFAULTS.name, description: 'Display name.' }),
    ),
    audio_required: Type.Optional(Type.Boolean({ default: SPEC_DEFAULTS.audio })),
    video_required: Type.Optional(Type.Boolean({ default: SPEC_DEFAULTS.video, description: 'false records audio only.' })),
    audio_separate_streams: Type.Optional(Type.Boolean({ default: SPEC_DEFAULTS.separateAudio })),
    video_separate_streams: Type.Optional(Type.Boolean({ default: SPEC_DEFAULTS.separateVideo })),
    bot_message: Type.Optional(Type.String({ maxLength: 4000, description: 'Chat message that the bot posts when it joins.' })),
    bot_image_url: Type.Optional(Url('Image shown as the bot’s video from the start.')),
    initial_audio: Type.Optional(
      NamedObject('InitialAudio', { url: Url('A short audio clip that the bot plays once when it is admitted.') }),
    ),
    callback_url: Type.Optional(Url('URL that receives this bot’s webhooks, unsigned.')),
    join_at: Type.Optional(Type.String({ description: 'ISO 8601, in the future, at most 90 days ahead.' })),
    custom_attributes: Type.Optional(NewAttributes),
    deduplication_key: Type.Optional(Line({ minLength: 1, maxLength: 2000 })),
    automatic_leave: Type.Optional(AutomaticLeave),
    recording_config: Type.Optional(RecordingConfig),
    live_transcription_required: Type.Optional(
      NamedObject(
        'LiveTranscriptionTarget',
        { webhook_url: Type.Optional(Url('https')), websocket_url: Type.Optional(Url('wss')) },
        { description: 'Exactly one of webhook_url and websocket_url.' },
      ),
    ),
    live_audio_required: Type.Optional(Socket),
    socket_connection_url: Type.Optional(Socket),
    platforma: Type.Optional(PlatformA),
    platformb: Type.Optional(PlatformB),
    platformc: Type.Optional(PlatformC),
  },
  {
    examples: [
      {
        meeting_link: 'https://meet.google.com/abc-defg-hij',
        bot_name: 'Note taker',
        callback_url: 'https://example.com/hooks/bots',
        custom_attributes: { tag: 'sales', count: 3 },
      },
    ],
  },
)
export type CreateBotBody = Static<typeof CreateBotBody>

export const IdempotencyHeaders = idempotencyHeaders(
  'A repeated key creates no new bot and answers 507 with the first one.',
  'monday-standup',
)

const CREATED = {
  bot_id: 'bot_01kabcdefghjkmnpqrstvwxyz0',
  transcript_id: 'trn_01kabcdefghjkmnpqrstvwxyz0',
  meeting_url: 'https://meet.google.com/abc-defg-hij',
  status: 'Active',
}

export const Creation = NamedObject(
  'CreatedBot',
  {
    bot_id: Type.String(),
    transcript_id: Nullable(Type.String()),
    meeting_url: Type.String(),
    status: published(Type.String({ description: 'Active or Scheduled for a new bot.' }), {
      anyOf: [{ type: 'string', enum: ['Active', 'Scheduled'] }, BotState],
    }),
  },
  {
    examples: [CREATED],
  },
)

export const Replay = NamedObject(
  'ReplayedBot',
  { ...Creation.properties, transcript_id: Type.Null(), status: Type.String({ description: 'As in the answer to the first request.' }) },
  {
    description: 'The bot of the first request with the same Idempotency-Key.',
    examples: [{ ...CREATED, transcript_id: null }],
  },
)
