// The Moonshine engine: decodes a speech segment into words with times.
import { readFileSync } from 'node:fs'
import type { SpokenWord } from '../../domain/transcript.ts'
import { alignTokens } from './alignment.ts'
import { type Engine, type SpeechSegment, secondsOf } from './engine.ts'
import type { Decoded } from './hypothesis.ts'
import { MoonshineDecoder } from './moonshine-decoder.ts'
import { type WordPart, wordsOf } from './words.ts'

/** One encoder frame is 384 samples. */
const FRAME_SECONDS = 0.024
/** More take more memory and hardly less time. */
const BATCH = 4
/** If the model's first choice was no text, less voice than this was a cough, a click or a chair. */
const DOUBTFUL_SECONDS = 0.6
/** Measured probability of the first token: noise, tones and silence at most 0.04, drowned speech 0.1, clear speech at least 0.27. */
const UNLIKELY_BEGINNING = Math.log(0.1)
/** Measured mean probability of the following tokens: 0.8 for spoken sentences, 0.5 for invented ones. */
const UNLIKELY_REST = Math.log(0.6)
/** Too few tokens for a meaningful mean. */
const FEW_TOKENS = 3
/** Words this close to the end may change when more audio arrives. */
const UNSTABLE_SECONDS = 0.7
const SPOKEN = /[\p{L}\p{N}]/u
const RAW_BYTE = /^<0x([0-9A-F]{2})>$/

export async function loadMoonshine(files: { readonly encoder: string; readonly decoder: string }): Promise<Engine> {
  const decoder = await MoonshineDecoder.load(files)
  const recogniseBatch = async (segments: readonly SpeechSegment[], signal: AbortSignal) => {
    const decoded = await decoder.decode(
      segments.map(({ samples }) => samples),
      signal,
    )
    return decoded?.map((each, at) => recognisedWords(each, segments[at])) ?? null
  }
  return {
    name: 'moonshine-base',
    recognise: async (segment, signal) => (await recogniseBatch([segment], signal))?.[0] ?? null,
    async recogniseAll(segments, signal, onProgress) {
      const words = new Map<SpeechSegment, readonly SpokenWord[]>()
      for (const batch of similarlyLong(segments)) {
        const recognised = await recogniseBatch(batch, signal)
        if (!recognised) return null
        onProgress()
        for (const [at, segment] of batch.entries()) words.set(segment, recognised[at] ?? [])
      }
      return segments.map((segment) => words.get(segment) ?? [])
    },
    growingRecogniser() {
      let before = { start: Number.NaN, tokens: [] as readonly number[] }
      return async (segment, signal) => {
        const { start, samples, voice } = segment
        const [decoded] = (await decoder.decode([samples], signal, before.start === start ? before.tokens : [])) ?? []
        if (!decoded) return null
        const parts = isNoise(decoded, segment) ? [] : partsOf(decoded)
        const stable = stableParts(parts, secondsOf(segment) - UNSTABLE_SECONDS)
        before = { start, tokens: decoded.tokens.slice(0, stable).map(({ token }) => token) }
        return wordsOf(parts, voice)
      }
    },
  }
}

/** Sorted, because a short segment waits for the longest of its batch. */
function similarlyLong(segments: readonly SpeechSegment[]): readonly (readonly SpeechSegment[])[] {
  const sorted = segments.toSorted((a, b) => a.samples.length - b.samples.length)
  return Array.from({ length: Math.ceil(sorted.length / BATCH) }, (_, at) => sorted.slice(at * BATCH, (at + 1) * BATCH))
}

function recognisedWords(decoded: Decoded, segment: SpeechSegment | undefined): readonly SpokenWord[] {
  return !segment || isNoise(decoded, segment) ? [] : wordsOf(partsOf(decoded), segment.voice)
}

/** The number of leading parts that are stable: whole words, without punctuation at the end of the audio. */
export function stableParts(parts: readonly WordPart[], untilSeconds: number): number {
  const next = parts.findLastIndex(
    ({ text }, at) => text.startsWith(' ') && (parts[at - 1]?.end ?? Number.POSITIVE_INFINITY) <= untilSeconds,
  )
  return parts.slice(0, Math.max(0, next)).findLastIndex(({ text }) => SPOKEN.test(text)) + 1
}

/** The model's first choice was no text, and neither voice nor probabilities contradict it. */
function isNoise({ firstChoiceWasEnd, tokens }: Decoded, { voice }: SpeechSegment): boolean {
  if (!firstChoiceWasEnd) return false
  const voicedSeconds = voice.probabilities.filter((probability) => probability >= 0.5).length * voice.windowSeconds
  return voicedSeconds < DOUBTFUL_SECONDS || isInvented(tokens.map(({ logProbability }) => logProbability))
}

/** Forced to produce text for noise, the model starts with an improbable word and continues with a sentence from its training. */
export function isInvented([first = 0, ...rest]: readonly number[]): boolean {
  if (first >= UNLIKELY_BEGINNING) return false
  return rest.length < FEW_TOKENS || rest.reduce((sum, log) => sum + log, 0) / rest.length < UNLIKELY_REST
}

function partsOf({ tokens, frames }: Decoded): readonly WordPart[] {
  const spans = alignTokens(
    tokens.map(({ attention }) => attention),
    frames,
  )
  const texts = textsOf(tokens.map(({ token }) => token))
  return tokens.map(({ logProbability }, at) => ({
    text: texts[at] ?? '',
    start: (spans[at]?.first ?? 0) * FRAME_SECONDS,
    end: ((spans[at]?.last ?? 0) + 1) * FRAME_SECONDS,
    logProbability,
  }))
}

/** The vocabulary of Llama's tokenizer, which Moonshine uses: line N is token N. */
const VOCABULARY = readFileSync(new URL('vocabulary.txt', import.meta.url), 'utf8').split('\n')

/** Characters outside the vocabulary come as bytes. The character is assigned to its last byte. */
export function textsOf(tokens: readonly number[]): readonly string[] {
  const bytes = new TextDecoder()
  return tokens.map((token) => {
    const text = VOCABULARY[token] ?? ''
    const byte = RAW_BYTE.exec(text)?.[1]
    if (byte !== undefined) return bytes.decode(Uint8Array.of(Number.parseInt(byte, 16)), { stream: true })
    return bytes.decode() + text.replaceAll('▁', ' ')
  })
}
