// Speech providers and languages in every field and form that accepts them.
import { describe, expect, test } from 'vitest'
import { calendarServiceForFile, connect, eventsOf, newUser } from '../helpers/calendars/calendar.ts'
import { during, inHours, meetLink } from '../helpers/calendars/event-fields.ts'
import type { Answer, Client } from '../helpers/service/service.ts'

const service = calendarServiceForFile({ SARVAM_API_KEY: 'x', OPENAI_API_KEY: 'x', DEEPGRAM_API_KEY: 'x', ASSEMBLYAI_API_KEY: 'x' })

const join_at = inHours(24).toISOString()
const create = (provider: unknown, more: object = {}): Promise<Answer> =>
  service.api('POST', '/api/v1/bots/create_bot', {
    meeting_link: meetLink(1),
    join_at,
    recording_config: { transcript: { provider } },
    ...more,
  })

async function transcriptOf(botId: string) {
  const { spec } = await service.db.selectFrom('bots').select('spec').where('id', '=', botId).executeTakeFirstOrThrow()
  return spec.transcript
}

/** Every accepted form of one provider with its options. */
const formsOf = (name: string, options: object) => [name, { [name]: options }, { provider: name }, { provider: { [name]: options } }]

type Place = { readonly where: string; readonly write: (provider: unknown) => Promise<string> }

/** Creates a user with one event and returns the event's bot. */
async function eventOf() {
  const { api, google } = await newUser(service)
  google.put({ id: 'event', hangoutLink: meetLink(1), ...during(inHours(5)) })
  return { api, google }
}

async function botOf(api: Client): Promise<string> {
  const [event] = await eventsOf(api)
  return event?.bots[0]?.id ?? expect.fail('the event has no bot')
}

const PLACES: readonly Place[] = [
  { where: 'create_bot', write: async (provider) => (await create(provider)).body.bot_id },
  {
    where: 'the configuration of a calendar',
    async write(transcription) {
      const { api, google } = await eventOf()
      expect(await connect(api, google.credentials, { transcription })).toMatchObject({ status: 200 })
      const [event] = await eventsOf(api)
      expect(await api('POST', `/calendar/schedule/${event?.id}`)).toMatchObject({ status: 200 })
      return botOf(api)
    },
  },
  {
    where: 'bot_config of an event',
    async write(transcription) {
      const { api, google } = await eventOf()
      await connect(api, google.credentials)
      const [event] = await eventsOf(api)
      expect(await api('POST', `/calendar/schedule/${event?.id}`, { bot_config: { transcription } })).toMatchObject({ status: 200 })
      return botOf(api)
    },
  },
  {
    where: 'default_bot_config of auto-schedule',
    async write(transcription) {
      const { api, google } = await eventOf()
      await connect(api, google.credentials)
      const body = { default_bot_config: { transcription } }
      expect(await api('POST', '/calendar/auto-schedule/enable', body)).toMatchObject({ status: 200 })
      return botOf(api)
    },
  },
]

describe.each(PLACES)('$where', ({ write }) => {
  test('accepts an alias as a string, as a key, and under provider', async () => {
    const options = { language: 'auto' }
    for (const provider of formsOf('meetstream', options)) {
      const botId = await write(provider)
      expect(await transcriptOf(botId), JSON.stringify(provider)).toMatchObject({ provider: 'native' })
    }
    const botId = await write({ provider: { meetstream_streaming: options } })
    expect(await transcriptOf(botId)).toEqual({ provider: 'native_streaming', options })
  })
})

describe('a language', () => {
  test.each([
    ['native', { native: { language: 'de' } }, 'native.language "de" is not supported by native: it must be "auto" or one of en.'],
    ['an alias', { meetstream: { language: 'de' } }, 'meetstream.language "de" is not supported by native'],
    ['a live provider', { native_streaming: { language: 'fr-FR' } }, 'native_streaming.language "fr-FR" is not supported'],
    ['sarvam', { sarvam: { language: 'en-US' } }, 'sarvam.language "en-US" is not supported by sarvam: it must be "auto" or one of as-IN'],
    ['sarvam, by its own field name,', { sarvam: { language_code: 'de-DE' } }, 'sarvam.language_code "de-DE" is not supported'],
    ['assemblyai_streaming', { assemblyai_streaming: { language: 'ja' } }, 'one of de, en, es, fr, it, pt.'],
    ['deepgram', { deepgram: { language: 'cy' } }, 'deepgram.language "cy" is not supported by deepgram'],
    ['openai', { openai: { language: 'klingon' } }, 'openai.language "klingon" is not supported by openai: it must be a language code'],
    ['openai, a number,', { openai: { language: 5 } }, 'openai.language must be a text'],
  ])('is rejected at creation if %s does not support it', async (_, provider, words) => {
    const { status, body } = await create(provider)
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^recording_config\.transcript\.provider\./)])
    expect(body.message).toContain(words)
  })

  test.each([
    { native: { language: 'en-GB' } },
    { native: { language: 'AUTO' } },
    { sarvam: { language: 'hi-IN' } },
    { sarvam: { language: 'auto' } },
    { assemblyai_streaming: { language: 'ja', model: 'whisper-rt' } },
    { deepgram: { language: 'pt-BR' } },
    { deepgram: { language: 'cy', model: 'whisper-large' } },
    { openai: { language: 'cy' } },
    { assemblyai: { language: 'en_us' } },
    { meeting_captions: { language: 'auto' } },
  ])('is accepted if the provider supports it: %j', async (provider) => {
    expect(await create(provider)).toMatchObject({ status: 201 })
  })

  test('is rejected if the live provider does not support it', async () => {
    const live_transcription_required = { websocket_url: 'wss://example.com/words' }
    const { status, body } = await create({ openai: { language: 'de' } }, { live_transcription_required })
    expect([status, body.message]).toEqual([
      400,
      'live_transcription_required: the language "de" is not supported by native_streaming: it must be "auto" or one of en.',
    ])
    expect(await create({ openai: { language: 'auto' } }, { live_transcription_required })).toMatchObject({ status: 201 })
  })

  test('is rejected with the field name for calendars, events and auto-schedule if the provider does not support it', async () => {
    const { api, google } = await eventOf()
    const transcription = { provider: { meetstream: { language: 'de' } } }
    const message = expect.stringMatching(/^transcription\.provider\.meetstream\.language "de" is not supported by native/)
    expect(await connect(api, google.credentials, { transcription })).toMatchObject({ status: 400, body: { message } })
    await connect(api, google.credentials)
    const [event] = await eventsOf(api)
    const asked = await api('POST', `/calendar/schedule/${event?.id}`, { bot_config: { transcription } })
    expect(asked).toMatchObject({ status: 400, body: { message } })
    const enabled = await api('POST', '/calendar/auto-schedule/enable', { default_bot_config: { transcription } })
    expect(enabled).toMatchObject({ status: 400, body: { message } })
  })
})
