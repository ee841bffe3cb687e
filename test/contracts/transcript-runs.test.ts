// Transcription runs: failures, retries, re-runs and deletion.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { WorkspaceId } from '../../src/domain/bot.ts'
import { claimTranscription } from '../../src/service/db/media/transcriptions.ts'
import { transcribe } from '../../src/service/media/transcript/transcribe.ts'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { openForFile } from '../helpers/for-file.ts'
import { LONG_MS, startTranscriptBench } from '../helpers/speech/transcripts.ts'
import { until } from '../helpers/until.ts'

const receiver = openForFile(startReceiver)
const bench = openForFile(startTranscriptBench)

test(
  'reports a provider’s refusal with its reason, completes the bot, and allows another run',
  async () => {
    const { botId, transcriptId } = await bench.done({ model: 'none' })
    const reason = expect.stringContaining('No such model/language combination')
    expect(await bench.transcript(transcriptId)).toMatchObject({ status: 422, body: { message: reason } })
    const received = await bench.eventsOf(botId)
    expect(received.some(({ event }) => event === 'audio.processed')).toBe(true)
    // The audio is mixed at the same time.
    expect(received.filter(({ event }) => event !== 'audio.processed')).toMatchObject([
      { event: 'bot.mediaprocessing' },
      { event: 'bot.uploading' },
      { event: 'transcription.failed', status: 'error', status_code: 500, transcript_status: 'Failed', message: reason },
      { event: 'bot.done', status: 'success', delivered: { words: 0 } },
    ])
    expect(await bench.detail(botId)).toMatchObject({ TranscriptStatus: 'Failed', AudioStatus: 'Success' })

    const again = await bench.service.api('POST', `/api/v1/bots/${botId}/transcribe`, {
      provider: { deepgram: { language: 'de' } },
      callback_url: `${receiver.url}/again`,
    })
    expect(again).toMatchObject({ status: 200, body: { bot_id: botId, provider: 'deepgram', message: expect.any(String) } })
    const second = again.body.transcript_id
    expect(second).toMatch(/^trn_/)
    await until('it can be read', async () => (await bench.transcript(second)).status === 200, LONG_MS)
    expect((await bench.transcript(second)).body).toHaveLength(2)
    await receiver.waitFor(2)
    const posted = receiver.received.filter(({ path }) => path === '/again').map(({ body }) => body)
    expect(posted).toMatchObject([
      { event: 'transcription.processed', transcript_id: second, bot_id: botId },
      { event: 'bot.transcriptionready', transcript_id: second, bot_id: botId },
    ])
    // The events of the first run keep its transcript_id.
    expect(await bench.transcript(transcriptId)).toMatchObject({ status: 422, body: { message: reason } })
    const { body } = await bench.get(`/bots/${botId}/transcriptions`)
    expect(body.transcriptions).toMatchObject([
      { transcript_id: transcriptId, status: 'Failed', error: reason, download_urls: null, config: { model: 'none' } },
      { transcript_id: second, status: 'Success', config: { language: 'de' } },
    ])
    expect((await bench.detail(botId)).TranscriptStatus).toBe('Success')
    expect((await bench.eventsOf(botId)).filter(({ event }) => event === 'bot.done')).toHaveLength(1)
  },
  LONG_MS,
)

test(
  'sends events of a re-run with its own transcript_id, to its own callback_url if it has one',
  async () => {
    const { botId, transcriptId } = await bench.done({ language: 'en' }, { callback_url: `${receiver.url}/bot` })
    const again = async (more: object) =>
      (await bench.service.api('POST', `/api/v1/bots/${botId}/transcribe`, { provider: 'deepgram', ...more })).body.transcript_id
    const received = (path: string) =>
      receiver.received
        .filter((it) => it.path === path && /transcription/.test(it.body.event))
        .map(({ body }) => [body.event, body.transcript_id])
    const both = (id: string) => [
      ['transcription.processed', id],
      ['bot.transcriptionready', id],
    ]
    const second = await again({ callback_url: `${receiver.url}/own` })
    await until('the second run is received', () => received('/own').length === 2, LONG_MS)
    expect(received('/own')).toEqual(both(second))
    const third = await again({})
    await until('the third run is received', () => received('/bot').length === 4, LONG_MS)
    expect(received('/bot')).toEqual([...both(transcriptId), ...both(third)])
    expect(received('/own')).toEqual(both(second))
  },
  LONG_MS,
)

test(
  'retries a transient failure without repeating finished files and streams',
  async () => {
    const words = [{ word: 'ann', start: 0.1, end: 0.5, confidence: 0.9, punctuated_word: 'Ann.' }]
    const ann = { metadata: {}, results: { channels: [{ alternatives: [{ transcript: 'Ann.', confidence: 0.9, words }] }] } }
    // Ann's stream succeeds. Bob's fails in all immediate attempts.
    const overloaded = { status: 503, body: { err_msg: 'Overloaded' } }
    bench.vendor.misfortunes.push({ status: 200, body: ann }, overloaded, overloaded, overloaded, overloaded)
    const { botId, transcriptId } = await bench.done({ language: 'fr' })
    expect((await bench.transcript(transcriptId)).body).toMatchObject([{ text: 'Ann.' }, { text: 'Charlie.' }])
    expect(bench.vendor.asked.filter(({ query }) => query.get('language') === 'fr').length).toBe(6)
    const row = await bench.service.db.selectFrom('bots').select('process_tries').where('id', '=', botId).executeTakeFirstOrThrow()
    expect(row.process_tries).toBe(1)
    expect((await bench.eventsOf(botId)).filter(({ event }) => event === 'transcription.failed')).toEqual([])
  },
  LONG_MS,
)

test(
  'rejects a run with a live-only or unconfigured provider, or an invalid callback_url',
  async () => {
    const { botId } = await bench.done()
    for (const [body, words] of [
      [{ provider: 'assemblyai' }, 'provider assemblyai is not configured'],
      [{ provider: 'deepgram_streaming' }, 'only during the meeting'],
      [{ provider: { deepgram: 1 } }, 'provider.deepgram must be an object'],
      [{ provider: { native: { language: 'de' } } }, 'provider.native.language "de" is not supported by native'],
      [{ provider: { meetstream: { language: 'fr' } } }, 'provider.meetstream.language "fr" is not supported by native'],
      [{ provider: 'native', callback_url: 'ftp://x.example' }, 'callback_url'],
    ] as const) {
      const answer = await bench.service.api('POST', `/api/v1/bots/${botId}/transcribe`, body)
      expect(answer, words).toMatchObject({ status: 400, body: { message: expect.stringContaining(words) } })
    }
  },
  LONG_MS,
)

test(
  'accepts a provider alias in every form',
  async () => {
    const { botId } = await bench.done()
    const options = { language: 'auto' }
    const forms = ['meetstream', { meetstream: options }, { provider: 'meetstream' }, { provider: { meetstream: options } }]
    for (const provider of forms) {
      const { status, body } = await bench.service.api('POST', `/api/v1/bots/${botId}/transcribe`, { provider })
      expect([status, body.provider], JSON.stringify(provider)).toEqual([200, 'native'])
    }
  },
  LONG_MS,
)

test(
  'deletes transcripts with the bot’s data, also one that is being made',
  async () => {
    const { botId, transcriptId } = await bench.done()
    bench.vendor.misfortunes.push('hang')
    const { body } = await bench.service.api('POST', `/api/v1/bots/${botId}/transcribe`, { provider: 'deepgram' })
    await until('somebody listens', async () => bench.vendor.misfortunes.length === 0, LONG_MS)
    const links = (await bench.get(`/bots/${botId}/transcriptions`)).body.transcriptions[0].download_urls
    const run = await claimTranscription(bench.service.db, { leaseSeconds: 60, mostSeconds: null })
    expect(run).toBeNull()
    expect((await bench.service.api('DELETE', `/api/v1/bots/${botId}/delete`)).status).toBe(200)
    for (const id of [transcriptId, body.transcript_id])
      expect(await bench.transcript(id)).toMatchObject({ status: 404, body: { message: 'Transcript not found' } })
    expect((await bench.get(`/bots/${botId}/transcriptions`)).status).toBe(404)
    expect((await bench.get(`/bots/${botId}/summary`)).body.summary).toBeNull()
    expect((await fetch(links.processed_transcript)).status).toBe(404)

    const late = {
      id: body.transcript_id,
      botId,
      workspaceId: '' as WorkspaceId,
      provider: 'deepgram',
      options: {},
      callbackUrl: null,
      completesBot: false,
    } as const
    const tariff = { enforced: false, pricePerHour: 1, currency: 'USD' }
    const deps = {
      db: bench.service.db,
      store: bench.store,
      tariff,
      folder: join(bench.service.directory, 'words'),
      now: () => new Date(),
      recogniserOf: async () => null,
    }
    const untouched = { ...late, failures: 0, unfinished: 0, recognisedWords: null, workSeconds: 1 }
    await transcribe({ ...deps, onNews: () => undefined }, untouched, new AbortController().signal)
    expect(await bench.store.list(`bots/${botId}/`)).toEqual([])
  },
  LONG_MS,
)
