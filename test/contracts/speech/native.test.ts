// Native recognition with the real weights and synthesised voices: words, times and failures.
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import llamaTokenizer from 'llama-tokenizer-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Utterance } from '../../../src/domain/transcript.ts'
import { modelFiles } from '../../../src/speech/models.ts'
import { loadMoonshine } from '../../../src/speech/native/moonshine.ts'
import { NativeSpeech } from '../../../src/speech/native/native.ts'
import { joined, keep, type Placed, RATE, samplesOf, sentence, silence, speech } from '../../helpers/speech/speech-audio.ts'
import { spokenWords, wordErrors } from '../../helpers/speech/speech-errors.ts'
import { listenTo, MODELS_FOLDER, SCRIPTS, startNative, textOf } from '../../helpers/speech/speech-native.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 120_000 }

let folder = ''
let native: NativeSpeech
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-native-'))
  native = await startNative()
})
afterAll(async () => {
  await native?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function recognise(samples: Int16Array, by = native): Promise<readonly Utterance[]> {
  const file = await keep(path.join(folder, 'sound.wav'), samples)
  return (await listenTo(by, file, samples.length / RATE)).utterances
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

describe('a recording', () => {
  const said: Placed[] = []
  const recognised: Utterance[] = []
  beforeAll(async () => {
    for (const [voice, texts] of Object.entries(SCRIPTS)) {
      const { samples, placed } = await speech(folder, texts, voice, [0.7, 1.3, 2])
      said.push(...placed)
      recognised.push(...(await recognise(samples)))
    }
  }, 120_000)

  test('has at most one wrong word in twelve with three voices', () => {
    const words = spokenWords(said.map(({ text }) => text).join(' '))
    expect(wordErrors(words, spokenWords(textOf(recognised))) / words.length).toBeLessThan(0.08)
  })

  test('has one utterance at the time of each sentence', () => {
    expect(recognised).toHaveLength(said.length)
    const starts = recognised.map(({ start }, at) => Math.abs(start - (said[at]?.start ?? 0)))
    const ends = recognised.map(({ end }, at) => Math.abs(end - (said[at]?.end ?? 0)))
    expect(median([...starts, ...ends])).toBeLessThan(0.15)
    expect(Math.max(...starts, ...ends)).toBeLessThan(0.5)
  })

  test('has ascending words within each utterance, each with a confidence', () => {
    for (const { words, start, end, text } of recognised) {
      expect([words[0]?.start, words.at(-1)?.end]).toEqual([start, end])
      expect(words.map(({ punctuatedWord }) => punctuatedWord).join(' ')).toBe(text)
      for (const [at, word] of words.entries()) {
        expect(word.start).toBeGreaterThanOrEqual(words[at - 1]?.end ?? 0)
        expect(word.end).toBeGreaterThan(word.start)
        expect(word.end - word.start).toBeLessThan(1.5)
        expect(word.word).toMatch(/^[a-z\d]([a-z\d'-]*[a-z\d])?$/)
        expect(word.confidence).toBeGreaterThan(0)
        expect(word.confidence).toBeLessThanOrEqual(1)
      }
    }
    expect(median(recognised.flatMap(({ words }) => words.map(({ confidence }) => confidence)))).toBeGreaterThan(0.9)
  })
})

test('assigns a pause within a sentence to no word', LONG, async () => {
  const [first, second] = [await sentence(folder, 'The budget', 'slt'), await sentence(folder, 'is too small.', 'slt')]
  const pause = 0.4
  const words = (await recognise(joined([silence(1), first, silence(pause), second, silence(1)]))).flatMap((it) => it.words)
  const after = words.find(({ word }) => word === 'is')
  const before = words.find(({ word }) => word === 'budget')
  expect(Math.abs((after?.start ?? 0) - (1 + first.length / RATE + pause))).toBeLessThan(0.2)
  expect(Math.abs((before?.end ?? 0) - (1 + first.length / RATE))).toBeLessThan(0.2)
})

test('recognises short and long speech in a batch as it does alone', LONG, async () => {
  const [short, long] = [await sentence(folder, 'See you on Monday.', 'rms'), await sentence(folder, SCRIPTS.slt.join(' '), 'slt')]
  const wordsOf = async (samples: Int16Array) => (await recognise(joined([silence(1), samples, silence(1)]))).flatMap((it) => it.words)
  const alone = [...(await wordsOf(short)), ...(await wordsOf(long))]
  const inBatch = await wordsOf(joined([short, silence(2), long]))
  expect(inBatch.map(({ word }) => word)).toEqual(alone.map(({ word }) => word))
  const offset = short.length / RATE + 2
  const late = inBatch.map(({ start }, at) => start - (alone[at]?.start ?? 0)).map((by) => Math.min(Math.abs(by), Math.abs(by - offset)))
  expect(Math.max(...late)).toBeLessThan(0.25)
})

test('reports progress after each batch, so that a slow machine does not seem to hang', LONG, async () => {
  const engine = await loadMoonshine(modelFiles(MODELS_FOLDER))
  const segment = { start: 0, samples: new Float32Array(RATE), voice: { windowSeconds: 0.032, probabilities: new Float32Array(31) } }
  let calls = 0
  const segments = Array.from({ length: 5 }, () => ({ ...segment }))
  await engine.recogniseAll(segments, new AbortController().signal, () => calls++)
  expect(calls).toBe(2)
})

test.each([
  ['silence', 'anullsrc=sample_rate=16000'],
  ['loud noise', 'anoisesrc=color=white:amplitude=0.3:seed=1'],
  ['quiet room noise', 'anoisesrc=color=pink:amplitude=0.02:seed=2'],
  ['mains hum', 'sine=frequency=50'],
  ['beeps', 'sine=frequency=220:beep_factor=4'],
])('recognises no words in %s', LONG, async (_, source) => {
  expect(await recognise(await samplesOf('-f', 'lavfi', '-t', '20', '-i', source))).toEqual([])
})

/** The number of times that the same phrase is repeated in a row. */
function mostRepeated(words: readonly string[]): number {
  let most = 1
  for (let length = 1; length <= 12; length++) {
    let same = 0
    for (let at = length; at < words.length; at++) {
      same = words[at] === words[at - length] ? same + 1 : 0
      most = Math.max(most, Math.floor(same / length) + 1)
    }
  }
  return most
}

test('recognises a phrase that is repeated for half a minute without looping', LONG, async () => {
  const phrase = await sentence(folder, 'I do not know.', 'rms')
  const recognised = await recognise(joined([silence(1), ...Array.from({ length: 40 }, () => phrase), silence(1)]))
  const words = recognised.flatMap((it) => it.words)
  expect(words.length).toBeGreaterThan(40 * 4 * 0.6)
  expect(words.length).toBeLessThan(40 * 4 * 1.2)
  expect(words.at(-1)?.end).toBeLessThan(1 + (40 * phrase.length) / RATE + 0.5)
})

test('recognises no words in muffled speech', LONG, async () => {
  const spoken = await sentence(folder, SCRIPTS.slt[0], 'slt')
  const file = await keep(path.join(folder, 'near.wav'), joined([silence(0.6), spoken, silence(0.8)]))
  expect(await recognise(await samplesOf('-i', file, '-af', 'lowpass=f=300,lowpass=f=300'))).toEqual([])
})

test('does not loop on speech that is nearly drowned in noise', LONG, async () => {
  const { samples } = await speech(folder, SCRIPTS.slt, 'slt', [0.6])
  const noise = await samplesOf('-f', 'lavfi', '-t', '5', '-i', 'anoisesrc=color=pink:amplitude=0.7:seed=4')
  const drowned = samples.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (noise[at % noise.length] ?? 0))))
  const words = (await recognise(drowned)).flatMap((it) => it.words)
  expect(words.length).toBeLessThan(spokenWords(SCRIPTS.slt.join(' ')).length * 1.5)
  expect(mostRepeated(words.map(({ word }) => word))).toBeLessThanOrEqual(3)
})

function childrenOf(pid: number): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter((child) => child !== '')
}

describe('a failure', () => {
  test('ends the run of a killed process, and the next run has a new process', LONG, async () => {
    const { samples } = await speech(folder, SCRIPTS.slt, 'slt', [0.6])
    const file = await keep(path.join(folder, 'killed.wav'), joined(Array.from({ length: 8 }, () => samples)))
    const run = listenTo(native, file, 100)
    run.catch(() => undefined)
    const pid = await until('a process listens', () => native.pids.files[0])
    const ffmpeg = await until('it has begun to read', () => childrenOf(pid)[0], 60_000)
    process.kill(pid, 'SIGKILL')
    await expect(run).rejects.toMatchObject({
      name: 'SpeechFailed',
      retryable: true,
      message: 'native: the recognition process ended with SIGKILL',
    })
    expect(textOf(await recognise(samples))).toContain('budget')
    expect(native.pids.files).not.toContain(pid)
    await until('nothing of it is left', () => !existsSync(`/proc/${ffmpeg}`))
  })

  test('ends an aborted run at once, and the process handles the next run', LONG, async () => {
    const { samples } = await speech(folder, SCRIPTS.rms.slice(0, 2), 'rms', [0.6])
    const file = await keep(path.join(folder, 'long.wav'), joined(Array.from({ length: 20 }, () => samples)))
    await recognise(silence(1))
    const { files } = native.pids
    const stopped = new AbortController()
    const run = native.transcribe({ file, seconds: 100 }, {}, stopped.signal)
    stopped.abort(new Error('not wanted'))
    await expect(run).rejects.toThrow('not wanted')
    expect(textOf(await recognise(samples))).toContain('marketing')
    expect(native.pids.files).toEqual(files)
  })

  test('is reported for a file without audio', LONG, async () => {
    const file = path.join(folder, 'text.wav')
    await writeFile(file, 'no sound')
    await expect(listenTo(native, file, 1)).rejects.toMatchObject({ retryable: false, message: 'native: the audio cannot be decoded' })
  })

  test('is reported for missing models or an unsupported language before a process starts', async () => {
    const empty = new NativeSpeech({ modelsFolder: path.join(folder, 'none') })
    await expect(listenTo(empty, 'any.wav', 1)).rejects.toThrow('run `emissary models install`')
    const german = native.transcribe({ file: 'any.wav', seconds: 1 }, { language: 'de' }, new AbortController().signal)
    await expect(german).rejects.toThrow('native: language "de" is not supported by native: it must be "auto" or one of en.')
    expect(empty.pids.files).toEqual([])
  })

  test('stops an idle process', LONG, async () => {
    const brief = await startNative({ idleMs: 50 })
    await recognise(silence(1), brief)
    await until('the process is gone', () => brief.pids.files.length === 0)
  })
})

test('runs the operator’s own model with sherpa-onnx', LONG, async () => {
  const { encoder, decoder } = modelFiles(MODELS_FOLDER)
  const tokens = Array.from(
    { length: 32_768 },
    (_, id) => `${Buffer.from(llamaTokenizer.vocabById[id] ?? `<${id}>`).toString('base64')} ${id}\n`,
  )
  await writeFile(path.join(folder, 'tokens.txt'), tokens.join(''))
  await writeFile(
    path.join(folder, 'model.json'),
    JSON.stringify({ kind: 'moonshine', encoder, mergedDecoder: decoder, tokens: 'tokens.txt' }),
  )
  const own = await startNative({ ownModel: folder })
  try {
    const { samples, placed } = await speech(folder, SCRIPTS.slt.slice(0, 2), 'slt', [1])
    const recognised = await recognise(samples, own)
    expect(wordErrors(spokenWords(placed.map(({ text }) => text).join(' ')), spokenWords(textOf(recognised)))).toBeLessThanOrEqual(2)
    expect(recognised.map(({ start }, at) => Math.round(Math.abs(start - (placed[at]?.start ?? 0))))).toEqual([0, 0])

    await writeFile(path.join(folder, 'model.json'), '{"kind":"unheard-of"}')
    const wrong = await startNative({ ownModel: folder })
    await expect(recognise(samples, wrong)).rejects.toThrow('native: model.json of NATIVE_MODEL: kind must be one of')
    await wrong.stop()
  } finally {
    await own.stop()
  }
})
