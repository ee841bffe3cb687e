// Words put together from the pieces an engine hears, kept within the voice that said them.
import type { HeardWord } from '../provider.ts'

/** A part of a word, or a whole one; a blank in front begins the next word. Times in seconds of the stretch. */
export type Piece = { readonly text: string; readonly start: number; readonly end: number; readonly logProbability: number }

/** How likely each window of a stretch holds a voice. */
export type Voice = { readonly windowSeconds: number; readonly probabilities: Float32Array }

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
/** Whoever speaks softly is still speaking; between words it is near nothing. */
const VOICED = 0.3
const SHORTEST_SECONDS = 0.02

type OpenWord = { text: string; start: number; end: number; logs: number[] }

/** Confidence is the mean probability of a word's pieces. */
export function wordsOf(pieces: readonly Piece[], voice: Voice): readonly HeardWord[] {
  const words: OpenWord[] = []
  for (const piece of withBlanks(pieces)) join(words, piece)
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

/** A blank may also be a piece of its own, in front of a number for one. */
function* withBlanks(pieces: readonly Piece[]): Generator<Piece> {
  let blank = ''
  for (const piece of pieces) {
    const isBlank = piece.text.trim() === ''
    if (!isBlank) yield { ...piece, text: blank + piece.text }
    blank = isBlank ? ' ' : ''
  }
}

/** Punctuation belongs to the word before it, but takes none of its time. */
function join(words: OpenWord[], { text, start, end, logProbability }: Piece): void {
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

/** The pause before a word is given to that word, and the one after the last word to the last: both are cut off. */
export function withinVoice({ start, end }: Span, { windowSeconds, probabilities }: Voice): Span {
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
