// Three people speak in a real room and bots transcribe them, live and after the call. The words are compared with the script.
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { startLiveReceiver } from '../../helpers/callers/live-receiver.ts'
import { startReceiver } from '../../helpers/callers/receiver.ts'
import { Stage } from '../../helpers/meetings/bot-in-room.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { WITH_BOTS } from '../../helpers/service/service.ts'
import { spokenWords, wordErrors } from '../../helpers/speech/speech-errors.ts'
import { SCRIPTS } from '../../helpers/speech/speech-native.ts'
import { type Line, line, type Spoken, speak } from '../../helpers/speech/spoken-line.ts'
import { until } from '../../helpers/until.ts'

const PEOPLE = [
  { name: 'Ada', colour: '#b03060', voice: 'slt' },
  { name: 'Ben', colour: '#2e8b57', voice: 'rms' },
  { name: 'Cy', colour: '#2040c0', voice: 'awb' },
] as const
type Name = (typeof PEOPLE)[number]['name']

type Word = { readonly word: string; readonly start: number; readonly end: number; readonly speaker: string }
type Segment = {
  readonly speaker: string
  readonly text: string
  readonly start_time: number
  readonly absolute_start_time: string
  readonly words: readonly Word[]
}
// biome-ignore lint/suspicious/noExplicitAny: messages are checked field by field.
type Live = { readonly atMs: number; readonly body: any }

const stage = new Stage(serviceForFile(WITH_BOTS))

const transcript = async (id: string): Promise<Segment[]> =>
  (await stage.service.api('GET', `/api/v1/transcript/${id}/get_transcript`)).body

const textOf = (spoken: readonly { readonly text: string }[]): string => spoken.map(({ text }) => text).join(' ')

/** From the last sound of a sentence to its final result. */
function delaysOf(script: readonly Spoken[], finals: readonly Live[]): number[] {
  return script.flatMap(({ name, text, endMs }) => {
    const word = spokenWords(text).at(-1)
    const it = finals.find(({ body, atMs }) => body.speakerName === name && spokenWords(body.transcript).at(-1) === word && atMs > endMs)
    return it ? [it.atMs - endMs] : []
  })
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

describe('three people, in turns and at once', () => {
  const script: Spoken[] = []
  const live: Live[] = []
  let segments: Segment[]
  let record: Segment[]

  beforeAll(async () => {
    const socket = await startLiveReceiver((body) => {
      if (body.type === undefined) live.push({ atMs: Date.now(), body })
    })
    const people = await stage.cast('words', ...PEOPLE.map(({ name, colour }) => ({ name, colour, joinAt: null })))
    const lines = await Promise.all(
      [0, 1, 2, 3].flatMap((turn) => PEOPLE.map(({ name, voice }) => line(name, voice, SCRIPTS[voice][turn] ?? ''))),
    )
    const wish = { video_required: false, custom_attributes: { of: 'words' } }
    const id = await stage.send('words', { ...wish, live_transcription_required: { websocket_url: socket.url } })
    await stage.has(id, 'Recording')
    await delay(2_000)

    const say = async (it: Line) => {
      script.push(await speak(people.named(it.name), it))
      await delay(1_000)
    }
    for (const it of lines.slice(0, -3)) await say(it)
    await Promise.all(lines.slice(-3).map(say))
    await until('the live words', () => live.filter(({ body }) => body.is_final).length >= lines.length, 60_000)
    await stage.remove(id)
    await people.stop()
    await stage.has(id, 'Done', 240_000)

    const { transcript_id, delivered } = await stage.detail(id)
    segments = await transcript(transcript_id)
    expect(delivered.words).toBe(segments.reduce((sum, { words }) => sum + words.length, 0))
    const { transcriptions } = await stage.read(id, 'transcriptions')
    expect(transcriptions.map(({ provider, status }: Record<string, string>) => `${provider} ${status}`).toSorted()).toEqual([
      'native Success',
      'native_streaming Success',
    ])
    record = await transcript(transcriptions.find(({ provider }: Record<string, string>) => provider === 'native_streaming').transcript_id)
    await socket.close()
  }, 480_000)

  const saidBy = (name: Name) => spokenWords(textOf(script.filter((it) => it.name === name)))
  const recognisedOf = (from: readonly Segment[], name: Name) => spokenWords(textOf(from.filter(({ speaker }) => speaker === name)))

  function judge(what: string, from: readonly Segment[]): void {
    const rows = PEOPLE.map(({ name }) => {
      const [said, recognised] = [saidBy(name), recognisedOf(from, name)]
      return {
        name,
        said: said.length,
        wrong: wordErrors(said, recognised),
        comparison: `${name} said "${said.join(' ')}", recognised "${recognised.join(' ')}"`,
      }
    })
    const said = rows.reduce((sum, it) => sum + it.said, 0)
    const wrong = rows.reduce((sum, it) => sum + it.wrong, 0)
    console.info(`${what}: ${wrong} of ${said} words wrong; ${rows.map((it) => `${it.name} ${it.wrong} of ${it.said}`).join(', ')}`)
    for (const it of rows) if (it.wrong > 0) console.info(it.comparison)
    expect(wrong / said).toBeLessThan(0.08)
    for (const { comparison, said, wrong } of rows) expect(wrong / said, comparison).toBeLessThan(0.12)
    expect(new Set(from.map(({ speaker }) => speaker))).toEqual(new Set(PEOPLE.map(({ name }) => name)))
  }

  test('transcribes nearly every word correctly after the call, under its speaker', () => judge('after the call', segments))

  test('stores the live transcript', () => judge('live record', record))

  test('gives words the times at which they were spoken', () => {
    const [first] = segments
    const zeroMs = Date.parse(first?.absolute_start_time ?? '') - (first?.start_time ?? 0) * 1000
    const words = segments.flatMap((segment) => segment.words)
    const nearest = (name: string, word: string | undefined, ms: number, edge: 'start' | 'end') =>
      words
        .filter((it) => it.speaker === name && it.word === word)
        .map((it) => zeroMs + it[edge] * 1000 - ms)
        .toSorted((a, b) => Math.abs(a) - Math.abs(b))
        .slice(0, 1)
    const offsets = script.flatMap(({ name, text, startMs, endMs }) => [
      ...nearest(name, spokenWords(text)[0], startMs, 'start'),
      ...nearest(name, spokenWords(text).at(-1), endMs, 'end'),
    ])
    // A page that plays three people sends all of their audio with the same delay, which is not the bot's.
    const late = median(offsets)
    const off = median(offsets.map((it) => Math.abs(it - late)))
    console.info(`times of ${offsets.length} words: ${Math.round(off)} ms off at the median, all ${Math.round(late)} ms late`)
    expect(offsets.length).toBeGreaterThan(16)
    expect(off).toBeLessThan(200)
    expect(Math.abs(late)).toBeLessThan(1_000)
  })

  test('sends live results in order while people speak, interim ones first', () => {
    const finals = live.filter(({ body }) => body.is_final)
    for (const { name } of PEOPLE) {
      const own = finals.filter(({ body }) => body.speakerName === name).map(({ body }) => body.timestamp)
      expect(own).toEqual(own.toSorted())
    }
    const delays = delaysOf(script, finals)
    console.info(`${finals.length} live finals: ${Math.round(median(delays))} ms after the last sound at the median`)
    expect(delays.length).toBeGreaterThan(8)
    // `npm run bench -- live` measures the delay. Here, most results must arrive while people speak.
    const lastWordMs = Math.max(...script.map(({ endMs }) => endMs))
    expect(finals.filter(({ atMs }) => atMs < lastWordMs).length).toBeGreaterThan(finals.length / 2)
    expect(live.some(({ body }) => !body.is_final)).toBe(true)
    for (const { body } of live) expect(body).toMatchObject({ words: expect.any(Array), custom_attributes: { of: 'words' } })
  })
})

test('sends live results to a webhook, none while paused, and stores them without a post-call transcript', async () => {
  const live: Live[] = []
  const hook = await startReceiver()
  hook.answerWith(({ body }, response) => {
    live.push({ atMs: Date.now(), body })
    response.end()
  })
  const people = await stage.cast('hook', { name: 'Ada', colour: '#b03060', joinAt: null })
  await people.named('Ada').stopCamera()
  const [first, whilePaused, last] = await Promise.all(SCRIPTS.slt.slice(0, 3).map((text) => line('Ada', 'slt', text)))
  const provider = { recording_config: { transcript: { provider: 'native_streaming' } } }
  const live_transcription_required = { webhook_url: `${hook.url}/words` }
  const id = await stage.send('hook', { ...provider, video_required: false, live_transcription_required })
  await stage.has(id, 'Recording')
  await delay(2_000)
  const finals = () => live.filter(({ body }) => body.is_final)
  if (!first || !whilePaused || !last) throw new Error('The script is too short.')
  const script = [await speak(people.named('Ada'), first)]
  await until('the first words', () => finals().length === 1, 30_000)
  expect((await stage.command(id, 'pause_recording')).status).toBe(200)
  await speak(people.named('Ada'), whilePaused)
  expect((await stage.command(id, 'resume_recording')).status).toBe(200)
  await delay(500)
  script.push(await speak(people.named('Ada'), last))
  await until('the last words', () => finals().length >= 2, 30_000)
  await stage.finish(id)

  const recognised = spokenWords(finals().map(({ body }) => body.transcript).join(' ')) // biome-ignore format: one line
  expect(wordErrors(spokenWords(textOf(script)), recognised)).toBeLessThan(4)
  console.info(`live finals by webhook: ${delaysOf(script, finals()).map(Math.round).join(', ')} ms after the last sound`)
  const { transcript_id, delivered } = await stage.detail(id)
  expect(delivered.words).toBe(recognised.length)
  const { transcriptions } = await stage.read(id, 'transcriptions')
  expect(transcriptions).toMatchObject([{ transcript_id, provider: 'native_streaming', status: 'Success' }])
  const record = await transcript(transcriptions[0].transcript_id)
  expect(spokenWords(textOf(record))).toEqual(recognised)
  await hook.close()
}, 240_000)
