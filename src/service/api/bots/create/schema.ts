// Schemas of create_bot: body, headers and answers.
import Type, { type Static } from 'typebox'
import { LIMITS } from '../../../../room/wire.ts'
import { idempotencyHeaders } from '../../idempotency-key.ts'
import { AnyObject, Line, NewAttributes, Nullable } from '../../schema.ts'

const Url = (description: string) => Line({ description })
const Seconds = (description: string) => Type.Integer({ description })

export const AutomaticLeave = Type.Object(
  {
    waiting_room_timeout: Type.Optional(Seconds('60-600 (Google Meet), 60-1200 (Zoom), 60-1800 (Teams). Default 600.')),
    no_one_joined_timeout: Type.Optional(Seconds('60-1800. Default 600.')),
    everyone_left_timeout: Type.Optional(Seconds('60-1800. Default 300.')),
    voice_inactivity_timeout: Type.Optional(Seconds('60-1800. Off unless given.')),
    in_call_recording_timeout: Type.Optional(Seconds('600-18000. Default 14400.')),
    recording_permission_denied_timeout: Type.Optional(Seconds('60-300, Zoom. Default 60.')),
    bot_detection: Type.Optional(
      Type.Object({
        using_participant_names: Type.Optional(
          Type.Object({
            matches: Type.Array(Line({ minLength: 1 }), {
              minItems: 1,
              maxItems: 100,
              description: 'A participant whose name contains one of these counts as a bot. Case-insensitive.',
            }),
            activate_after: Type.Optional(Seconds('60-1800. Default 300.')),
            timeout: Type.Optional(Seconds('5-300. Default 5.')),
          }),
        ),
      }),
    ),
  },
  { description: 'Timeouts in seconds after which the bot leaves.', examples: [{ waiting_room_timeout: 300, everyone_left_timeout: 60 }] },
)

const RealtimeEndpoint = Type.Object({
  type: Type.Enum(['webhook', 'websocket']),
  url: Url('https for a webhook, wss for a WebSocket.'),
  events: Type.Array(Type.String(), { minItems: 1, description: 'participant_events.join, .leave, .update, .chat_message' }),
})

const RecordingConfig = Type.Object({
  transcript: Type.Optional(
    Type.Object({
      provider: Type.Optional(
        Type.Union([Type.String(), AnyObject], {
          title: 'a provider id, or an object with one key: the provider id, and its options as value',
          examples: ['native', { deepgram: { model: 'nova-3', language: 'en' } }],
        }),
      ),
    }),
  ),
  video_layout: Type.Optional(Type.Enum(['grid_view', 'speaker_view'], { description: 'WhatsApp: grid_view only.' })),
  audio_separate_streams: Type.Optional(Type.Boolean()),
  video_separate_streams: Type.Optional(Type.Boolean()),
  retention: Type.Optional(
    Type.Object({
      type: Type.Optional(Type.Literal('timed')),
      hours: Type.Number({ minimum: 1, maximum: 87_600, description: 'Hours after the call until media is deleted. Default 720.' }),
    }),
  ),
  realtime_endpoints: Type.Optional(Type.Array(RealtimeEndpoint, { maxItems: 10 })),
})

const Socket = Type.Object({ websocket_url: Url('wss') })

const PlatformA = Type.Object(
  {
    zak_url: Type.Optional(Url('HTTPS URL of your server that answers with a ZAK token.')),
    obf_url: Type.Optional(Url('HTTPS URL of your server that answers with an OBF token.')),
  },
  { description: 'Zoom (alias `zoom`): signed-in join with exactly one of the two URLs. Without one the bot joins as a guest.' },
)

const PlatformB = Type.Object(
  {
    platformb_login_domain: Type.Optional(Line({ description: 'A login domain you registered (alias google_login_domain).' })),
    sign_in_email: Type.Optional(Line()),
    strict_email: Type.Optional(Type.Boolean({ description: 'true: fail if sign_in_email is not available. false: use another login.' })),
  },
  { description: 'Google Meet (alias `google_meet`): signed-in join.' },
)

const PlatformC = Type.Object(
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

export const CreateBotBody = Type.Object(
  {
    meeting_link: Type.String({ description: 'Link of the meeting to join.' }),
    bot_name: Type.Optional(Line({ minLength: 1, maxLength: LIMITS.nameLength, description: 'Display name. Default Emissary.' })),
    audio_required: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    video_required: Type.Optional(Type.Boolean({ description: 'Default true; false records audio only.' })),
    audio_separate_streams: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    video_separate_streams: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    bot_message: Type.Optional(Type.String({ maxLength: 4000, description: 'Chat message that the bot posts when it joins.' })),
    bot_image_url: Type.Optional(Url('Image shown as the bot’s video from the start.')),
    initial_audio: Type.Optional(Type.Object({ url: Url('A short audio clip that the bot plays once when it is admitted.') })),
    callback_url: Type.Optional(Url('URL that receives this bot’s webhooks, unsigned.')),
    join_at: Type.Optional(Type.String({ description: 'ISO 8601, in the future, at most 90 days ahead.' })),
    custom_attributes: Type.Optional(NewAttributes),
    deduplication_key: Type.Optional(Line({ minLength: 1, maxLength: 2000 })),
    automatic_leave: Type.Optional(AutomaticLeave),
    recording_config: Type.Optional(RecordingConfig),
    live_transcription_required: Type.Optional(
      Type.Object(
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

export const Creation = Type.Object(
  {
    bot_id: Type.String(),
    transcript_id: Nullable(Type.String()),
    meeting_url: Type.String(),
    status: Type.String({ description: 'Active or Scheduled for a new bot.' }),
  },
  {
    examples: [
      {
        bot_id: 'bot_01kabcdefghjkmnpqrstvwxyz0',
        transcript_id: 'trn_01kabcdefghjkmnpqrstvwxyz0',
        meeting_url: 'https://meet.google.com/abc-defg-hij',
        status: 'Active',
      },
    ],
  },
)

export const Replay = Type.Object(
  { ...Creation.properties, transcript_id: Type.Null(), status: Type.String({ description: 'As in the answer to the first request.' }) },
  {
    description: 'The bot of the first request with the same Idempotency-Key.',
    examples: [
      {
        bot_id: 'bot_01kabcdefghjkmnpqrstvwxyz0',
        transcript_id: null,
        meeting_url: 'https://meet.google.com/abc-defg-hij',
        status: 'Active',
      },
    ],
  },
)
