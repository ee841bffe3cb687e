// The six speech vendors in one table, and recordings for them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startSarvam } from '../../../sims/speech/sarvam.ts'
import { sayTones } from '../../../sims/speech/tone-words.ts'
import { readForm, type SpeechSim } from '../../../sims/speech/vendor.ts'
import { startAssemblyai, startDeepgram, startElevenlabs, startJigsawstack, startOpenai } from '../../../sims/speech/vendors.ts'
import type { JsonObject } from '../../../src/domain/bot.ts'
import { DEFAULT_RETRY_POLICY, type Endpoint, type RetryPolicy } from '../../../src/speech/http/client.ts'
import type { LiveStream, Recogniser, Recognition } from '../../../src/speech/provider.ts'
import { assemblyai } from '../../../src/speech/vendors/assemblyai.ts'
import { deepgram } from '../../../src/speech/vendors/deepgram.ts'
import { elevenlabs } from '../../../src/speech/vendors/elevenlabs.ts'
import { jigsawstack } from '../../../src/speech/vendors/jigsawstack.ts'
import { openai } from '../../../src/speech/vendors/openai.ts'
import { sarvam } from '../../../src/speech/vendors/sarvam.ts'
import { asPcm, asWav } from '../../../src/speech/wav.ts'

type Row = {
  readonly name: string
  readonly start: () => Promise<SpeechSim>
  readonly open: (endpoint: Endpoint, retryPolicy: RetryPolicy) => Recogniser
  /** Options that the vendor rejects, and a part of its message. */
  readonly bad: readonly [JsonObject, string]
  /** Options that a caller may not set. */
  readonly greedy: JsonObject
  /** The options that reached the vendor. */
  readonly seen: (sim: SpeechSim) => Promise<unknown>
  readonly wanted: unknown
  /** The options that the vendor receives for `language: "auto"`. */
  readonly detects: unknown
  /** Whether it reports times of words, or only of phrases. */
  readonly timesWords: boolean
}

const asked = (sim: SpeechSim, path: string) => sim.asked.find((one) => one.path === path) ?? expect.fail(`${path} was not asked for`)
const json = (sim: SpeechSim, path: string) => JSON.parse(asked(sim, path).body.toString())
const form = async (sim: SpeechSim, path: string) => (await readForm(asked(sim, path))).fields

export const VENDOR_ROWS: readonly Row[] = [
  {
    name: 'Deepgram',
    start: startDeepgram,
    open: deepgram,
    timesWords: true,
    bad: [{ model: 'none' }, 'No such model/language combination'],
    greedy: {
      language: 'de',
      keyterm: ['x', 'y'],
      smart_format: false,
      callback: 'https://evil.example/',
      encoding: 'mulaw',
      token: 'stolen',
    },
    seen: async (sim) => [...asked(sim, '/v1/listen').query.entries()].toSorted().join(' '),
    wanted: 'keyterm,x keyterm,y language,de model,nova-3 punctuate,true smart_format,false',
    detects: 'detect_language,true model,nova-3 punctuate,true smart_format,true',
  },
  {
    name: 'AssemblyAI',
    start: startAssemblyai,
    open: assemblyai,
    timesWords: true,
    bad: [{ model: 'none' }, 'must be one of the following'],
    greedy: { language: 'de', punctuate: true, audio_url: 'https://evil.example/', webhook_url: 'https://evil.example/' },
    seen: async (sim) => json(sim, '/v2/transcript'),
    wanted: {
      speech_models: ['universal-3-pro', 'universal-2'],
      language_code: 'de',
      punctuate: true,
      audio_url: expect.stringMatching(/^https:\/\/cdn\.assemblyai\.com\//),
    },
    detects: { speech_models: ['universal-3-pro', 'universal-2'], language_detection: true, audio_url: expect.any(String) },
  },
  {
    name: 'OpenAI',
    start: startOpenai,
    open: openai,
    timesWords: true,
    bad: [{ model: 'none' }, 'invalid model ID'],
    greedy: { language: 'de', prompt: 'Names', response_format: 'text', stream: true, 'timestamp_granularities[]': ['segment'] },
    seen: (sim) => form(sim, '/audio/transcriptions'),
    wanted: {
      model: ['whisper-1'],
      language: ['de'],
      prompt: ['Names'],
      response_format: ['verbose_json'],
      'timestamp_granularities[]': ['word', 'segment'],
    },
    detects: { model: ['whisper-1'], response_format: ['verbose_json'], 'timestamp_granularities[]': ['word', 'segment'] },
  },
  {
    name: 'ElevenLabs',
    start: startElevenlabs,
    open: elevenlabs,
    timesWords: true,
    bad: [{ model: 'none' }, 'not a valid model_id'],
    greedy: { language: 'de', keyterms: ['x', 'y'], webhook: true, source_url: 'https://evil.example/', timestamps_granularity: 'none' },
    seen: (sim) => form(sim, '/v1/speech-to-text'),
    wanted: {
      model_id: ['scribe_v2'],
      language_code: ['de'],
      keyterms: ['x', 'y'],
      tag_audio_events: ['false'],
      timestamps_granularity: ['word'],
    },
    detects: { model_id: ['scribe_v2'], tag_audio_events: ['false'], timestamps_granularity: ['word'] },
  },
  {
    name: 'Sarvam',
    start: startSarvam,
    open: sarvam,
    timesWords: false,
    bad: [{ model: 'none' }, 'Input should be saaras:v3'],
    greedy: {
      language: 'hi-IN',
      mode: 'codemix',
      callback: { url: 'https://evil.example/' },
      input_audio_codec: 'pcm_raw',
      with_timestamps: false,
    },
    seen: async (sim) => json(sim, '/speech-to-text/job/v1'),
    wanted: { job_parameters: { model: 'saaras:v3', language_code: 'hi-IN', mode: 'codemix', with_timestamps: true } },
    detects: { job_parameters: { model: 'saaras:v3', language_code: 'unknown', with_timestamps: true } },
  },
  {
    name: 'JigsawStack',
    start: startJigsawstack,
    open: jigsawstack,
    timesWords: false,
    bad: [{ language: 'none' }, 'language: Invalid enum value'],
    greedy: { language: 'de', translate: false, url: 'https://evil.example/', webhook_url: 'https://evil.example/', stream: true },
    seen: async (sim) => JSON.parse((await form(sim, '/v1/ai/transcribe')).body?.[0] ?? ''),
    wanted: { language: 'de', translate: false },
    detects: {},
  },
]

export const QUICK: RetryPolicy = { ...DEFAULT_RETRY_POLICY, retry: { ...DEFAULT_RETRY_POLICY.retry, firstMs: 5 }, pollMs: 5 }

type Spoken = readonly (readonly [string, number])[]

/** Two phrases in five seconds. */
export const SPOKEN: Spoken = [
  ['alpha', 0.5],
  ['bravo', 0.9],
  ['charlie', 1.4],
  ['delta', 3.2],
  ['echo', 3.6],
]

export const texts = ({ utterances }: Recognition) => utterances.map(({ text }) => text)
export const allWords = ({ utterances }: Recognition) => utterances.flatMap(({ words }) => words)
export const never = () => new AbortController().signal

/** Tones as a live voice: in frames of 20 ms, all at once. */
export function sayLive(stream: LiveStream, spoken: Spoken, seconds: number, at = 0): void {
  const pcm = sayTones(spoken, seconds)
  for (let from = 0; from < pcm.length; from += 320) stream.write(pcm.subarray(from, from + 320), at + from / 16_000)
}

/** A folder for the recordings of one test file. */
export function recordings() {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'emissary-providers-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const write = async (name: string, bytes: Buffer | string): Promise<string> => {
    await writeFile(join(folder, name), bytes)
    return join(folder, name)
  }
  return {
    write,
    async record(spoken: Spoken, seconds: number): Promise<{ file: string; seconds: number }> {
      const wav = asWav(asPcm([sayTones(spoken, seconds)]), 16_000)
      return { file: await write(`${spoken.length}-${seconds}.wav`, wav), seconds }
    },
  }
}
