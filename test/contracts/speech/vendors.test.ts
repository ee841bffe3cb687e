// Every vendor after the call against a simulator of its API: results, refusals, limits, timeouts, lost connections and invalid answers.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import { type Recognition, SpeechFailed } from '../../../src/speech/provider.ts'
import { allWords, never, QUICK, recordings, SPOKEN, texts, VENDOR_ROWS } from '../../helpers/speech/speech-vendors.ts'

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

  const transcribe = (options: JsonObject = {}, { retryPolicy = QUICK, apiKey = KEY, signal = never(), sound = five } = {}) =>
    open({ apiKey, baseUrl: `${sim.baseUrl}/` }, retryPolicy).transcribe(sound, options, signal)
  const failure = async (work: Promise<unknown>): Promise<SpeechFailed> => {
    const error = await work.catch((thrown: unknown) => thrown)
    if (!(error instanceof SpeechFailed)) throw new Error('This was no SpeechFailed', { cause: error })
    expect(error.message).not.toContain(KEY)
    return error
  }

  test('returns the words with their times', async () => {
    const recognition = await transcribe()
    expect(texts(recognition)).toEqual(['Alpha bravo charlie.', 'Delta echo.'])
    expect(allWords(recognition).map(({ word }) => word)).toEqual(SPOKEN.map(([word]) => word))
    expect(allWords(recognition).map(({ punctuatedWord }) => punctuatedWord)).toEqual(['Alpha', 'bravo', 'charlie.', 'Delta', 'echo.'])
    const [first, second] = recognition.utterances
    const bounds = [first?.start, first?.end, second?.start, second?.end]
    for (const [index, moment] of [0.5, 1.7, 3.2, 3.9].entries()) expect(bounds[index]).toBeCloseTo(moment, 1)
    if (timesWords) for (const [index, [, at]] of SPOKEN.entries()) expect(allWords(recognition)[index]?.start).toBeCloseTo(at, 1)
    expect(recognition.raw).toEqual(expect.any(Object))
  })

  test('uploads the whole audio as mono FLAC', async () => {
    await transcribe()
    expect(sim.sounds).toMatchObject([{ format: 'flac,16000,1' }])
    expect(sim.sounds[0]?.seconds).toBeCloseTo(5, 1)
  })

  test('sends the caller’s options instead of our defaults, except reserved ones', async () => {
    await transcribe(greedy)
    expect(await seen(sim)).toEqual(wanted)
  })

  test('requests language detection if the language is "auto"', async () => {
    await transcribe({ language: 'auto' })
    expect(await seen(sim)).toEqual(detects)
  })

  test('reports why a key is refused without leaking the key', async () => {
    const error = await failure(transcribe({}, { apiKey: 'wrong-key' }))
    expect(error.message).toMatch(/answered 40[13]: Invalid credentials/)
    expect(error.message).not.toContain('wrong-key')
    expect(error.retryable).toBe(false)
    expect(sim.asked).toHaveLength(1)
  })

  test('reports why an option is refused', async () => {
    const error = await failure(transcribe(bad[0]))
    expect(error.message).toContain(bad[1])
    expect(error.retryable).toBe(false)
  })

  test('retries after a short Retry-After', async () => {
    sim.misfortunes.push({ status: 429, headers: { 'retry-after': '1' }, body: { message: 'Too many requests' } })
    const startedAt = performance.now()
    expect(texts(await transcribe())).toHaveLength(2)
    expect(performance.now() - startedAt).toBeGreaterThan(950)
  })

  test('fails on a long Retry-After', async () => {
    sim.misfortunes.push({ status: 429, headers: { 'retry-after': '3600' }, body: { message: 'Too many requests' } })
    const error = await failure(transcribe())
    expect(error.message).toMatch(/answered 429: Too many requests\.$/)
    expect(error.retryable).toBe(true)
  })

  test('does not retry when the account has no credit', async () => {
    sim.misfortunes.push({ status: 429, body: { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } } })
    expect(await failure(transcribe())).toMatchObject({ retryable: false, message: expect.stringContaining('You exceeded your quota') })
  })

  test('retries after server errors', async () => {
    sim.misfortunes.push({ status: 500, body: 'oops' }, { status: 503, body: '<html><b>Busy</b></html>' })
    expect(texts(await transcribe())).toHaveLength(2)
  })

  test('fails after four server errors', async () => {
    sim.misfortunes.push(...Array.from({ length: 9 }, () => ({ status: 502, body: '<html><b>Bad gateway</b></html>' })))
    const error = await failure(transcribe())
    expect(error.message).toMatch(/answered 502: Bad gateway\.$/)
    expect(error.retryable).toBe(true)
    expect(sim.misfortunes).toHaveLength(5)
  })

  test.each(['drop', 'cut'] as const)('retries after a lost connection (%s)', async (misfortune) => {
    sim.misfortunes.push(misfortune, misfortune)
    expect(texts(await transcribe())).toHaveLength(2)
  })

  test('fails after repeatedly lost connections', async () => {
    sim.misfortunes.push('drop', 'drop', 'drop', 'drop')
    expect(await failure(transcribe())).toMatchObject({ retryable: true, message: expect.stringContaining('could not be reached') })
  })

  test('fails at the deadline without an answer', async () => {
    sim.misfortunes.push('hang')
    const error = await failure(transcribe({}, { retryPolicy: { ...QUICK, requestMs: 400, audioRequestMs: () => 400 } }))
    expect(error.message).toContain('did not answer within 400 ms')
    expect(error.retryable).toBe(true)
  })

  test('cancels the request when the caller aborts', async () => {
    sim.misfortunes.push('hang')
    const caller = new AbortController()
    const work = transcribe({}, { signal: caller.signal }).catch((error: unknown) => error)
    await expect.poll(() => sim.misfortunes.length, { timeout: 10_000 }).toBe(0)
    caller.abort(new Error('The service stops'))
    expect(await work).toEqual(new Error('The service stops'))
  })

  test.each(['not json', '', 'null', '[]', '{}', '"words"', '{"results":7,"words":"no","status":"odd"}'])(
    'rejects the answer %j',
    async (body) => {
      sim.misfortunes.push({ body })
      const error = await failure(transcribe())
      expect(error.retryable).toBe(false)
      expect(error.message).toMatch(/unreadable answer|failed/)
    },
  )

  test('fails or returns valid words for every altered field of an answer', { timeout: 120_000 }, async () => {
    const sound = await record([['alpha', 0.2]], 0.8)
    let places: ReturnType<typeof placesIn> = []
    sim.mangle = (answer) => {
      places = placesIn(answer)
      return answer
    }
    await transcribe({}, { sound })
    expect(places.length).toBeGreaterThan(4)
    const changes = places.flatMap(({ place, isNumber }) => [null, isNumber ? -1e300 : { odd: true }].map((value) => ({ place, value })))
    for (const { place, value } of changes) {
      sim.mangle = (answer) => changed(answer, place, value)
      const recognition = await transcribe({}, { sound }).catch((error: unknown) => error)
      if (!(recognition instanceof SpeechFailed)) expectSense(recognition as Recognition, `${place.join('.')} = ${value}`)
    }
  })

  test('returns no utterances for silence', async () => {
    expect((await transcribe({}, { sound: await record([], 2) })).utterances).toEqual([])
  })
})

function expectSense(recognition: Recognition, after: string): void {
  for (const { start, end, confidence } of allWords(recognition)) {
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
