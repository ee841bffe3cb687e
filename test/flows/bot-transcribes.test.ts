// Three people speak in a real room and real bots listen: every word after the call and while it runs, measured against the script.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../../sims/people.ts'
import { sayAloud } from '../../src/speech/voice.ts'
import { Stage } from '../helpers/bot-in-room.ts'
import { startLiveReceiver } from '../helpers/live-receiver.ts'
import { startReceiver } from '../helpers/receiver.ts'
import { startTestService } from '../helpers/service.ts'
import { spokenWords, wordErrors } from '../helpers/speech-errors.ts'
import { SCRIPTS } from '../helpers/speech-native.ts'
import { until } from '../helpers/until.ts'

const PEOPLE = [
  { name: 'Ada', colour: '#b03060', voice: 'slt' },
  { name: 'Ben', colour: '#2e8b57', voice: 'rms' },
  { name: 'Cy', colour: '#2040c0', voice: 'awb' },
] as const
type Name = (typeof PEOPLE)[number]['name']

/** Milliseconds since 1970 of the first and the last sound. */
type Spoken = { readonly name: Name; readonly text: string; readonly startMs: number; readonly endMs: number }
type Word = { readonly word: string; readonly start: number; readonly end: number; readonly speaker: string }
type Segment = {
  readonly speaker: string
  readonly text: string
  readonly start_time: number
  readonly absolute_start_time: string
  readonly words: readonly Word[]
}
// biome-ignore lint/suspicious/noExplicitAny: messages are judged field by field.
type Live = { readonly atMs: number; readonly body: any }

const AUDIBLE = 500

let stage: Stage
beforeAll(async () => {
  stage = new Stage(await startTestService(), await launchBrowser())
})
afterAll(async () => {
  await stage?.browser.close()
  await stage?.service.stop()
})

/** The sound, and where in it something is heard. */
async function line(name: Name, text: string) {
  const voice = PEOPLE.find((it) => it.name === name)?.voice ?? 'slt'
  const wav = await sayAloud({ text, voice, language: null })
  const rate = wav.readUInt32LE(24)
  const samples = Array.from({ length: Math.floor((wav.length - 44) / 2) }, (_, at) => Math.abs(wav.readInt16LE(44 + at * 2)))
  const ms = (sample: number) => (sample / rate) * 1000
  return { name, text, wav, fromMs: ms(samples.findIndex((it) => it > AUDIBLE)), toMs: ms(samples.findLastIndex((it) => it > AUDIBLE)) }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

describe('three people, one after another and two at once', () => {
  const script: Spoken[] = []
  let segments: Segment[]
  const live: { webhook: Live[]; socket: Live[] } = { webhook: [], socket: [] }
  let record: Segment[]

  beforeAll(async () => {
    const hook = await startReceiver()
    const socket = await startLiveReceiver()
    hook.answerWith(({ body }, response) => {
      live.webhook.push({ atMs: Date.now(), body })
      response.end()
    })
    const people = await stage.cast('words', ...PEOPLE.map(({ name, colour }) => ({ name, colour, joinAt: null })))
    const lines = await Promise.all([0, 1, 2, 3].flatMap((turn) => PEOPLE.map(({ name, voice }) => line(name, SCRIPTS[voice][turn] ?? ''))))
    const wish = { video_required: false, custom_attributes: { of: 'words' } }
    const [after, streaming] = await Promise.all([
      stage.send('words', { ...wish, live_transcription_required: { websocket_url: socket.url } }),
      stage.send('words', {
        ...{ ...wish, bot_name: 'Live' },
        recording_config: { transcript: { provider: 'native_streaming' } },
        live_transcription_required: { webhook_url: `${hook.url}/words` },
      }),
    ])
    for (const id of [after, streaming]) await stage.has(id, 'Recording')
    await delay(2_000)

    const say = async ({ name, text, wav, fromMs, toMs }: (typeof lines)[number]) => {
      const beganMs = Date.now()
      script.push({ name, text, startMs: beganMs + fromMs, endMs: beganMs + toMs })
      await people.named(name).speak(wav)
      await delay(1_000)
    }
    // The last three speak over each other.
    for (const it of lines.slice(0, -3)) await say(it)
    await Promise.all(lines.slice(-3).map(say))
    const finals = (of: readonly Live[]) => of.filter(({ body }) => body.is_final).length
    const collect = () => {
      live.socket = socket.texts.filter(({ type }) => type !== 'ready').map((body) => ({ atMs: 0, body }))
      return finals(live.webhook) >= lines.length && finals(live.socket) >= lines.length
    }
    await until('the live words', collect, 60_000)
    for (const id of [after, streaming]) await stage.remove(id)
    await people.stop()
    for (const id of [after, streaming]) await stage.has(id, 'Done', 240_000)

    const { transcript_id, delivered } = await stage.detail(after)
    segments = (await stage.service.api('GET', `/api/v1/transcript/${transcript_id}/get_transcript`)).body
    expect(delivered.words).toBeGreaterThan(80)
    const { transcriptions } = await stage.read(streaming, 'transcriptions')
    record = (await stage.service.api('GET', `/api/v1/transcript/${transcriptions[0].transcript_id}/get_transcript`)).body
    expect(transcriptions).toMatchObject([{ provider: 'native_streaming', status: 'Success' }])
    await Promise.all([hook.close(), socket.close()])
  }, 480_000)

  const saidBy = (name: Name) => spokenWords(script.filter((it) => it.name === name).map(({ text }) => text).join(' ')) // biome-ignore format: one line
  const heardOf = (from: readonly Segment[], name: Name) => spokenWords(from.filter(({ speaker }) => speaker === name).map(({ text }) => text).join(' ')) // biome-ignore format: one line

  function judge(what: string, from: readonly Segment[]): void {
    const rows = PEOPLE.map(({ name }) => ({ name, said: saidBy(name).length, wrong: wordErrors(saidBy(name), heardOf(from, name)) }))
    const said = rows.reduce((sum, it) => sum + it.said, 0)
    const wrong = rows.reduce((sum, it) => sum + it.wrong, 0)
    console.info(
      `${what}: ${wrong} of ${said} words wrong (${((100 * wrong) / said).toFixed(1)} %); ${rows.map((it) => `${it.name} ${it.wrong}/${it.said}`).join(', ')}`,
    )
    expect(wrong / said).toBeLessThan(0.08)
    for (const { name, said, wrong } of rows) expect(wrong / said, name).toBeLessThan(0.12)
    expect(new Set(from.map(({ speaker }) => speaker))).toEqual(new Set(PEOPLE.map(({ name }) => name)))
  }

  test('after the call, nearly every word is right and its speaker’s own', () => judge('after the call', segments))

  test('the live words are a record that can be read afterwards', () => judge('live record', record))

  test('words have the times at which they were said', () => {
    const [zero] = segments
    const zeroMs = Date.parse(zero?.absolute_start_time ?? '') - (zero?.start_time ?? 0) * 1000
    const words = segments.flatMap((segment) => segment.words)
    const offsets = script.flatMap(({ name, text, startMs, endMs }) => {
      const own = words.filter(({ speaker }) => speaker === name)
      const [first = '', last = ''] = [spokenWords(text)[0], spokenWords(text).at(-1)]
      const nearest = (word: string, ms: number, edge: 'start' | 'end') =>
        own.filter((it) => it.word === word).map((it) => zeroMs + it[edge] * 1000 - ms).toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] // biome-ignore format: one line
      return [nearest(first, startMs, 'start'), nearest(last, endMs, 'end')].filter((it) => it !== undefined)
    })
    console.info(
      `word times: median ${Math.round(median(offsets))} ms late, ${Math.round(median(offsets.map(Math.abs)))} ms off, ${offsets.length} words`,
    )
    expect(offsets.length).toBeGreaterThan(16)
    expect(median(offsets.map(Math.abs))).toBeLessThan(300)
  })

  test('live finals come in order, soon, with every field', () => {
    const finals = live.webhook.filter(({ body }) => body.is_final)
    for (const { name } of PEOPLE) {
      const own = finals.filter(({ body }) => body.speakerName === name).map(({ body }) => Date.parse(body.timestamp))
      expect(own).toEqual(own.toSorted((a, b) => a - b))
    }
    const delays = script.flatMap(({ name, text, endMs }) => {
      const last = spokenWords(text).at(-1)
      const it = finals.find(({ body, atMs }) => body.speakerName === name && spokenWords(body.transcript).at(-1) === last && atMs > endMs)
      return it ? [it.atMs - endMs] : []
    })
    console.info(
      `live finals by webhook: ${finals.length}, median ${Math.round(median(delays))} ms after the last sound, worst ${Math.round(Math.max(...delays))} ms`,
    )
    expect(delays.length).toBeGreaterThan(8)
    // A machine that plays three people and two bots is not idle.
    expect(median(delays)).toBeLessThan(6_000)
    expect(live.webhook.some(({ body }) => !body.is_final)).toBe(true)
    for (const { body } of [...live.webhook, ...live.socket]) {
      expect(body).toMatchObject({ speakerName: expect.any(String), words: expect.any(Array), custom_attributes: { of: 'words' } })
      expect(typeof body.timestamp + typeof body.transcript + typeof body.new_text).toBe('stringstringstring')
    }
    const bySocket = live.socket.filter(({ body }) => body.is_final).map(({ body }) => body.transcript)
    expect(wordErrors(spokenWords(script.map(({ text }) => text).join(' ')), spokenWords(bySocket.join(' ')))).toBeLessThan(20)
  })
})
