// Every live vendor against a simulator of its protocol: interim and final results, silences, lost connections, refusals and the end.
import { afterEach, describe, expect, test } from 'vitest'
import { type LiveSim, startAssemblyaiLive, startDeepgramLive } from '../../../sims/speech/live.ts'
import { sayTones } from '../../../sims/speech/tone-words.ts'
import { KEY } from '../../../sims/speech/vendor.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import type { LiveResult, SpeechFailed } from '../../../src/speech/provider.ts'
import { assemblyaiStreaming } from '../../../src/speech/vendors/assemblyai.ts'
import { deepgramStreaming } from '../../../src/speech/vendors/deepgram.ts'
import { DEFAULT_TIMING, type LiveTiming } from '../../../src/speech/vendors/live-protocol.ts'
import { sayLive } from '../../helpers/speech/speech-vendors.ts'
import { until } from '../../helpers/until.ts'

const GREEDY = { language: 'de', sample_rate: 8000, encoding: 'mulaw', token: 'stolen', api_key: 'stolen' }
/** `finalCode`: a close code that is not retried. */
const ROWS = [
  {
    name: 'Deepgram',
    start: startDeepgramLive,
    open: deepgramStreaming,
    flush: 'Finalize',
    close: 'CloseStream',
    finalCode: 1008,
    query: 'channels=1 encoding=linear16 interim_results=true language=de model=nova-3 punctuate=true sample_rate=16000 smart_format=true',
  },
  {
    name: 'AssemblyAI',
    start: startAssemblyaiLive,
    open: assemblyaiStreaming,
    flush: 'ForceEndpoint',
    close: 'Terminate',
    finalCode: 4001,
    query: 'encoding=pcm_s16le language_codes=["de"] sample_rate=16000 speech_model=u3-rt-pro',
  },
]

const RETRY = { attempts: 6, firstMs: 10, longestMs: 1_000 }
const QUICK: LiveTiming = { ...DEFAULT_TIMING, tickMs: 20, flushMs: 150, keepAliveMs: 100, restMs: 60_000, endMs: 2_000, retry: RETRY }

describe.each(ROWS)('$name live', ({ start, open, query, flush, close, finalCode }) => {
  const sims: LiveSim[] = []
  afterEach(async () => {
    for (const sim of sims.splice(0)) await sim.close()
  })

  async function bench({ timing = QUICK, apiKey = KEY, options = {} as JsonObject } = {}) {
    const sim = await start()
    sims.push(sim)
    const [received, failures]: [LiveResult[], SpeechFailed[]] = [[], []]
    const ear = { onResult: (one: LiveResult) => void received.push(one), onFailure: (error: SpeechFailed) => void failures.push(error) }
    const stream = open({ apiKey, baseUrl: sim.baseUrl }, timing).open(ear, options)
    const finals = () => received.filter(({ final }) => final)
    return { sim, received, failures, stream, finals, finalTexts: () => finals().map(({ text }) => text) }
  }

  test('reports interim results and then a final one', async () => {
    const { received, stream, finals, finalTexts, failures } = await bench()
    sayLive(stream, [['alpha', 0.1], ['bravo', 0.5]], 1) // biome-ignore format: two words
    await until('they are settled', () => finals().length === 1)
    expect(received.some(({ final }) => !final)).toBe(true)
    expect(finalTexts()).toEqual(['Alpha bravo.'])
    expect(finals()[0]?.words.map(({ word }) => word)).toEqual(['alpha', 'bravo'])
    await stream.end()
    expect(finalTexts()).toEqual(['Alpha bravo.'])
    expect(failures).toEqual([])
  })

  test('sends the caller’s options except the reserved ones', async () => {
    const { sim, stream } = await bench({ options: GREEDY })
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await stream.end()
    const pairs = [...(sim.sessions[0]?.query.entries() ?? [])].map(([name, value]) => `${name}=${value}`)
    expect(pairs.toSorted().join(' ')).toBe(query)
  })

  test('sends all audio in messages of an accepted length', async () => {
    const { sim, stream } = await bench()
    sayLive(stream, [['alpha', 0.1]], 2.01)
    await stream.end()
    const { messages = [] } = sim.sessions[0] ?? {}
    expect(Math.min(...messages)).toBeGreaterThanOrEqual(0.05)
    expect(Math.max(...messages)).toBeLessThanOrEqual(1)
    expect(messages.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(2.01, 1)
  })

  test('keeps recording times across silences that were not sent', async () => {
    const { sim, stream, finals } = await bench()
    sayLive(stream, [['alpha', 0.1]], 0.5, 10)
    sayLive(stream, [['bravo', 0.1]], 0.5, 60)
    sayLive(stream, [['delta', 0.1]], 0.5, 300)
    await stream.end()
    expect(finals().map(({ text, start }) => `${text} ${start.toFixed(1)}`)).toEqual(['Alpha. 10.1', 'Bravo. 60.1', 'Delta. 300.1'])
    expect(sim.sessions[0]?.texts).toContain(flush)
  })

  test('sends keep-alive messages during silence', async () => {
    const { sim, stream } = await bench()
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await until('it was kept awake twice', () => (sim.sessions[0]?.texts.filter((text) => text === 'KeepAlive').length ?? 0) >= 2)
    await stream.end()
  })

  test('disconnects during a long silence and reconnects after it', async () => {
    const { sim, stream, finalTexts, failures } = await bench({ timing: { ...QUICK, restMs: 300 } })
    expect(sim.sessions).toHaveLength(0)
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await until('it was let go', () => sim.sessions[0]?.texts.includes(close) && sim.sessions[0].socket.readyState === 3)
    sayLive(stream, [['bravo', 0.1]], 0.5, 90)
    await stream.end()
    expect(sim.sessions).toHaveLength(2)
    expect(finalTexts()).toEqual(['Alpha.', 'Bravo.'])
    expect(failures).toEqual([])
  })

  test('reports every word once after a lost connection', async () => {
    const { sim, stream, finals, finalTexts, failures } = await bench()
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await until('the first is settled', () => finals().length === 1)
    sim.misfortunes.push({ status: 503, body: 'busy' }, 'cut')
    sim.sessions[0]?.socket.terminate()
    sayLive(stream, [['bravo', 0.1], ['charlie', 0.6]], 1, 5) // biome-ignore format: two words
    await stream.end()
    expect(sim.sessions).toHaveLength(3)
    expect(finalTexts()).toEqual(['Alpha.', 'Bravo charlie.'])
    expect(finals()[1]?.start).toBeCloseTo(5.1, 1)
    expect(failures).toEqual([])
  })

  test('sends audio without a final result again after a lost connection', async () => {
    const { sim, received, stream, finalTexts } = await bench({ timing: { ...QUICK, flushMs: 5_000 } })
    sayLive(stream, [['alpha', 0.1]], 0.6)
    await until('an interim result has arrived', () => received.length > 0)
    sim.sessions[0]?.socket.terminate()
    await until('it was dialled again', () => sim.sessions.length === 2)
    await stream.end()
    expect(finalTexts()).toEqual(['Alpha.'])
  })

  test('reconnects when the peer stops answering pings', async () => {
    const { sim, stream, finalTexts, failures } = await bench({ timing: { ...QUICK, pingMs: 100, flushMs: 60_000 } })
    sayLive(stream, [['alpha', 0.1]], 0.6)
    await until('it listens', () => sim.sessions.length === 1)
    sim.answersPings = false
    await until('it was dialled again', () => sim.sessions.length === 2)
    sim.answersPings = true
    await stream.end()
    expect(finalTexts()).toEqual(['Alpha.'])
    expect(failures).toEqual([])
  })

  test('limits the rate at which buffered audio is sent', async () => {
    const { stream, finalTexts } = await bench({ timing: { ...QUICK, endMs: 10_000 } })
    const startedAt = performance.now()
    sayLive(stream, [['alpha', 6.5]], 7)
    await stream.end()
    expect(performance.now() - startedAt).toBeGreaterThan(2_700)
    expect(finalTexts()).toEqual(['Alpha.'])
  })

  test('drops the oldest audio while the vendor is unreachable', async () => {
    const { sim, stream, finalTexts } = await bench({ timing: { ...QUICK, keptSeconds: 3 } })
    sim.misfortunes.push({ status: 503, body: 'busy' })
    sayLive(stream, [['alpha', 0.1], ['bravo', 8.5]], 9) // biome-ignore format: two words
    await stream.end()
    expect(finalTexts()).toEqual(['Bravo.'])
    expect(sim.sessions[0]?.pcm.length).toBeLessThanOrEqual(3 * 16_000)
  })

  test('fails once after the last try', async () => {
    const { sim, stream, failures } = await bench()
    sim.misfortunes.push(...Array.from({ length: 12 }, () => ({ status: 503, body: 'busy' })))
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await until('it is given up', () => failures.length > 0)
    sayLive(stream, [['bravo', 0.1]], 0.5, 9)
    await stream.end()
    expect(failures).toHaveLength(1)
    expect(failures[0]).toMatchObject({ retryable: true, message: expect.stringContaining('answered 503: busy.') })
    expect(sim.misfortunes).toHaveLength(12 - QUICK.retry.attempts)
  })

  test('does not reconnect after the key is refused', async () => {
    const { sim, stream, failures } = await bench({ apiKey: 'wrong-key' })
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await until('it is refused', () => failures.length > 0)
    expect(failures[0]?.message).toMatch(/answered 401: (Invalid credentials|Not Authorized)\.$/)
    expect(failures[0]?.retryable).toBe(false)
    expect(sim.sessions).toHaveLength(0)
    await stream.end()
  })

  test('does not reconnect after a final close code', async () => {
    const { sim, stream, failures } = await bench()
    sim.misfortunes.push({ code: finalCode, reason: `not for ${KEY}` })
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await until('it is over', () => failures.length > 0)
    expect(failures[0]).toMatchObject({ retryable: false, message: expect.stringContaining(`closed with ${finalCode} not for (key).`) })
    expect(sim.sessions).toHaveLength(1)
  })

  test.each(['no json', '[]', 'null', '{"type":"Results"}{', '{"type":"Results","channel":7}', '{"type":"Turn","words":[{"text":7}]}'])(
    'loses no words when the vendor sends %j',
    async (nonsense) => {
      const { sim, stream, finalTexts, failures } = await bench()
      sayLive(stream, [['alpha', 0.1]], 0.5)
      await until('it listens', () => sim.sessions.length === 1)
      sim.sessions[0]?.socket.send(nonsense)
      await stream.end()
      expect(finalTexts()).toEqual(['Alpha.'])
      expect(failures).toEqual([])
    },
  )

  test('stops waiting for a vendor that does not finish and makes its last interim result final', async () => {
    const { sim, received, stream, finalTexts, failures } = await bench({ timing: { ...QUICK, flushMs: 60_000, endMs: 300 } })
    sim.answersGoodbye = false
    sayLive(stream, [['alpha', 0.1]], 0.6)
    await until('an interim result has arrived', () => received.length > 0)
    await stream.end()
    expect(finalTexts()).toEqual(['Alpha.'])
    expect(failures).toHaveLength(1)
  })

  test('does not connect for a participant who never speaks', async () => {
    const { sim, stream, failures } = await bench()
    await stream.end()
    await stream.end()
    expect(sim.sessions).toHaveLength(0)
    expect(failures).toEqual([])
  })

  test('allows the caller to reuse its buffer', async () => {
    const { stream, finalTexts } = await bench()
    const frame = new Int16Array(320)
    const pcm = sayTones([['alpha', 0.1]], 0.6)
    for (let from = 0; from < pcm.length; from += 320) {
      frame.set(pcm.subarray(from, from + 320))
      stream.write(frame, from / 16_000)
    }
    await stream.end()
    expect(finalTexts()).toEqual(['Alpha.'])
  })
})
