// How live vendors tell the end of an utterance, each in its own way; and JigsawStack, which hears one utterance at a time.
import { afterEach, describe, expect, test } from 'vitest'
import { type LiveSim, startAssemblyaiLive, startDeepgramLive } from '../../../sims/speech/live.ts'
import { sayTones } from '../../../sims/speech/tone-words.ts'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import { startJigsawstack } from '../../../sims/speech/vendors.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import { assemblyaiStreaming } from '../../../src/speech/assemblyai-streaming.ts'
import { deepgramStreaming } from '../../../src/speech/deepgram-streaming.ts'
import { jigsawstackStreaming } from '../../../src/speech/jigsawstack-streaming.ts'
import { type LiveTiming, USUAL_TIMING } from '../../../src/speech/live-protocol.ts'
import type { LiveHeard, LiveRecogniser, SpeechFailed } from '../../../src/speech/provider.ts'
import { QUICK, sayLive } from '../../helpers/speech-vendors.ts'
import { until } from '../../helpers/until.ts'

const TIMING: LiveTiming = { ...USUAL_TIMING, tickMs: 20, flushMs: 60_000 }
const sims: (LiveSim | SpeechSim)[] = []
afterEach(async () => {
  for (const sim of sims.splice(0)) await sim.close()
})

function listen(recogniser: LiveRecogniser, options: JsonObject = {}) {
  const heard: LiveHeard[] = []
  const failures: SpeechFailed[] = []
  const ear = { heard: (one: LiveHeard) => void heard.push(one), failed: (error: SpeechFailed) => void failures.push(error) }
  return {
    heard,
    failures,
    stream: recogniser.open(ear, options),
    told: () => heard.map(({ text, final }) => `${text}${final ? ' |' : ''}`),
  }
}

async function connected(start: () => Promise<LiveSim>, open: typeof deepgramStreaming, options: JsonObject = {}) {
  const sim = await start()
  sims.push(sim)
  const ears = listen(open({ apiKey: KEY, baseUrl: sim.baseUrl }, TIMING), options)
  sayLive(ears.stream, [], 0.2)
  const session = await until('it listens', () => sim.sessions[0])
  return { ...ears, session, tell: (message: unknown) => session.socket.send(JSON.stringify(message)) }
}

test.each([
  ['Deepgram', startDeepgramLive, deepgramStreaming, { language: 'multi', model: 'nova-3' }],
  ['AssemblyAI', startAssemblyaiLive, assemblyaiStreaming, { speech_model: 'u3-rt-pro' }],
] as const)('%s is asked for every language it has where the language is "auto"', async (_, start, open, wanted) => {
  const { session } = await connected(start, open, { language: 'auto' })
  const query = Object.fromEntries(session.query)
  expect(query).toMatchObject(wanted)
  expect(Object.values(query).join(' ')).not.toContain('auto')
})

test('a long sound written at once goes out in messages of a length that is taken', async () => {
  const sim = await startAssemblyaiLive()
  sims.push(sim)
  const { stream, told } = listen(assemblyaiStreaming({ apiKey: KEY, baseUrl: sim.baseUrl }, { ...TIMING, keptSeconds: 3 }))
  stream.write(sayTones([['alpha', 0.1], ['bravo', 3.5]], 4), 0) // biome-ignore format: two words
  await stream.end()
  expect(Math.max(...(sim.sessions[0]?.messages ?? []))).toBeLessThanOrEqual(1)
  expect(told().at(-1)).toBe('Bravo. |')
})

describe('Deepgram', () => {
  const results = (words: readonly string[], start: number, flags: object) => {
    const told = words.map((word, index) => ({ word, start: start + index / 4, end: start + index / 4 + 0.2, confidence: 0.5 }))
    return { type: 'Results', ...flags, channel: { alternatives: [{ transcript: words.join(' '), confidence: 0.5, words: told }] } }
  }

  test('settles words while somebody speaks on, and the utterance when they pause', async () => {
    const { tell, told, heard } = await connected(startDeepgramLive, deepgramStreaming)
    tell(results(['we'], 0, { is_final: false }))
    tell(results(['we', 'will'], 0, { is_final: true, speech_final: false }))
    tell(results(['ship'], 0.5, { is_final: false }))
    tell(results([], 0.5, { is_final: false }))
    tell(results(['ship', 'it'], 0.5, { is_final: true, speech_final: true }))
    tell(results(['now'], 1.5, { is_final: false }))
    await until('all is told', () => heard.length === 5)
    expect(told()).toEqual(['we', 'we will', 'we will ship', 'we will ship it |', 'now'])
    expect(heard[3]).toMatchObject({ start: 0, words: [{}, {}, {}, { word: 'it', confidence: 0.5 }] })
  })

  test('settles somebody who does not pause after half a minute', async () => {
    const { tell, told } = await connected(startDeepgramLive, deepgramStreaming)
    tell(results(['on'], 0, { is_final: true }))
    tell(results(['and', 'on'], 31, { is_final: true }))
    await until('it is settled', () => told().at(-1)?.endsWith('|'))
    expect(told()).toEqual(['on', 'on and on |'])
  })
})

describe('AssemblyAI', () => {
  const turn = (text: string, flags: object) => ({
    ...{ type: 'Turn', turn_order: 0, transcript: text, ...flags },
    words: text
      .split(' ')
      .map((word, index) => ({ text: word, start: index * 100, end: index * 100 + 80, confidence: 1, word_is_final: true })),
  })

  test.each([
    ['once', {}, ['we ship', 'we ship |', 'We ship. |']],
    ['twice, where turns are formatted, and the second time counts', { format_turns: true }, ['we ship', 'we ship', 'We ship. |']],
  ])('ends a turn %s', async (_, options, wanted) => {
    const { tell, told, heard } = await connected(startAssemblyaiLive, assemblyaiStreaming, options)
    tell({ type: 'Begin', id: 'session-1', expires_at: 0 })
    tell(turn('we ship', { end_of_turn: false, turn_is_formatted: false }))
    tell(turn('we ship', { end_of_turn: true, turn_is_formatted: false }))
    tell(turn('We ship.', { end_of_turn: true, turn_is_formatted: true }))
    tell({ type: 'SpeechStarted', timestamp: 0 })
    await until('all is told', () => heard.length === 3)
    expect(told()).toEqual(wanted)
  })

  test.each([
    [3006, false],
    [3005, true],
  ])('says why it fails (%i)', async (error_code, passing) => {
    const { tell, failures, stream } = await connected(startAssemblyaiLive, (endpoint) =>
      assemblyaiStreaming(endpoint, { ...TIMING, tries: 1 }),
    )
    tell({ type: 'Error', error_code, error: 'It does not work' })
    await until('it fails', () => failures.length === 1)
    expect(failures[0]).toMatchObject({ passing, message: 'AssemblyAI: It does not work.' })
    await stream.end()
  })
})

describe('JigsawStack', () => {
  async function bench(apiKey = KEY) {
    const sim = await startJigsawstack()
    sims.push(sim)
    return { sim, ...listen(jigsawstackStreaming({ apiKey, baseUrl: sim.baseUrl }, QUICK), { language: 'en' }) }
  }

  test('is asked about each utterance, and the words keep the recording’s time', async () => {
    const { sim, stream, heard, told } = await bench()
    sayLive(stream, [['alpha', 0.5], ['bravo', 0.9], ['delta', 2.5]], 4, 100) // biome-ignore format: three words
    await until('both are heard', () => heard.length === 2, 10_000)
    sayLive(stream, [['echo', 0.1]], 0.5, 200)
    await until('the silence was noticed', () => heard.length === 3)
    await stream.end()
    expect(told()).toEqual(['Alpha bravo. |', 'Delta. |', 'Echo. |'])
    for (const [index, at] of [100.5, 102.5, 200.1].entries()) expect(heard[index]?.start).toBeCloseTo(at, 1)
    expect(sim.sounds).toMatchObject([{ format: 'pcm_s16le,16000,1' }, {}, {}])
    expect(sim.sounds[0]?.seconds).toBeLessThan(2.2)
  })

  test('is asked for what was said last when the meeting ends', async () => {
    const { stream, told } = await bench()
    sayLive(stream, [['alpha', 0.1]], 0.5)
    await stream.end()
    expect(told()).toEqual(['Alpha. |'])
  })

  test('is asked about two utterances where the silence between them was not sent', async () => {
    const { stream, heard } = await bench()
    sayLive(stream, [['alpha', 0.1]], 0.4)
    sayLive(stream, [['bravo', 0.1]], 0.4, 60)
    await stream.end()
    expect(heard.map(({ text, start }) => `${text} ${start.toFixed(1)}`)).toEqual(['Alpha. 0.1', 'Bravo. 60.1'])
  })

  test('is not asked about silence', async () => {
    const { sim, stream } = await bench()
    sayLive(stream, [], 3)
    await stream.end()
    expect(sim.asked).toHaveLength(0)
  })

  test('that refuses the key is over at once', async () => {
    const { sim, stream, failures } = await bench('wrong-key')
    sayLive(stream, [['alpha', 0.5], ['bravo', 2.5]], 4) // biome-ignore format: two words
    await stream.end()
    expect(failures).toHaveLength(1)
    expect(failures[0]).toMatchObject({ passing: false, message: expect.stringContaining('answered 401') })
    expect(sim.asked).toHaveLength(1)
  })

  test('may fail once, but not again and again', async () => {
    const { sim, stream, failures, told } = await bench()
    const down = Array.from({ length: QUICK.tries }, () => ({ status: 500, body: 'down' }))
    sim.misfortunes.push(...down)
    sayLive(stream, [['alpha', 0.5], ['bravo', 2.5]], 4) // biome-ignore format: two words
    await until('the second is heard', () => told().length === 1, 10_000)
    expect(failures).toEqual([])
    sim.misfortunes.push(...down, ...down, ...down)
    sayLive(stream, [['alpha', 0.5], ['bravo', 2.5], ['echo', 4.5]], 6, 60) // biome-ignore format: three words
    await stream.end()
    expect(failures).toMatchObject([{ passing: true }])
  })
})
