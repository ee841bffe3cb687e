// Reads of post-call transcripts, made with a provider's real protocol.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openForFile } from '../helpers/for-file.ts'
import { LONG_MS, startTranscriptBench } from '../helpers/speech/transcripts.ts'
import { until } from '../helpers/until.ts'

const bench = openForFile(startTranscriptBench)

test(
  'answers words with speakers and times, and announces the transcript after the audio and before bot.done',
  async () => {
    const { botId, transcriptId } = await bench.done()
    const { body, headers } = await bench.transcript(transcriptId)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.map(({ speaker, speaker_id, text }: Record<string, string>) => [speaker, speaker_id, text])).toEqual([
      ['Ann', 'ann', 'Alpha.'],
      ['Bob', 'bob', 'Charlie.'],
    ])
    const [first, second] = body
    for (const [segment, from, to] of [
      [first, 1, 3],
      [second, 4, 6],
    ]) {
      expect(Math.abs(segment.start_time - from)).toBeLessThan(0.15)
      expect(Math.abs(segment.end_time - to)).toBeLessThan(0.15)
      const took = Date.parse(segment.absolute_end_time) - Date.parse(segment.absolute_start_time)
      expect(Math.abs(took - (segment.end_time - segment.start_time) * 1000)).toBeLessThan(2)
    }
    const { start_time: start, end_time: end } = first
    const word = { word: 'alpha', start, end, confidence: 0.9, speaker: 'Ann', punctuated_word: 'Alpha.', speech_confidence: 0.9 }
    expect(first).toEqual({
      speaker: 'Ann',
      speaker_id: 'ann',
      transcript: 'Alpha.',
      text: 'Alpha.',
      start_time: start,
      end_time: end,
      absolute_start_time: expect.any(String),
      absolute_end_time: expect.any(String),
      speaker_confidence: 1,
      words: [word],
    })

    const read = await bench.detail(botId)
    expect(read).toMatchObject({ TranscriptStatus: 'Success', AudioStatus: 'Success', delivered: { words: 2, segments: 2 } })
    expect(Object.keys(read.StatusTimeline).slice(-2)).toEqual(['TranscriptionReady', 'Done'])
    const received = await bench.eventsOf(botId)
    // The audio is mixed while the streams are stored, so bot.uploading has no fixed place.
    const names = received.map(({ event }) => event)
    expect(names.indexOf('bot.uploading')).toBeGreaterThan(names.indexOf('bot.mediaprocessing'))
    expect(received.filter(({ event }) => event !== 'bot.uploading')).toMatchObject([
      { event: 'bot.mediaprocessing' },
      { event: 'audio.processed' },
      {
        event: 'transcription.processed',
        status: 'success',
        status_code: 200,
        transcript_status: 'Success',
        transcript_id: transcriptId,
        provider: 'deepgram',
      },
      { event: 'bot.transcriptionready', bot_status: 'bot.transcriptionready', transcript_id: transcriptId },
      { event: 'bot.done' },
    ])
    expect(received.at(-1)?.event).toBe('bot.done')
    expect(bench.vendor.asked.at(-1)?.query.get('language')).toBe('en')
  },
  LONG_MS,
)

test(
  'answers a transcript raw, as subtitles, as text, and by signed links',
  async () => {
    const { botId, transcriptId } = await bench.done()
    const raw = await bench.transcript(transcriptId, '?raw=true')
    expect(raw.body).toMatchObject([
      { participant_id: 'ann', participant_name: 'Ann', answer: { results: { channels: [{ alternatives: [{ transcript: 'Alpha.' }] }] } } },
      { participant_id: 'bob' },
    ])
    expect((await bench.transcript(transcriptId, '?format=srt')).body).toMatch(
      /^1\n00:00:0[01],\d{3} --> 00:00:0\d,\d{3}\nAnn: Alpha\.\n\n2\n/,
    )
    expect((await bench.transcript(transcriptId, '?format=vtt')).headers.get('content-type')).toBe('text/vtt')
    expect((await bench.transcript(transcriptId, '?format=txt')).body).toMatch(
      /^\[00:00:0\d\] Ann: Alpha\.\n\[00:00:0\d\] Bob: Charlie\.\n$/,
    )
    for (const yes of ['1', 'true', 'True']) expect((await bench.transcript(transcriptId, `?raw=${yes}`)).body, yes).toEqual(raw.body)
    const processed = (await bench.transcript(transcriptId)).body
    for (const no of ['0', 'false', 'False']) expect((await bench.transcript(transcriptId, `?raw=${no}`)).body, no).toEqual(processed)
    for (const [query, message] of [
      ['?format=docx', 'format must be one of json, srt, vtt, txt.'],
      ['?raw=perhaps', 'raw must be a boolean: true or false.'],
      ['?raw=true&format=srt', 'format must be json or absent if raw is true.'],
    ]) {
      expect(await bench.transcript(transcriptId, query), query).toMatchObject({ status: 400, body: { message } })
    }

    const { body } = await bench.get(`/bots/${botId}/transcriptions`)
    const created_at = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body).toMatchObject({
      bot_id: botId,
      transcriptions: [{ transcript_id: transcriptId, provider: 'deepgram', status: 'Success', created_at, config: { language: 'en' } }],
    })
    const { raw_transcript, processed_transcript } = body.transcriptions[0].download_urls
    expect(await (await fetch(processed_transcript)).json()).toEqual((await bench.transcript(transcriptId)).body)
    expect(await (await fetch(raw_transcript)).json()).toEqual(raw.body)

    const { body: summed } = await bench.get(`/bots/${botId}/summary`)
    expect(summed).toMatchObject({
      bot_details: { BotID: botId },
      summary_source: 'extractive',
      summary: expect.any(String),
    })
    expect(summed.talk_time.map(({ speaker }: { speaker: string }) => speaker).toSorted()).toEqual(['Ann', 'Bob'])
  },
  LONG_MS,
)

test(
  'answers 202 while a run is under way, and 404 to other workspaces',
  async () => {
    bench.vendor.misfortunes.push('hang')
    const { botId, transcriptId } = await bench.left()
    const underWay = { status: 202, body: { message: expect.stringMatching(/Current status: (Stopped|MediaProcessing|Processing)$/) } }
    expect(await bench.transcript(transcriptId)).toMatchObject(underWay)
    await until('somebody listens', async () => (await bench.detail(botId)).TranscriptStatus === 'Processing', LONG_MS)
    await until(
      'the run is there',
      async () => (await bench.get(`/bots/${botId}/transcriptions`)).body.transcriptions.length === 1,
      LONG_MS,
    )
    expect(await bench.transcript(transcriptId)).toMatchObject({
      status: 202,
      body: { message: expect.stringMatching(/Current status: Processing$/) },
    })
    expect((await bench.get(`/bots/${botId}/summary`)).body).toMatchObject({ summary: null, summary_source: null, talk_time: [] })
    const stranger = await bench.service.stranger()
    expect((await stranger('GET', `/api/v1/transcript/${transcriptId}/get_transcript`)).body).toEqual({ message: 'Transcript not found' })
    expect((await stranger('GET', `/api/v1/bots/${botId}/transcriptions`)).status).toBe(404)
    expect((await stranger('POST', `/api/v1/bots/${botId}/transcribe`)).status).toBe(404)
  },
  LONG_MS,
)

test(
  'summarises once with the configured model, and answers summary_source extractive if it fails',
  async () => {
    const asked: string[] = []
    let status = 503
    const model = createServer((request, response) => {
      request.setEncoding('utf8')
      let body = ''
      request.on('data', (part: string) => {
        body += part
      })
      request.on('end', () => {
        asked.push(`${request.headers.authorization} ${body}`)
        const answer = { choices: [{ message: { content: 'They said two words.' } }] }
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(status === 200 ? answer : {}))
      })
    })
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
    const SUMMARY_URL = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`
    const other = await startTranscriptBench({ SUMMARY_URL, SUMMARY_API_KEY: 'hush', SUMMARY_MODEL: 'small' })
    const { botId } = await other.done()
    status = 400
    expect((await other.get(`/bots/${botId}/summary`)).body).toMatchObject({ summary_source: 'extractive' })
    status = 200
    const before = asked.length
    for (const _ of ['made', 'kept']) {
      expect((await other.get(`/bots/${botId}/summary`)).body).toMatchObject({ summary_source: 'model', summary: 'They said two words.' })
    }
    expect(asked.length).toBe(before + 1)
    expect(asked.at(-1)).toMatch(/^Bearer hush .*"model":"small".*Ann: Alpha\./)
    expect((await other.service.api('DELETE', `/api/v1/bots/${botId}/delete`)).status).toBe(200)
    expect(await other.store.list(`bots/${botId}/`)).toEqual([])
    await other.stop()
    model.close()
  },
  LONG_MS,
)
