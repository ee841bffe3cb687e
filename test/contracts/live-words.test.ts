// Live transcription from audio packets to the caller's webhook or WebSocket, with a provider's real protocol.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LiveSim, startDeepgramLive } from '../../sims/speech/live.ts'
import { sayTones } from '../../sims/speech/tone-words.ts'
import { KEY } from '../../sims/speech/vendor.ts'
import type { Span } from '../../src/bot/capture/source/speech-detector.ts'
import { openLiveWords } from '../../src/bot/live/live-outputs.ts'
import type { BotOrders, FromWorker } from '../../src/domain/protocol.ts'
import type { SaidFact } from '../../src/domain/recording.ts'
import { createHttpClient } from '../../src/kit/http-client.ts'
import { openSpeech } from '../../src/speech/registry.ts'
import { type LiveServer, startLiveServer } from '../helpers/callers/live-server.ts'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { ordersFor, specFor } from '../helpers/service/fleet.ts'
import { until } from '../helpers/until.ts'

const BEGAN = Date.parse('2026-11-15T09:00:00.000Z')
const ADA = { id: 'ada', name: 'Ada' }
const BEN = { id: 'ben', name: 'Ben' }
/** Longer than the 0.7 s of silence after which the vendor finalizes. */
const SETTLED_MS = 15_000

let vendor: LiveSim
let hook: Receiver
let server: LiveServer
const cleanUps: (() => unknown)[] = []
beforeEach(async () => {
  vendor = await startDeepgramLive()
  hook = await startReceiver()
  server = await startLiveServer()
  cleanUps.push(
    () => vendor.close(),
    () => hook.close(),
    () => server.close(),
  )
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A bot's live transcription with a manual clock. */
function meeting(kind: 'webhook' | 'websocket', change: Partial<BotOrders['words']> = {}, away: Span | null = null) {
  const liveWords = { kind, url: kind === 'webhook' ? `${hook.url}/words` : server.url }
  const settings = { keys: { deepgram: KEY }, baseUrls: { deepgram_streaming: vendor.baseUrl } }
  const words = {
    provider: 'deepgram_streaming',
    options: { language: 'en' },
    settings,
    native: { modelsFolder: '/nowhere' },
    ...change,
  } as const
  const spec = specFor('https://meet.google.com/abc-defg-hij', { liveWords })
  const orders = ordersFor({ spec, words, allowPrivateUrls: true, customAttributes: { tag: 'x' } })
  const [said, reports, problems]: [Omit<SaidFact, 'fact'>[], FromWorker[], string[]] = [[], [], []]
  let nowMs = 0
  const http = createHttpClient({ allowPrivate: true })
  const live = openLiveWords({
    orders,
    http,
    now: () => BEGAN + nowMs,
    report: (report) => void reports.push(report),
    capture: { nowMs: () => nowMs, sessionGap: () => away, addWords: (fact) => void said.push(fact) },
    failed: async (_, message) => void problems.push(message),
    speechWith: openSpeech,
  })
  cleanUps.push(
    () => http.close(),
    () => live?.end(),
  )
  /** 20 ms frames at 48 kHz, one word every half second. */
  const speak = (speaker: typeof ADA, ...spoken: readonly string[]): void => {
    const seconds = spoken.length / 2
    const sound = sayTones(spoken.map((word, index) => [word, index / 2 + 0.1] as const), seconds) // biome-ignore format: one line
    const frames = Int16Array.from({ length: sound.length * 3 }, (_, at) => sound[Math.floor(at / 3)] ?? 0)
    for (let from = 0; from < frames.length; from += 960) live?.onAudio(speaker, frames.subarray(from, from + 960), nowMs + from / 48)
    nowMs += seconds * 1000
  }
  const silent = (speaker: typeof ADA, seconds: number): void => {
    for (let at = 0; at < seconds * 1000; at += 20) live?.onAudio(speaker, new Int16Array(960), nowMs + at)
    nowMs += seconds * 1000
  }
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { live, speak, silent, said, reports, problems, pass }
}

const finals = () => hook.received.map(({ body }) => body).filter(({ is_final }) => is_final)

test('sends interim and final results to the webhook with every field, and records the final ones', async () => {
  const { speak, said, live } = meeting('webhook')
  speak(ADA, 'alpha', 'bravo')
  await until('the words are final', () => finals().length === 1, SETTLED_MS)
  expect(hook.received[0]?.headers['user-agent']).toBe('Emissary/1.0')
  const [final] = finals()
  expect(final).toMatchObject({
    bot_id: 'bot_1',
    speakerName: 'Ada',
    speakerId: 'ada',
    transcript: 'Alpha bravo.',
    is_final: true,
    end_of_turn: true,
    word_is_final: true,
    custom_attributes: { tag: 'x' },
    new_text: expect.any(String),
  })
  expect(Math.abs(Date.parse(final.timestamp) - BEGAN - 100)).toBeLessThan(60)
  const { start, end } = final.words[0]
  expect(final.words[0]).toEqual({
    word: 'alpha',
    start,
    end,
    confidence: 0.9,
    speaker: 'Ada',
    punctuated_word: 'Alpha',
    speech_confidence: 0.9,
  })
  expect(Math.abs(start - 0.1)).toBeLessThan(0.06)
  const partial = hook.received.map(({ body }) => body).find(({ is_final }) => !is_final)
  expect(partial).toMatchObject({ speakerId: 'ada', end_of_turn: false, word_is_final: false })
  expect(vendor.sessions[0]?.query.get('language')).toBe('en')

  speak(BEN, 'charlie')
  await live?.end()
  expect(finals().map(({ speakerName, transcript }) => `${speakerName}: ${transcript}`)).toEqual(['Ada: Alpha bravo.', 'Ben: Charlie.'])
  expect(said.map(({ participantId, name, text }) => [participantId, name, text])).toEqual([
    ['ada', 'Ada', 'Alpha bravo.'],
    ['ben', 'Ben', 'Charlie.'],
  ])
}, 30_000)

test('sends the greeting and the results to a WebSocket', async () => {
  const { speak, live } = meeting('websocket')
  const { received } = await server.connection(1)
  speak(ADA, 'delta')
  await live?.end()
  const texts = received as Record<string, unknown>[]
  expect(texts[0]).toEqual({ type: 'ready', bot_id: 'bot_1' })
  expect(texts.at(-1)).toMatchObject({ transcript: 'Delta.', is_final: true, speakerName: 'Ada', custom_attributes: { tag: 'x' } })
}, 30_000)

test('sends no results while paused, except for audio from before the pause', async () => {
  const { speak, live, pass } = meeting('webhook')
  speak(ADA, 'alpha')
  live?.pause()
  speak(ADA, 'bravo')
  await until('what was said before', () => finals().length === 1, SETTLED_MS)
  live?.resume()
  pass(20)
  speak(ADA, 'charlie')
  await live?.end()
  expect(finals().map(({ transcript }) => transcript)).toEqual(['Alpha.', 'Charlie.'])
}, 30_000)

test('does not send silence to the provider, and keeps the times after it', async () => {
  const { speak, live, silent } = meeting('webhook')
  speak(ADA, 'alpha')
  silent(ADA, 30)
  silent(BEN, 30)
  speak(ADA, 'bravo')
  await live?.end()
  expect(finals().map(({ transcript, words }) => [transcript, Math.round(words[0].start * 10) / 10])).toEqual([
    ['Alpha.', 0.1],
    ['Bravo.', 60.6],
  ])
  expect(vendor.sessions).toHaveLength(1)
  expect((vendor.sessions[0]?.pcm.length ?? 0) / 16_000).toBeLessThan(3)
}, 30_000)

test('reports a provider that refuses once, and the bot stays', async () => {
  const { speak, reports, pass } = meeting('webhook', {
    settings: { keys: { deepgram: 'wrong' }, baseUrls: { deepgram_streaming: vendor.baseUrl } },
  })
  speak(ADA, 'alpha')
  await until('the failure is reported', () => reports.length > 0, SETTLED_MS)
  expect(reports[0]).toMatchObject({
    kind: 'words_failed',
    botId: 'bot_1',
    fence: 1,
    message: expect.stringContaining('Invalid credentials'),
  })
  pass(60_000)
  speak(ADA, 'bravo')
  speak(BEN, 'bravo')
  expect(reports).toHaveLength(1)
  expect(hook.received).toEqual([])
})

test('tries a failing webhook three times for a final result, records the failure, and sends the next result', async () => {
  const { speak, live, problems } = meeting('webhook')
  let refused = 0
  hook.answerWith(({ body }, response) => {
    const isRefused = body.is_final && body.transcript === 'Alpha.'
    if (isRefused) refused++
    response.writeHead(isRefused ? 500 : 200).end()
  })
  speak(ADA, 'alpha')
  await until('the first words are given up', () => refused === 3 && problems.length > 0, SETTLED_MS)
  expect(problems).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+ answered 500 to live words\.$/)])
  speak(BEN, 'echo')
  await live?.end()
  expect(finals().at(-1)).toMatchObject({ transcript: 'Echo.', speakerName: 'Ben' })
  expect(refused).toBe(3)
}, 30_000)

const gaps = (received: readonly unknown[]) => (received as Record<string, unknown>[]).filter(({ type }) => type === 'gap')
const at = (ms: number) => new Date(BEGAN + ms).toISOString()

test('finalizes the last interim result when the provider is lost, and reports a gap after it', async () => {
  const { speak, live, said } = meeting('websocket')
  const { received } = await server.connection(1)
  const messages = () => received as Record<string, unknown>[]
  speak(ADA, 'alpha', 'bravo')
  await until('a part is delivered', () => messages().some(({ is_final }) => is_final === false), SETTLED_MS)
  vendor.sessions[0]?.socket.close(1008, 'No more')
  const final = await until('it is final', () => messages().find(({ is_final }) => is_final === true), SETTLED_MS)
  expect(final.transcript).toBe(messages().findLast(({ is_final }) => is_final === false)?.transcript)
  expect(final.words).toMatchObject([{ word: 'alpha', speaker: 'Ada' }, ...(final.words as unknown[]).slice(1)])
  expect(said.map(({ text }) => text)).toEqual([final.transcript])
  speak(ADA, 'charlie')
  await live?.end()
  const [gap] = gaps(received).slice(-1)
  expect(Date.parse(String(gap?.from))).toBeLessThan(BEGAN + 1_200)
  expect(Date.parse(String(gap?.to))).toBeGreaterThan(BEGAN + 1_200)
}, 30_000)

test('reports the absence of a rejoined bot as a gap', async () => {
  meeting('websocket', {}, { fromMs: 1_000, toMs: 5_000 })
  const { received } = await server.connection(1)
  await until('the gap is reported', () => gaps(received).length === 1)
  expect(received.slice(0, 2)).toEqual([
    { type: 'ready', bot_id: 'bot_1' },
    { type: 'gap', frames: 1, milliseconds: 4_000, from: at(1_000), to: at(5_000) },
  ])
})

test('records a gap as evidence if the receiver is a webhook', async () => {
  const { problems } = meeting('webhook', {}, { fromMs: 1_000, toMs: 5_000 })
  expect(problems).toEqual([`Speech from ${at(1_000)} to ${at(5_000)} was not transcribed, so there are no live words for it.`])
})
