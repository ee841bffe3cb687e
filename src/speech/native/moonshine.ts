// Moonshine as an engine: the tokens of a stretch of speech, as words with times.
import { readFileSync } from 'node:fs'
import { alignTokens } from './alignment.ts'
import { type Engine, type Stretch, secondsOf } from './engine.ts'
import { type Decoded, MoonshineDecoder } from './moonshine-decoder.ts'
import { type Piece, wordsOf } from './words.ts'

/** The encoder makes one frame of 384 samples. */
const FRAME_SECONDS = 0.024
/** When the model itself first said "nothing", so little voice was a cough, a click or a chair. */
const DOUBTFUL_SECONDS = 0.6
/** The first token of noise, tones and silence was 0.04 at the most, that of drowned speech 0.1; that of clear speech 0.27 at the least. */
const UNLIKELY_BEGINNING = Math.log(0.1)
/** A sentence that was said goes on with tokens of 0.8 in the mean, one that was made up with 0.5. */
const UNLIKELY_REST = Math.log(0.6)
/** So few tokens say nothing of a sentence. */
const FEW_TOKENS = 3
/** What was heard so shortly before the end may be heard otherwise when more is known. */
const UNSETTLED_SECONDS = 0.7
const SPOKEN = /[\p{L}\p{N}]/u
const RAW_BYTE = /^<0x([0-9A-F]{2})>$/

export async function loadMoonshine(files: { readonly encoder: string; readonly decoder: string }, threads: number): Promise<Engine> {
  const decoder = await MoonshineDecoder.load(files, threads)
  return {
    name: 'moonshine-base',
    async hear(stretch, signal) {
      const decoded = await decoder.decode(stretch.samples, signal)
      if (!decoded) return null
      return isNoise(decoded, stretch) ? [] : wordsOf(piecesOf(decoded), stretch.voice)
    },
    followGrowing() {
      let before = { start: Number.NaN, tokens: [] as readonly number[] }
      return async (stretch, signal) => {
        const { start, samples, voice } = stretch
        const decoded = await decoder.decode(samples, signal, before.start === start ? before.tokens : [])
        if (!decoded) return null
        const pieces = isNoise(decoded, stretch) ? [] : piecesOf(decoded)
        const settled = settledPieces(pieces, secondsOf(stretch) - UNSETTLED_SECONDS)
        before = { start, tokens: decoded.tokens.slice(0, settled).map(({ token }) => token) }
        return wordsOf(pieces, voice)
      }
    },
  }
}

/** How many pieces from the beginning will stay: whole words, without the punctuation that only the end of the sound called for. */
export function settledPieces(pieces: readonly Piece[], untilSeconds: number): number {
  const next = pieces.findLastIndex(
    ({ text }, at) => text.startsWith(' ') && (pieces[at - 1]?.end ?? Number.POSITIVE_INFINITY) <= untilSeconds,
  )
  return pieces.slice(0, Math.max(0, next)).findLastIndex(({ text }) => SPOKEN.test(text)) + 1
}

/** The model would rather have said nothing, and there is little reason to make it speak. */
function isNoise({ wasDoubted, tokens }: Decoded, { voice }: Stretch): boolean {
  if (!wasDoubted) return false
  const voicedSeconds = voice.probabilities.filter((probability) => probability >= 0.5).length * voice.windowSeconds
  return voicedSeconds < DOUBTFUL_SECONDS || isMadeUp(tokens.map(({ logProbability }) => logProbability))
}

/** Asked to go on, the model begins with a word of next to no confidence and ends with one of its favourite sentences. */
export function isMadeUp([first = 0, ...rest]: readonly number[]): boolean {
  if (first >= UNLIKELY_BEGINNING) return false
  return rest.length < FEW_TOKENS || rest.reduce((sum, log) => sum + log, 0) / rest.length < UNLIKELY_REST
}

function piecesOf({ tokens, frames }: Decoded): readonly Piece[] {
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

/** The pieces of Llama's tokenizer, by which Moonshine spells: line N is token N. */
const VOCABULARY = readFileSync(new URL('vocabulary.txt', import.meta.url), 'utf8').split('\n')

/** What the vocabulary cannot spell comes byte by byte; the character then belongs to its last byte. */
export function textsOf(tokens: readonly number[]): readonly string[] {
  const bytes = new TextDecoder()
  return tokens.map((token) => {
    const text = VOCABULARY[token] ?? ''
    const byte = RAW_BYTE.exec(text)?.[1]
    if (byte !== undefined) return bytes.decode(Uint8Array.of(Number.parseInt(byte, 16)), { stream: true })
    return bytes.decode() + text.replaceAll('▁', ' ')
  })
}
