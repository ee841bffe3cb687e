// Behaviour common to all vendors after the call: long recordings, endless answers, invalid files and the registry.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import { startDeepgram, startOpenai } from '../../../sims/speech/vendors.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import { isProvider, SPEECH_PROVIDERS, VENDORS } from '../../../src/domain/speech-providers.ts'
import { openLiveRecogniser, openRecogniser } from '../../../src/speech/registry.ts'
import { deepgram } from '../../../src/speech/vendors/deepgram.ts'
import { openai } from '../../../src/speech/vendors/openai.ts'
import { allWords, never, QUICK, recordings, SPOKEN, texts } from '../../helpers/speech/speech-vendors.ts'

const { record, write } = recordings()

describe('a long recording', () => {
  let sim: SpeechSim
  beforeAll(async () => {
    sim = await startOpenai()
  })
  afterAll(() => sim.close())
  afterEach(() => {
    sim.sounds.length = 0
  })
  const transcribe = (sound: { file: string; seconds: number }, options: JsonObject) =>
    openai({ apiKey: KEY, baseUrl: sim.baseUrl }, QUICK).transcribe(sound, options, never())

  test('is sent to OpenAI in pieces of an accepted size and keeps word times', async () => {
    const WORDS = ['alpha', 'bravo', 'delta']
    const spoken = Array.from({ length: 28 }, (_, index) => [WORDS[index % 3] ?? '', 20 + index * 60] as const)
    const recognition = await transcribe(await record(spoken, 1700), {})
    expect(sim.sounds.length).toBe(3)
    expect(allWords(recognition).map(({ word }) => word)).toEqual(spoken.map(([word]) => word))
    for (const [index, [, at]] of spoken.entries()) expect(allWords(recognition)[index]?.start).toBeCloseTo(at, 1)
    expect(recognition.raw).toHaveLength(3)
  })

  test('is cut at silences, and silent pieces are not sent', async () => {
    const spoken = [
      ['alpha', 10],
      ['bravo', 59.9],
      ['charlie', 61],
      ['delta', 230],
    ] as const
    const recognition = await transcribe(await record(spoken, 240), { model: 'gpt-4o-transcribe' })
    expect(allWords(recognition).map(({ word }) => word)).toEqual(spoken.map(([word]) => word))
    expect(sim.sounds.every(({ seconds }) => seconds <= 60.1)).toBe(true)
    expect(sim.sounds.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(200)
  })
})

test('rejects an answer that exceeds the size limit', async () => {
  const sim = await startDeepgram()
  sim.misfortunes.push({ body: Buffer.alloc(65 * 1024 * 1024, ' ') })
  const work = deepgram({ apiKey: KEY, baseUrl: sim.baseUrl }, QUICK).transcribe(await record(SPOKEN, 5), {}, never())
  await expect(work).rejects.toThrow('Deepgram answered with more than 67108864 bytes.')
  await sim.close()
})

test('rejects a file without audio', async () => {
  const path = await write('text.wav', 'no sound at all')
  const work = deepgram({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9' }, QUICK).transcribe({ file: path, seconds: 5 }, {}, never())
  await expect(work).rejects.toMatchObject({
    name: 'SpeechFailed',
    retryable: false,
    message: 'The recording could not be decoded as audio.',
  })
})

describe('the registry', () => {
  const settings = { keys: Object.fromEntries(VENDORS.map((vendor) => [vendor, KEY])) }

  test.each(Object.entries(SPEECH_PROVIDERS).filter(([, { vendor }]) => vendor !== null))(
    'opens %s either after the call or live',
    (name, { works }) => {
      if (!isProvider(name)) return expect.fail(name)
      expect(openRecogniser(name, settings) === null).toBe(works !== 'after')
      expect(openLiveRecogniser(name, settings) === null).toBe(works !== 'live')
      expect(openRecogniser(name, { keys: {} })).toBeNull()
      expect(openLiveRecogniser(name, { keys: {} })).toBeNull()
    },
  )

  test('uses the configured base URL', async () => {
    const sim = await startDeepgram()
    const recognition = await openRecogniser('deepgram', { ...settings, baseUrls: { deepgram: sim.baseUrl } })?.transcribe(
      await record(SPOKEN, 5),
      {},
      never(),
    )
    expect(recognition && texts(recognition)).toHaveLength(2)
    await sim.close()
  })
})
