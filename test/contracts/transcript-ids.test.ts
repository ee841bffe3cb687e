// The run of a bot's transcript_id, and bot.done of a bot with a transcript only.
import { expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import type { SaidFact } from '../../src/domain/recording.ts'
import { addEvidence } from '../../src/service/db/fleet/bots.ts'
import { LIVE_PROVIDER_STEP } from '../../src/service/db/media/transcriptions.ts'
import { openForFile } from '../helpers/for-file.ts'
import { createEndedBot, makeDue } from '../helpers/service/ended-bot.ts'
import { LONG_MS, startTranscriptBench } from '../helpers/speech/transcripts.ts'
import { until } from '../helpers/until.ts'

const bench = openForFile(startTranscriptBench)

const transcribe = async (botId: BotId, options: object): Promise<string> =>
  (await bench.service.api('POST', `/api/v1/bots/${botId}/transcribe`, { provider: { deepgram: options } })).body.transcript_id
const named = async (botId: BotId) => {
  const { transcript_id, TranscriptStatus } = await bench.detail(botId)
  return [transcript_id, TranscriptStatus]
}
const endOf = (botId: BotId, run: string) =>
  until(
    'the run has ended',
    async () => {
      const { transcriptions } = (await bench.get(`/bots/${botId}/transcriptions`)).body
      return transcriptions.some((it: Record<string, string>) => it.transcript_id === run && it.status !== 'Processing')
    },
    LONG_MS,
  )
const doneOf = async (botId: BotId) => (await bench.eventsOf(botId)).find(({ event }) => event === 'bot.done')

test(
  'takes transcript_id and TranscriptStatus from the newest successful run',
  async () => {
    const { botId, transcriptId } = await bench.done()
    expect(await named(botId)).toEqual([transcriptId, 'Success'])
    await endOf(botId, await transcribe(botId, { model: 'none' }))
    expect(await named(botId)).toEqual([transcriptId, 'Success'])
    const newest = await transcribe(botId, { language: 'de' })
    await endOf(botId, newest)
    expect(await named(botId)).toEqual([newest, 'Success'])
  },
  LONG_MS,
)

test(
  'takes transcript_id from the newest run if none succeeded',
  async () => {
    const { botId, transcriptId } = await bench.done({ model: 'none' })
    expect(await named(botId)).toEqual([transcriptId, 'Failed'])
    bench.vendor.misfortunes.push('hang')
    const second = await transcribe(botId, { language: 'de' })
    expect(await named(botId)).toEqual([second, 'Processing'])
  },
  LONG_MS,
)

const SILENT = { video_required: false, audio_required: false }
const LIVE = { ...SILENT, recording_config: { transcript: { provider: 'native_streaming' } } }
const WORD = { word: 'alpha', punctuatedWord: 'Alpha.', start: 1, end: 2, confidence: 0.9 }
const SAID: SaidFact = { fact: 'said', participantId: 'ann', name: 'Ann', text: 'Alpha.', start: 1, end: 2, words: [WORD] }

async function liveBot(said: readonly SaidFact[]): Promise<BotId> {
  const { service, store } = bench
  return createEndedBot({ api: service.api, db: service.db, store }, LIVE, said)
}

async function finished(botId: BotId): Promise<BotId> {
  await makeDue(bench.service.db, botId)
  await until('the bot is done', async () => (await bench.detail(botId)).Status === 'Done', LONG_MS)
  return botId
}

test(
  'gives a bot with live transcription only a transcript_id after the call, in its detail and in bot.done',
  async () => {
    const botId = await finished(await liveBot([SAID]))
    const [id, status] = await named(botId)
    expect([id, status]).toEqual([expect.stringMatching(/^trn_/), 'Success'])
    expect((await bench.transcript(id)).body).toMatchObject([{ speaker: 'Ann', text: 'Alpha.' }])
    expect(await doneOf(botId)).toMatchObject({ transcript_id: id, status: 'success', delivered: { words: 1 } })
  },
  LONG_MS,
)

test(
  'gives a bot with live transcription only an empty transcript if no one spoke',
  async () => {
    const botId = await finished(await liveBot([]))
    const [id, status] = await named(botId)
    expect(status).toBe('Success')
    expect(await bench.transcript(id)).toMatchObject({ status: 200, body: [] })
    expect(await doneOf(botId)).toMatchObject({ transcript_id: id, status: 'success' })
  },
  LONG_MS,
)

test(
  'gives a bot whose live provider failed before the first word a failed transcript with the reason',
  async () => {
    const bot = await liveBot([])
    const message = 'native_streaming: the process that listens died'
    const evidence = { at: new Date().toISOString(), step: LIVE_PROVIDER_STEP, message, pageText: null }
    await addEvidence(bench.service.db, bot, evidence)
    await finished(bot)
    const [id, status] = await named(bot)
    expect(status).toBe('Failed')
    expect(await bench.transcript(id)).toMatchObject({ status: 422, body: { message } })
    expect(await doneOf(bot)).toMatchObject({ status: 'error' })
  },
  LONG_MS,
)

test.each([
  ['with words', { language: 'en' }, 2],
  ['without speech', { language: 'fr' }, 0],
])(
  'reports success in bot.done of a bot without audio and video for a transcript %s',
  async (_, options, words) => {
    const nothing = { metadata: {}, results: { channels: [{ alternatives: [{ transcript: '', confidence: 0, words: [] }] }] } }
    if (words === 0) bench.vendor.misfortunes.push({ status: 200, body: nothing }, { status: 200, body: nothing })
    const { service, store } = bench
    const wish = { ...SILENT, recording_config: { transcript: { provider: { deepgram: options } } } }
    const botId = await finished(await createEndedBot({ api: service.api, db: service.db, store }, wish))
    expect(await doneOf(botId)).toMatchObject({ status: 'success', delivered: { audio_seconds: 0, video_seconds: 0, words } })
    expect((await doneOf(botId))?.message).toMatch(words === 0 ? /transcript without words/ : /2 words/)
  },
  LONG_MS,
)
