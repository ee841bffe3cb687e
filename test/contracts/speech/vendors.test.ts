// Every vendor after the call, through its own protocol: results, refusals, limits, slowness, lost connections and nonsense.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import { type Heard, SpeechFailed } from '../../../src/speech/provider.ts'
import { allWords, never, QUICK, recordings, SPOKEN, texts, VENDOR_ROWS } from '../../helpers/speech-vendors.ts'

const { record } = recordings()
let five: { readonly file: string; readonly seconds: number }
beforeAll(async () => {
  five = await record(SPOKEN, 5)
})

describe.each(VENDOR_ROWS)('$name', ({ start, open, bad, greedy, seen, wanted, detects, timesWords }) => {
  let sim: SpeechSim
  beforeAll(async () => {
    sim = await start()
  })
  afterAll(() => sim.close())
  afterEach(() => {
    sim.asked.length = sim.sounds.length = sim.misfortunes.length = 0
    sim.mangle = null
  })

  const hear = (options: JsonObject = {}, { patience = QUICK, apiKey = KEY, signal = never(), sound = five } = {}) =>
    open({ apiKey, baseUrl: `${sim.baseUrl}/` }, patience).transcribe(sound, options, signal)
  const failure = async (work: Promise<unknown>): Promise<SpeechFailed> => {
    const error = await work.catch((thrown: unknown) => thrown)
    if (!(error instanceof SpeechFailed)) throw new Error('This was no SpeechFailed', { cause: error })
    expect(error.message).not.toContain(KEY)
    return error
  }

  test('hears what was said, and when', async () => {
    const heard = await hear()
    expect(texts(heard)).toEqual(['Alpha bravo charlie.', 'Delta echo.'])
    expect(allWords(heard).map(({ word }) => word)).toEqual(SPOKEN.map(([word]) => word))
    expect(allWords(heard).map(({ punctuatedWord }) => punctuatedWord)).toEqual(['Alpha', 'bravo', 'charlie.', 'Delta', 'echo.'])
    const [first, second] = heard.utterances
    const bounds = [first?.start, first?.end, second?.start, second?.end]
    for (const [index, moment] of [0.5, 1.7, 3.2, 3.9].entries()) expect(bounds[index]).toBeCloseTo(moment, 1)
    if (timesWords) for (const [index, [, at]] of SPOKEN.entries()) expect(allWords(heard)[index]?.start).toBeCloseTo(at, 1)
    expect(heard.raw).toEqual(expect.any(Object))
  })

  test('is sent the sound whole, as mono FLAC', async () => {
    await hear()
    expect(sim.sounds).toMatchObject([{ format: 'flac,16000,1' }])
    expect(sim.sounds[0]?.seconds).toBeCloseTo(5, 1)
  })

  test('gets the caller’s options over ours, but not what is ours to say', async () => {
    await hear(greedy)
    expect(await seen(sim)).toEqual(wanted)
  })

  test('detects the language where it is "auto"', async () => {
    await hear({ language: 'auto' })
    expect(await seen(sim)).toEqual(detects)
  })

  test('says why it refuses a key, and keeps the key to itself', async () => {
    const error = await failure(hear({}, { apiKey: 'wrong-key' }))
    expect(error.message).toMatch(/answered 40[13]: Invalid credentials/)
    expect(error.message).not.toContain('wrong-key')
    expect(error.passing).toBe(false)
    expect(sim.asked).toHaveLength(1)
  })

  test('says why it refuses an option', async () => {
    const error = await failure(hear(bad[0]))
    expect(error.message).toContain(bad[1])
    expect(error.passing).toBe(false)
  })

  test('is asked again when it asked for a pause', async () => {
    sim.misfortunes.push({ status: 429, headers: { 'retry-after': '1' }, body: { message: 'Too many requests' } })
    const startedAt = performance.now()
    expect(texts(await hear())).toHaveLength(2)
    expect(performance.now() - startedAt).toBeGreaterThan(950)
  })

  test('is not waited for when it asks for a long pause', async () => {
    sim.misfortunes.push({ status: 429, headers: { 'retry-after': '3600' }, body: { message: 'Too many requests' } })
    const error = await failure(hear())
    expect(error.message).toMatch(/answered 429: Too many requests\.$/)
    expect(error.passing).toBe(true)
  })

  test('is not asked again when the account is empty', async () => {
    sim.misfortunes.push({ status: 429, body: { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } } })
    expect(await failure(hear())).toMatchObject({ passing: false, message: expect.stringContaining('You exceeded your quota') })
  })

  test('is asked again after errors of its own', async () => {
    sim.misfortunes.push({ status: 500, body: 'oops' }, { status: 503, body: '<html><b>Busy</b></html>' })
    expect(texts(await hear())).toHaveLength(2)
  })

  test('is given up after four of them', async () => {
    sim.misfortunes.push(...Array.from({ length: 9 }, () => ({ status: 502, body: '<html><b>Bad gateway</b></html>' })))
    const error = await failure(hear())
    expect(error.message).toMatch(/answered 502: Bad gateway\.$/)
    expect(error.passing).toBe(true)
    expect(sim.misfortunes).toHaveLength(5)
  })

  test.each(['drop', 'cut'] as const)('is asked again after a lost connection (%s)', async (misfortune) => {
    sim.misfortunes.push(misfortune, misfortune)
    expect(texts(await hear())).toHaveLength(2)
  })

  test('that hangs up every time is given up', async () => {
    sim.misfortunes.push('drop', 'drop', 'drop', 'drop')
    expect(await failure(hear())).toMatchObject({ passing: true, message: expect.stringContaining('could not be reached') })
  })

  test('that does not answer is given up in time', async () => {
    sim.misfortunes.push('hang')
    const error = await failure(hear({}, { patience: { ...QUICK, legMs: 400, hearingMs: () => 400 } }))
    expect(error.message).toContain('did not answer within 400 ms')
    expect(error.passing).toBe(true)
  })

  test('is left when the caller leaves', async () => {
    sim.misfortunes.push('hang')
    const caller = new AbortController()
    const work = hear({}, { signal: caller.signal }).catch((error: unknown) => error)
    await expect.poll(() => sim.misfortunes.length).toBe(0)
    caller.abort(new Error('The service stops'))
    expect(await work).toEqual(new Error('The service stops'))
  })

  test.each(['not json', '', 'null', '[]', '{}', '"words"', '{"results":7,"words":"no","status":"odd"}'])(
    'that answers %j is not believed',
    async (body) => {
      sim.misfortunes.push({ body })
      const error = await failure(hear())
      expect(error.passing).toBe(false)
      expect(error.message).toMatch(/cannot be read|failed/)
    },
  )

  test('may leave anything out of its answer or write anything into it', { timeout: 120_000 }, async () => {
    const sound = await record([['alpha', 0.2]], 0.8)
    let places: ReturnType<typeof placesIn> = []
    sim.mangle = (answer) => {
      places = placesIn(answer)
      return answer
    }
    await hear({}, { sound })
    expect(places.length).toBeGreaterThan(4)
    const changes = places.flatMap(({ place, isNumber }) => [null, isNumber ? -1e300 : { odd: true }].map((value) => ({ place, value })))
    for (const { place, value } of changes) {
      sim.mangle = (answer) => changed(answer, place, value)
      const heard = await hear({}, { sound }).catch((error: unknown) => error)
      if (!(heard instanceof SpeechFailed)) expectSense(heard as Heard, `${place.join('.')} = ${value}`)
    }
  })

  test('hears nothing where nothing was said', async () => {
    expect((await hear({}, { sound: await record([], 2) })).utterances).toEqual([])
  })
})

function expectSense(heard: Heard, after: string): void {
  for (const { start, end, confidence } of allWords(heard)) {
    expect(start, after).toBeGreaterThanOrEqual(0)
    expect(end, after).toBeGreaterThanOrEqual(start)
    expect(confidence, after).toBeGreaterThanOrEqual(0)
    expect(confidence, after).toBeLessThanOrEqual(1)
  }
}

type Path = readonly (string | number)[]

function placesIn(value: unknown): { readonly place: Path; readonly isNumber: boolean }[] {
  const here = { place: [], isNumber: typeof value === 'number' }
  if (typeof value !== 'object' || value === null) return [here]
  const inside = Object.entries(value).flatMap(([key, part]) => placesIn(part).map((found) => ({ ...found, place: [key, ...found.place] })))
  return [here, ...inside]
}

function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to
  const copy: Record<string, unknown> = Object(structuredClone(value))
  copy[key] = changed(copy[key], rest, to)
  return copy
}
