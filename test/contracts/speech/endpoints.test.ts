// Text to speech and summaries by endpoints with OpenAI's API.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { KEY, type Misfortune, type Route, type SpeechSim, serveVendor } from '../../../sims/speech/vendor.ts'
import { SpeechFailed } from '../../../src/speech/provider.ts'
import { summarise } from '../../../src/speech/summary.ts'
import { synthesise, UnknownVoice } from '../../../src/speech/text-to-speech.ts'
import { asWav } from '../../../src/speech/wav.ts'
import { never, QUICK } from '../../helpers/speech/speech-vendors.ts'

const PCM = Buffer.from(Array.from({ length: 480 }, (_, index) => index % 50))
const SUM = 'Anna and Ben agreed to ship on Friday.'
const wav = () => asWav(PCM, 24_000)

const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v1\/audio\/speech$/,
    isMain: true,
    answer({ body, headers }) {
      const { model, voice, input, response_format } = JSON.parse(body.toString())
      if (headers.authorization !== `Bearer ${KEY}`)
        return { status: 401, body: { error: { message: `Incorrect API key ${headers.authorization}` } } }
      if (voice === 'nobody') return { status: 400, body: { error: { message: 'voice must be alloy or nova' } } }
      if (typeof model !== 'string' || typeof input !== 'string') return { status: 400, body: { error: { message: 'missing field' } } }
      return { headers: { 'content-type': 'audio/wav' }, body: response_format === 'pcm' ? PCM : wav() }
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/chat\/completions$/,
    isMain: true,
    answer: ({ headers }) =>
      headers.authorization === `Bearer ${KEY}`
        ? { body: { id: 'chat-1', choices: [{ index: 0, message: { role: 'assistant', content: ` ${SUM}\n` }, finish_reason: 'stop' }] } }
        : { status: 401, body: { error: { message: 'Incorrect API key' } } },
  },
]

let sim: SpeechSim
beforeEach(async () => {
  sim = await serveVendor(() => ROUTES)
})
afterEach(() => sim.close())

const orders = () => sim.asked.map(({ body }) => JSON.parse(body.toString()))
const endpoint = () => ({ baseUrl: `${sim.baseUrl}/v1`, apiKey: KEY })

describe('text to speech by an endpoint', () => {
  const say = (voice: string | null = null, changes: { format?: 'wav' | 'pcm'; apiKey?: string } = {}) =>
    synthesise(
      { text: ' Good\0 morning ', voice, language: null },
      { ...endpoint(), model: 'tts-1', voice: 'alloy', format: 'wav', ...changes },
    )

  test.each(['wav', 'pcm'] as const)('returns a WAV file (%s)', async (format) => {
    expect((await say(null, { format })).equals(wav())).toBe(true)
    expect(orders()).toEqual([{ model: 'tts-1', voice: 'alloy', input: 'Good  morning', response_format: format }])
  })

  test('requests the voice that the caller chose', async () => {
    await say('nova')
    expect(orders()).toMatchObject([{ voice: 'nova' }])
  })

  test('accepts a WAV header with a wrong length and with chunks before the audio', async () => {
    const streamed = wav()
    streamed.writeUInt32LE(0xffffffff, 4)
    streamed.writeUInt32LE(0xffffffff, 40)
    const list = Buffer.from('LIST\x03\x00\x00\x00abc\x00', 'latin1')
    sim.misfortunes.push({ body: Buffer.concat([streamed.subarray(0, 36), list, streamed.subarray(36)]) })
    expect((await say()).equals(wav())).toBe(true)
  })

  test('reports a refused voice as an unknown voice', async () => {
    const error = await say('nobody').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnknownVoice)
    expect(String(error)).toContain('The voice "nobody" is not available. The voice endpoint answered 400: voice must be alloy or nova.')
  })

  test.each<[string, Misfortune, string]>([
    ['an empty answer', { body: '' }, 'something other than a WAV file'],
    ['text', { body: 'I am sorry, but I cannot speak this text aloud for you today.' }, 'something other than a WAV file'],
    ['a file cut off', { body: wav().subarray(0, 40) }, 'something other than a WAV file'],
    ['two channels', { body: Buffer.concat([wav().subarray(0, 22), Buffer.of(2, 0), wav().subarray(24)]) }, 'not 16-bit mono'],
    ['a refusal', { status: 403, body: { error: { message: 'Not this model' } } }, 'answered 403: Not this model.'],
  ])('fails without a fallback if the endpoint answers with %s', async (_, misfortune, words) => {
    sim.misfortunes.push(misfortune)
    const error = await say().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SpeechFailed)
    expect(String(error)).toContain(words)
  })

  test('does not leak the key in an error message', async () => {
    const error = await say(null, { apiKey: 'secret-key' }).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('answered 401: Incorrect API key Bearer (key).')
  })
})

describe('a summary by an endpoint', () => {
  const TURNS = [
    { speaker: 'Anna', text: 'Shall we ship on Friday?', start: 0, end: 6 },
    { speaker: 'Ben', text: 'Yes, Friday.', start: 6, end: 8 },
    { speaker: 'Cleo', text: '  ', start: 8, end: 100 },
  ]
  const sum = (turns = TURNS) => summarise(turns, { ...endpoint(), model: 'small' }, never(), QUICK)

  test('summarises the transcript', async () => {
    const talkTime = [
      { speaker: 'Anna', seconds: 6, share: 0.75 },
      { speaker: 'Ben', seconds: 2, share: 0.25 },
    ]
    expect(await sum()).toEqual({ text: SUM, source: 'model', talkTime })
    expect(orders()).toMatchObject([
      { model: 'small', messages: [{ role: 'system' }, { content: 'Anna: Shall we ship on Friday?\nBen: Yes, Friday.' }] },
    ])
  })

  test('summarises a long meeting in parts and then summarises the parts', async () => {
    const long = Array.from({ length: 3_000 }, (_, index) => ({
      speaker: 'Anna',
      text: `Point ${index} of this long meeting.`,
      start: index,
      end: index + 1,
    }))
    expect((await sum(long)).text).toBe(SUM)
    const asked = orders().map(({ messages }) => String(messages[1].content))
    expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(48_000)
    expect(asked.slice(0, -1).join('\n')).toBe(long.map(({ text }) => `Anna: ${text}`).join('\n'))
    expect(asked.at(-1)).toBe(asked.slice(0, -1).map(() => SUM).join('\n')) // biome-ignore format: one thought
  })

  test('makes no request for an empty transcript', async () => {
    expect(await sum([])).toEqual({ text: '', source: 'extractive', talkTime: [] })
    expect(sim.asked).toEqual([])
  })

  test.each<[string, Misfortune]>([
    ['no choices', { body: { choices: [] } }],
    ['no text', { body: { choices: [{ message: { content: null } }] } }],
    ['an empty text', { body: { choices: [{ message: { content: ' ' } }] } }],
    ['a text as long as the transcript', { body: { choices: [{ message: { content: 'x'.repeat(20_000) } }] } }],
    ['a refusal', { status: 400, body: { error: { message: 'No such model' } } }],
    ['a body that is not JSON', { body: 'nonsense' }],
  ])('fails if the endpoint answers with %s', async (_, misfortune) => {
    sim.misfortunes.push(misfortune)
    expect(await sum().catch((error: unknown) => error)).toBeInstanceOf(SpeechFailed)
  })
})
