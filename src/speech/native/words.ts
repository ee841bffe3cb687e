// Builds words from an engine's tokens, with times clipped to detected voice.
import type { SpokenWord } from '../../domain/transcript.ts'

/** A token's text; a leading blank starts a new word. Times are relative to the segment. */
export type WordPart = { readonly text: string; readonly start: number; readonly end: number; readonly logProbability: number }

/** The voice probability of each window of a segment. */
export type VoiceProbabilities = { readonly windowSeconds: number; readonly probabilities: Float32Array }

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
/** Low enough for soft speech; between words the probability is near zero. */
const VOICED = 0.3
const SHORTEST_SECONDS = 0.02

type OpenWord = { text: string; start: number; end: number; logs: number[] }

/** Confidence is the geometric mean of the probabilities of a word's parts. */
export function wordsOf(parts: readonly WordPart[], voice: VoiceProbabilities): readonly SpokenWord[] {
  const words: OpenWord[] = []
  for (const part of withBlanks(parts)) join(words, part)
  let from = 0
  return words.flatMap(({ text, start, end, logs }) => {
    const word = bare(text)
    if (word === '') return []
    const span = withinVoice({ start: Math.max(from, start), end: Math.max(from + SHORTEST_SECONDS, end) }, voice)
    from = span.end
    const confidence = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
    return { word, punctuatedWord: text, start: rounded(span.start), end: rounded(span.end), confidence: rounded(Math.min(1, confidence)) }
  })
}

/** A blank may be a separate token, for example before a number. */
function* withBlanks(parts: readonly WordPart[]): Generator<WordPart> {
  let blank = ''
  for (const part of parts) {
    const isBlank = part.text.trim() === ''
    if (!isBlank) yield { ...part, text: blank + part.text }
    blank = isBlank ? ' ' : ''
  }
}

/** Punctuation is appended to the word before it and does not extend its time. */
function join(words: OpenWord[], { text, start, end, logProbability }: WordPart): void {
  const last = words.at(-1)
  const isSpoken = LETTER_OR_DIGIT.test(text)
  if (!last || (text.startsWith(' ') && isSpoken)) {
    words.push({ text: text.trim(), start, end, logs: [logProbability] })
    return
  }
  last.text += text.trimEnd().replace(/^ +/, isSpoken ? '' : ' ')
  if (!isSpoken) return
  last.end = end
  last.logs.push(logProbability)
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

type Span = { readonly start: number; readonly end: number }

/** Alignment adds the pause before a word to that word, and the final pause to the last word. Both are cut off. */
export function withinVoice({ start, end }: Span, { windowSeconds, probabilities }: VoiceProbabilities): Span {
  const first = Math.floor(start / windowSeconds)
  const beyond = Math.min(probabilities.length, Math.ceil(end / windowSeconds))
  const voiced: number[] = []
  for (let window = first; window < beyond; window++) if ((probabilities[window] ?? 0) >= VOICED) voiced.push(window)
  const [begin, finish] = [voiced[0], voiced.at(-1)]
  if (begin === undefined || finish === undefined) return { start, end }
  const from = Math.max(start, begin * windowSeconds)
  return { start: from, end: Math.max(from + SHORTEST_SECONDS, Math.min(end, (finish + 1) * windowSeconds)) }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000
