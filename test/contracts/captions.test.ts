// meeting_captions as a live provider: delivery, record and validation.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openCaptions, openLiveWords } from '../../src/bot/live/live-outputs.ts'
import type { JsonObject } from '../../src/domain/bot.ts'
import type { Caption } from '../../src/domain/meeting.ts'
import type { FromWorker } from '../../src/domain/protocol.ts'
import type { SaidFact } from '../../src/domain/recording.ts'
import { Failure } from '../../src/kit/failure.ts'
import { createHttpClient } from '../../src/kit/http-client.ts'
import { openSpeech } from '../../src/speech/registry.ts'
import { type LiveServer, startLiveServer } from '../helpers/callers/live-server.ts'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { ordersFor, specFor } from '../helpers/service/fleet.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { until } from '../helpers/until.ts'

const BEGAN = Date.parse('2026-11-15T09:00:00.000Z')

const service = serviceForFile()

let hook: Receiver
let server: LiveServer
const cleanUps: (() => unknown)[] = []
beforeEach(async () => {
  hook = await startReceiver()
  server = await startLiveServer()
  cleanUps.push(
    () => hook.close(),
    () => server.close(),
  )
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

type Options = { readonly kind?: 'webhook' | 'websocket' | null; readonly options?: JsonObject; readonly refuses?: string }

/** A bot's captions with a manual clock. The meeting can refuse to enable captions. */
function meeting({ kind = 'webhook', options = {}, refuses }: Options = {}) {
  const liveWords = kind && { kind, url: kind === 'webhook' ? `${hook.url}/words` : server.url }
  const words = { provider: 'meeting_captions', options, settings: { keys: {} }, native: { modelsFolder: '/nowhere' } } as const
  const spec = specFor('https://meet.google.com/abc-defg-hij', { liveWords })
  const orders = ordersFor({ spec, words, allowPrivateUrls: true, customAttributes: { tag: 'x' } })
  const [said, reports, asked]: [Omit<SaidFact, 'fact'>[], FromWorker[], (string | null)[]] = [[], [], []]
  let nowMs = 0
  const http = createHttpClient({ allowPrivate: true })
  const tools = {
    orders,
    http,
    now: () => BEGAN + nowMs,
    report: (report: FromWorker) => void reports.push(report),
    capture: { nowMs: () => nowMs, sessionGap: () => null, addWords: (fact: Omit<SaidFact, 'fact'>) => void said.push(fact) },
    failed: async () => undefined,
    speechWith: openSpeech,
    driver: {
      async captions(language: string | null) {
        asked.push(language)
        if (refuses !== undefined) throw new Failure('captions_failed', refuses)
      },
    },
  }
  const captions = openCaptions(tools)
  cleanUps.push(
    () => http.close(),
    () => captions?.end(),
  )
  const see = (atMs: number, more: Partial<Caption>): void => {
    nowMs = atMs
    captions?.onCaption({ id: 'c1', from: 'ada', name: 'Ada', text: '', final: false, at: BEGAN + atMs, ...more })
  }
  return { tools, captions, see, said, reports, asked }
}

const bodies = () => hook.received.map(({ body }) => body)

test('sends interim and final captions to the webhook with every field, and records the final ones', async () => {
  const { captions, see, said, asked } = meeting({ options: { language: 'en-US' } })
  see(1_000, { text: 'Alpha' })
  await until('the first version', () => bodies().length === 1)
  see(3_000, { text: 'Alpha bravo.', final: true })
  see(4_000, { id: 'c2', from: 'ben', name: 'Ben', text: 'Charlie' })
  await captions?.end()
  expect(asked).toEqual(['en-US'])
  const common = { bot_id: 'bot_1', custom_attributes: { tag: 'x' } }
  const [first, final] = bodies()
  expect(first).toMatchObject({ ...common, transcript: 'Alpha', new_text: 'Alpha', is_final: false, end_of_turn: false })
  const word = (text: string, start: number, end: number) => ({
    word: text.toLowerCase().replace('.', ''),
    start,
    end,
    confidence: 1,
    speaker: 'Ada',
    punctuated_word: text,
    speech_confidence: 1,
  })
  expect(final).toEqual({
    ...common,
    speakerName: 'Ada',
    speakerId: 'ada',
    timestamp: new Date(BEGAN + 1_000).toISOString(),
    transcript: 'Alpha bravo.',
    new_text: 'bravo.',
    is_final: true,
    end_of_turn: true,
    word_is_final: true,
    words: [word('Alpha', 1, expect.closeTo(1.91, 1)), word('bravo.', expect.closeTo(1.91, 1), expect.closeTo(3, 6))],
  })
  // The last interim caption becomes final when the meeting ends.
  expect(bodies().at(-1)).toMatchObject({ speakerName: 'Ben', transcript: 'Charlie', is_final: true })
  expect(said.map(({ participantId, name, text, start, end }) => [participantId, name, text, start, end])).toEqual([
    ['ada', 'Ada', 'Alpha bravo.', 1, 3],
    ['ben', 'Ben', 'Charlie', 3.8, 4],
  ])
})

test('sends the greeting and the captions to a WebSocket', async () => {
  const { captions, see, asked } = meeting({ kind: 'websocket', options: { language: 'auto' } })
  const { received } = await server.connection(1)
  see(500, { text: 'Delta.', final: true })
  await captions?.end()
  expect(asked).toEqual([null])
  const texts = received as Record<string, unknown>[]
  expect(texts[0]).toEqual({ type: 'ready', bot_id: 'bot_1' })
  expect(texts.at(-1)).toMatchObject({ transcript: 'Delta.', is_final: true, speakerName: 'Ada', custom_attributes: { tag: 'x' } })
})

test('records captions without a live receiver, and opens no recogniser', async () => {
  const { tools, captions, see, said, reports } = meeting({ kind: null })
  expect(openLiveWords(tools)).toBeNull()
  see(500, { text: 'Echo', final: true })
  await captions?.end()
  expect(said).toMatchObject([{ text: 'Echo', participantId: 'ada' }])
  expect(reports).toEqual([])
})

test('reports captions that cannot be enabled once, and the bot stays', async () => {
  const { reports, captions } = meeting({ refuses: 'The meeting shows no button for captions' })
  await until('the failure is reported', () => reports.length > 0)
  await captions?.end()
  expect(reports).toEqual([
    {
      kind: 'words_failed',
      botId: 'bot_1',
      fence: 1,
      at: BEGAN,
      message: 'The captions could not be switched on: The meeting shows no button for captions',
    },
  ])
})

test('does not enable captions for other providers', () => {
  const { tools } = meeting()
  const words = tools.orders.words && ({ ...tools.orders.words, provider: 'native_streaming' } as const)
  expect(openCaptions({ ...tools, orders: { ...tools.orders, words } })).toBeNull()
})

test('rejects meeting_captions for a platform without captions, and accepts it for one with captions', async () => {
  const create = (meeting_link: string, meeting_captions: unknown = {}) =>
    service.api('POST', '/api/v1/bots/create_bot', {
      meeting_link,
      join_at: new Date(Date.now() + 3_600_000).toISOString(),
      recording_config: { transcript: { provider: { meeting_captions } } },
    })
  const refused = await create(`${service.url}/room/daily`)
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'recording_config.transcript.provider must not be meeting_captions: the built-in room has no captions.',
  ])
  const unread = await create('https://meet.google.com/abc-defg-hij', { language: 5 })
  expect([unread.status, unread.body.message]).toEqual([
    400,
    'recording_config.transcript.provider.meeting_captions.language must be a text, for example en, or "auto".',
  ])
  const taken = await create('https://meet.google.com/abc-defg-hij', { language: 'en-US' })
  expect([taken.status, taken.body.transcript_id]).toEqual([201, null])
})
