// Bodies of create_bot that the specification accepts: every field, every platform, and all aliases.
import fc from 'fast-check'
import type { JsonObject } from './hostile-values.ts'

const DAY_MS = 24 * 60 * 60_000

/** A login that is registered in advance. */
export const OWN_LOGIN_DOMAIN = 'own-logins.example'

export const TEAMS_PERSONAL = 'https://teams.live.com/meet/9312345678901?p=AbCd12'
export const TEAMS_LONG =
  'https://teams.microsoft.com/l/meetup-join/19%3ameeting_Abc123%40thread.v2/0?context=%7b%22Tid%22%3a%22a1-b2%22%2c%22Oid%22%3a%22c3-d4%22%7d'

type Platform = 'zoom' | 'google_meet' | 'teams' | 'whatsapp' | 'room'
const LONGEST_WAIT: Readonly<Record<Platform, number>> = { zoom: 1200, google_meet: 600, teams: 1800, whatsapp: 1800, room: 1800 }

const letters = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: length, maxLength: length })
const digits = (length: number) => fc.string({ unit: fc.constantFrom(...'123456789'), minLength: length, maxLength: length })
/** With at least one visible character: a blank name is rejected. */
const text = (maxLength: number) =>
  fc.string({ unit: 'grapheme', minLength: 1, maxLength }).map((it) => `n${it}`.slice(0, 90).toWellFormed())

function meetings(serviceUrl: string): fc.Arbitrary<{ platform: Platform; link: string }> {
  const of = (platform: Platform, links: fc.Arbitrary<string>) => links.map((link) => ({ platform, link }))
  return fc.oneof(
    of(
      'google_meet',
      fc.tuple(letters(3), letters(4), letters(3)).map((parts) => `https://meet.google.com/${parts.join('-')}`),
    ),
    of(
      'zoom',
      fc.tuple(fc.constantFrom('zoom.us', 'us02web.zoom.us'), digits(10)).map(([host, id]) => `https://${host}/j/${id}?pwd=x1`),
    ),
    of(
      'teams',
      digits(13).map((id) => `https://teams.microsoft.com/meet/${id}?p=abc`),
    ),
    of('teams', fc.constantFrom(TEAMS_PERSONAL, TEAMS_LONG)),
    of(
      'whatsapp',
      letters(22).map((token) => `https://call.whatsapp.com/video/${token}`),
    ),
    of(
      'room',
      letters(8).map((room) => `${serviceUrl}/room/${room}`),
    ),
  )
}

/** Few of the optional fields, so that most bodies are small. */
const some = <Model extends Record<string, fc.Arbitrary<unknown>>>(model: Model): fc.Arbitrary<JsonObject> =>
  fc.record(model, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>

const attributes = fc.dictionary(
  fc
    .oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('constructor', 'toString', 'count', 'tag'))
    .filter((name) => name !== '__proto__' && !name.includes('\0')),
  fc.oneof(
    text(12),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer(), { maxLength: 3 }),
  ),
  { maxKeys: 5, noNullPrototype: true },
)

const joinAt = fc
  .tuple(fc.integer({ min: 1, max: 89 * 24 }), fc.constantFrom('Z', '+00:00', '-0000', ''))
  .map(([hours, zone]) => new Date(Date.now() + hours * 60 * 60_000).toISOString().replace('Z', zone))

const leaveRules = (platform: Platform) =>
  some({
    waiting_room_timeout: fc.integer({ min: 60, max: LONGEST_WAIT[platform] }),
    no_one_joined_timeout: fc.integer({ min: 60, max: 1800 }),
    everyone_left_timeout: fc.integer({ min: 60, max: 1800 }),
    voice_inactivity_timeout: fc.integer({ min: 60, max: 1800 }),
    in_call_recording_timeout: fc.integer({ min: 600, max: 18_000 }),
    recording_permission_denied_timeout: fc.integer({ min: 60, max: 300 }),
    // The ignored spelling may have any value.
    noone_joined_timeout: fc.constantFrom<unknown>(1, 'soon', null),
    bot_detection: some({
      using_participant_names: fc.constantFrom({ matches: ['bot'] }, { matches: ['note', 'taker'], activate_after: 60, timeout: 300 }),
    }),
  })

const speech = fc.constantFrom<JsonObject>(
  {},
  { live_transcription_required: { websocket_url: 'wss://words.example/live' } },
  { recording_config: { transcript: { provider: 'native' }, video_layout: 'speaker_view' } },
  { recording_config: { transcript: { provider: { meetstream: { language: 'en' } } }, retention: { type: 'timed', hours: 1.5 } } },
  { recording_config: { transcript: { provider: 'meeting_captions' }, audio_separate_streams: false } },
  {
    recording_config: { transcript: { provider: 'native_streaming' } },
    live_transcription_required: { webhook_url: 'https://words.example/live' },
  },
  {
    recording_config: {
      realtime_endpoints: [
        { type: 'websocket', url: 'wss://events.example', events: ['participant_events.join', 'participant_events.chat_message'] },
      ],
    },
  },
)

/** Platforms without captions of their own reject them, and WhatsApp has one layout only. */
const LACKING: Readonly<Partial<Record<Platform, RegExp>>> = { whatsapp: /meeting_captions|speaker_view/, room: /meeting_captions/ }

const speechOn = (platform: Platform) => speech.filter((it) => !LACKING[platform]?.test(JSON.stringify(it)))

const SECTIONS: Readonly<Record<Platform, readonly JsonObject[]>> = {
  zoom: [
    { platforma: { zak_url: 'https://tokens.example/zak' } },
    { zoom: { obf_url: 'https://tokens.example/obf?user=1' } },
    { platforma: {} },
  ],
  google_meet: [
    { platformb: {} },
    { google_meet: { google_login_domain: OWN_LOGIN_DOMAIN } },
    { platformb: { platformb_login_domain: '' } },
  ],
  teams: [{ platformc: {} }, { teams: { login_required: false } }],
  whatsapp: [{}],
  room: [{}],
}

/** Bodies that create one bot each. */
export function validBodies(serviceUrl: string): fc.Arbitrary<JsonObject> {
  const fields = some({
    bot_name: text(20),
    audio_required: fc.boolean(),
    video_required: fc.boolean(),
    audio_separate_streams: fc.boolean(),
    // `__proto__` is a name like any other.
    bot_message: fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), fc.constantFrom('__proto__', 'constructor', 'null')),
    bot_image_url: fc.constant('https://images.example/bot.png'),
    initial_audio: fc.constant({ url: 'https://sounds.example/hello.mp3' }),
    join_at: joinAt,
    custom_attributes: attributes,
    live_audio_required: fc.constant({ websocket_url: 'wss://audio.example/in?key=1' }),
    socket_connection_url: fc.constant({ websocket_url: 'wss://control.example' }),
    a_field_of_the_future: fc.constantFrom<unknown>(1, null, { deep: [] }, 'x'),
  })
  return meetings(serviceUrl).chain(({ platform, link }) =>
    fc
      .tuple(
        fields,
        speechOn(platform),
        some({ automatic_leave: leaveRules(platform) }),
        fc.constantFrom({}, {}, ...SECTIONS[platform]),
        fc.nat(19),
      )
      .map(([some, words, leave, section, chance]) => ({
        meeting_link: link,
        ...some,
        ...words,
        ...leave,
        ...section,
        // A signed-in bot that joins now would hold one of the few logins.
        ...('google_meet' in section && { join_at: new Date(Date.now() + DAY_MS).toISOString() }),
        // The 404 of this server ends a delivery at once. A silent receiver would be retried.
        ...(chance === 0 && { callback_url: `${serviceUrl}/nobody-listens` }),
      })),
  )
}
