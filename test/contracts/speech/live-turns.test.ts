// How each live vendor marks the end of an utterance, and JigsawStack, which gets one request per utterance.
import { afterEach, describe, expect, test } from 'vitest'
import { type LiveSim, startAssemblyaiLive, startDeepgramLive } from '../../../sims/speech/live.ts'
import { sayTones } from '../../../sims/speech/tone-words.ts'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import { startJigsawstack } from '../../../sims/speech/vendors.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import type { LiveRecogniser, LiveResult, SpeechFailed } from '../../../src/speech/provider.ts'
import { assemblyaiStreaming } from '../../../src/speech/vendors/assemblyai.ts'
import { deepgramStreaming } from '../../../src/speech/vendors/deepgram.ts'
import { jigsawstackStreaming } from '../../../src/speech/vendors/jigsawstack-streaming.ts'
import { DEFAULT_TIMING, type LiveTiming } from '../../../src/speech/vendors/live-protocol.ts'
import { QUICK, sayLive } from '../../helpers/speech/speech-vendors.ts'
import { until } from '../../helpers/until.ts'

const TIMING: LiveTiming = { ...DEFAULT_TIMING, tickMs: 20, flushMs: 60_000 }
const sims: (LiveSim | SpeechSim)[] = []
afterEach(async () => {
  for (const sim of sims.splice(0)) await sim.close()
})

function listen(recogniser: LiveRecogniser, options: JsonObject = {}) {
  const received: LiveResult[] = []
  const failures: SpeechFailed[] = []
  const ear = { onResult: (one: LiveResult) => void received.push(one), onFailure: (error: SpeechFailed) => void failures.push(error) }
  return {
    received,
    failures,
    stream: recogniser.open(ear, options),
    results: () => received.map(({ text, final }) => `${text}${final ? ' |' : ''}`),
  }
}

async function connected(start: () => Promise<LiveSim>, open: typeof deepgramStreaming, options: JsonObject = {}) {
  const sim = await start()
  sims.push(sim)
  const ears = listen(open({ apiKey: KEY, baseUrl: sim.baseUrl }, TIMING), options)
  sayLive(ears.stream, [], 0.2)
  const session = await until('it listens', () => sim.sessions[0])
  return { ...ears, session, send: (message: unknown) => session.socket.send(JSON.stringify(message)) }
}

test.each([
  ['Deepgram', startDeepgramLive, deepgramStreaming, { language: 'multi', model: 'nova-3' }],
  ['AssemblyAI', startAssemblyaiLive, assemblyaiStreaming, { speech_model: 'u3-rt-pro' }],
] as const)('requests all supported languages of %s if the language is "auto"', async (_, start, open, wanted) => {
  const { session } = await connected(start, open, { language: 'auto' })
  const query = Object.fromEntries(session.query)
  expect(query).toMatchObject(wanted)
  expect(Object.values(query).join(' ')).not.toContain('auto')
})

test('sends long audio that is written at once in messages of an accepted length', async () => {
  const sim = await startAssemblyaiLive()
  sims.push(sim)
  const { stream, results } = listen(assemblyaiStreaming({ apiKey: KEY, baseUrl: sim.baseUrl }, { ...TIMING, keptSeconds: 3 }))
  stream.write(sayTones([['alpha', 0.1], ['bravo', 3.5]], 4), 0) // biome-ignore format: two words
  await stream.end()
  expect(Math.max(...(sim.sessions[0]?.messages ?? []))).toBeLessThanOrEqual(1)
  expect(results().at(-1)).toBe('Bravo. |')
})

describe('Deepgram', () => {
  const message = (words: readonly string[], start: number, flags: object) => {
    const timed = words.map((word, index) => ({ word, start: start + index / 4, end: start + index / 4 + 0.2, confidence: 0.5 }))
    return { type: 'Results', ...flags, channel: { alternatives: [{ transcript: words.join(' '), confidence: 0.5, words: timed }] } }
  }

  test('collects final words while speech continues and ends the utterance at a pause', async () => {
    const { send, results, received } = await connected(startDeepgramLive, deepgramStreaming)
    send(message(['we'], 0, { is_final: false }))
    send(message(['we', 'will'], 0, { is_final: true, speech_final: false }))
    send(message(['ship'], 0.5, { is_final: false }))
    send(message([], 0.5, { is_final: false }))
    send(message(['ship', 'it'], 0.5, { is_final: true, speech_final: true }))
    send(message(['now'], 1.5, { is_final: false }))
    await until('all results have arrived', () => received.length === 5)
    expect(results()).toEqual(['we', 'we will', 'we will ship', 'we will ship it |', 'now'])
    expect(received[3]).toMatchObject({ start: 0, words: [{}, {}, {}, { word: 'it', confidence: 0.5 }] })
  })

  test('ends an utterance without a pause after half a minute', async () => {
    const { send, results } = await connected(startDeepgramLive, deepgramStreaming)
    send(message(['on'], 0, { is_final: true }))
    send(message(['and', 'on'], 31, { is_final: true }))
    await until('the utterance is final', () => results().at(-1)?.endsWith('|'))
    expect(results()).toEqual(['on', 'on and on |'])
  })
})

describe('AssemblyAI', () => {
  const turn = (text: string, flags: object) => ({
    type: 'Turn',
    turn_order: 0,
    transcript: text,
    ...flags,
    words: text
      .split(' ')
      .map((word, index) => ({ text: word, start: index * 100, end: index * 100 + 80, confidence: 1, word_is_final: true })),
  })

  test.each([
    ['at every end_of_turn without formatting', {}, ['we ship', 'we ship |', 'We ship. |']],
    ['at the formatted turn if formatting is requested', { format_turns: true }, ['we ship', 'we ship', 'We ship. |']],
  ])('ends a turn %s', async (_, options, wanted) => {
    const { send, results, received } = await connected(startAssemblyaiLive, assemblyaiStreaming, options)
    send({ type: 'Begin', id: 'session-1', expires_at: 0 })
    send(turn('we ship', { end_of_turn: false, turn_is_formatted: false }))
    send(turn('we ship', { end_of_turn: true, turn_is_formatted: false }))
    send(turn('We ship.', { end_of_turn: true, turn_is_formatted: true }))
    send({ type: 'SpeechStarted', timestamp: 0 })
    await until('all results have arrived', () => received.length === 3)
    expect(results()).toEqual(wanted)
  })

  test.each([
    [3006, false],
    [3005, true],
  ])('reports the reason of error %i', async (error_code, retryable) => {
    const { send, failures, stream } = await connected(startAssemblyaiLive, (endpoint) =>
      assemblyaiStreaming(endpoint, { ...TIMING, retry: { ...TIMING.retry, attempts: 1 } }),
    )
    send({ type: 'Error', error_code, error: 'It does not work' })
    await until('it fails', () => failures.length === 1)
    expect(failures[0]).toMatchObject({ retryable, message: 'AssemblyAI: It does not work.' })
    await stream.end()
  })
})

describe('JigsawStack', () => {
  async function bench(apiKey = KEY) {
    const sim = await startJigsawstack()
    sims.push(sim)
    return { sim, ...listen(jigsawstackStreaming({ apiKey, baseUrl: sim.baseUrl }, QUICK), { language: 'en' }) }
  }

  test('makes one request for each utterance and keeps recording times', async () => {
    const { sim, stream, received, results } = await bench()
    sayLive(stream, [['alpha', 0.5], ['bravo', 0.9], ['delta', 2.5]], 4, 100) // biome-ignore format: three words
    await until('both results have arrived', () => received.length === 2, 10_000)
    sayLive(stream, [['echo', 0.1]], 0.5, 200)
    await until('the silence has ended the utterance', () => received.length === 3)
    await stream.end()
    expect(results()).toEqual(['Alpha bravo. |', 'Delta. |', 'Echo. |'])
    for (const [index, at] of [100.5, 102.5, 200.1].entries()) expect(received[index]?.start).toBeCloseTo(at, 1)
    expect(sim.sounds).toMatchObject([{ format: 'pcm_s16le,16000,1' }, {}, {}])
    expect(sim.sounds[0]?.seconds).toBeLessThan(2.2)
  })

  test('makes a request for the last utterance when the stream ends', async () => {
    const { stream, results } = await bench()
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await stream.end()
    expect(results()).toEqual(['Alpha. |'])
  })

  test('makes two requests where the silence between two utterances was not sent', async () => {
    const { stream, received } = await bench()
    sayLive(stream, [['alpha', 0.1]], 0.4)
    sayLive(stream, [['bravo', 0.1]], 0.4, 60)
    await stream.end()
    expect(received.map(({ text, start }) => `${text} ${start.toFixed(1)}`)).toEqual(['Alpha. 0.1', 'Bravo. 60.1'])
  })

  test('makes no request for silence', async () => {
    const { sim, stream } = await bench()
    sayLive(stream, [], 3)
    await stream.end()
    expect(sim.asked).toHaveLength(0)
  })

  test('ends at once if the key is refused', async () => {
    const { sim, stream, failures } = await bench('wrong-key')
    sayLive(stream, [['alpha', 0.5], ['bravo', 2.5]], 4) // biome-ignore format: two words
    await stream.end()
    expect(failures).toHaveLength(1)
    expect(failures[0]).toMatchObject({ retryable: false, message: expect.stringContaining('answered 401') })
    expect(sim.asked).toHaveLength(1)
  })

  test('survives one failed request and ends after several in a row', async () => {
    const { sim, stream, failures, results } = await bench()
    const down = Array.from({ length: QUICK.retry.attempts }, () => ({ status: 500, body: 'down' }))
    sim.misfortunes.push(...down)
    sayLive(stream, [['alpha', 0.5], ['bravo', 2.5]], 4) // biome-ignore format: two words
    await until('the second result has arrived', () => results().length === 1, 10_000)
    expect(failures).toEqual([])
    sim.misfortunes.push(...down, ...down, ...down)
    sayLive(stream, [['alpha', 0.5], ['bravo', 2.5], ['echo', 4.5]], 6, 60) // biome-ignore format: three words
    await stream.end()
    expect(failures).toMatchObject([{ retryable: true }])
  })
})
