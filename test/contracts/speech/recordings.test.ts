// What is the same for all vendors after the call: long recordings, endless answers, broken files, and who is opened for what.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import { startDeepgram, startOpenai } from '../../../sims/speech/vendors.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import { isProvider, SPEECH_PROVIDERS, VENDORS } from '../../../src/domain/speech-providers.ts'
import { deepgram } from '../../../src/speech/deepgram.ts'
import { openai } from '../../../src/speech/openai.ts'
import { openLiveRecogniser, openRecogniser } from '../../../src/speech/registry.ts'
import { allWords, never, QUICK, recordings, SPOKEN, texts } from '../../helpers/speech-vendors.ts'

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
  const hear = (sound: { file: string; seconds: number }, options: JsonObject) =>
    openai({ apiKey: KEY, baseUrl: sim.baseUrl }, QUICK).transcribe(sound, options, never())

  test('goes to OpenAI in pieces that it takes, and the words keep their times', async () => {
    const WORDS = ['alpha', 'bravo', 'delta']
    const spoken = Array.from({ length: 28 }, (_, index) => [WORDS[index % 3] ?? '', 20 + index * 60] as const)
    const heard = await hear(await record(spoken, 1700), {})
    expect(sim.sounds.length).toBe(3)
    expect(allWords(heard).map(({ word }) => word)).toEqual(spoken.map(([word]) => word))
    for (const [index, [, at]] of spoken.entries()) expect(allWords(heard)[index]?.start).toBeCloseTo(at, 1)
    expect(heard.raw).toHaveLength(3)
  })

  test('is cut where nobody speaks, and pieces of silence are not sent', async () => {
    const spoken = [
      ['alpha', 10],
      ['bravo', 59.9],
      ['charlie', 61],
      ['delta', 230],
    ] as const
    const heard = await hear(await record(spoken, 240), { model: 'gpt-4o-transcribe' })
    expect(allWords(heard).map(({ word }) => word)).toEqual(spoken.map(([word]) => word))
    expect(sim.sounds.every(({ seconds }) => seconds <= 60.1)).toBe(true)
    expect(sim.sounds.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(200)
  })
})

test('an answer without end is not read to its end', async () => {
  const sim = await startDeepgram()
  sim.misfortunes.push({ body: Buffer.alloc(65 * 1024 * 1024, ' ') })
  const work = deepgram({ apiKey: KEY, baseUrl: sim.baseUrl }, QUICK).transcribe(await record(SPOKEN, 5), {}, never())
  await expect(work).rejects.toThrow('Deepgram answered more than 67108864 bytes.')
  await sim.close()
})

test('what is no sound is said to be none', async () => {
  const path = await write('text.wav', 'no sound at all')
  const work = deepgram({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9' }, QUICK).transcribe({ file: path, seconds: 5 }, {}, never())
  await expect(work).rejects.toMatchObject({ name: 'SpeechFailed', passing: false, message: 'The recording could not be read as sound.' })
})

describe('the registry', () => {
  const settings = { keys: Object.fromEntries(VENDORS.map((vendor) => [vendor, KEY])) }

  test.each(Object.entries(SPEECH_PROVIDERS).filter(([, { vendor }]) => vendor !== null))(
    'opens %s for when it works',
    (name, { works }) => {
      if (!isProvider(name)) return expect.fail(name)
      expect(openRecogniser(name, settings) === null).toBe(works !== 'after')
      expect(openLiveRecogniser(name, settings) === null).toBe(works !== 'live')
      expect(openRecogniser(name, { keys: {} })).toBeNull()
      expect(openLiveRecogniser(name, { keys: {} })).toBeNull()
    },
  )

  test('asks where it is told to', async () => {
    const sim = await startDeepgram()
    const heard = await openRecogniser('deepgram', { ...settings, baseUrls: { deepgram: sim.baseUrl } })?.transcribe(
      await record(SPOKEN, 5),
      {},
      never(),
    )
    expect(heard && texts(heard)).toHaveLength(2)
    await sim.close()
  })
})
