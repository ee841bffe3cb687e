// Words as vendors tell them -> utterances: times filled in, punctuation taken from the transcript, cut where nobody speaks.
import type { HeardWord, Utterance } from './provider.ts'

/** One word as a vendor told it; null where it did not say. */
export type SpokenWord = {
  readonly text: string
  readonly start: number | null
  readonly end: number | null
  readonly confidence: number | null
}

/** A longer silence than this ends an utterance. */
const SILENCE_SECONDS = 0.8
/** Some vendors give no confidence; what was written down counts as heard. */
const UNTOLD_CONFIDENCE = 1
/** A word further on in the transcript than this is another one that looks alike. */
const FARTHEST_CHARACTERS = 60

export function toUtterances(words: readonly SpokenWord[], transcript: string): Utterance[] {
  const spoken = words.filter(({ text }) => text.trim() !== '')
  const timed = withTimes(spoken)
  const places = placesIn(transcript, spoken)
  const heard = spoken.map((word, index): HeardWord => {
    const place = places[index]
    const punctuatedWord = place ? transcript.slice(place.from, place.to) : word.text.trim()
    return { word: bare(word.text), punctuatedWord, confidence: within(word.confidence ?? UNTOLD_CONFIDENCE), ...(timed[index] ?? NO_TIME) }
  })
  return cutAtSilence(heard).map(({ from, to }) => utterance(heard.slice(from, to), places.slice(from, to), transcript))
}

/** Everything as one utterance; null where there is no word. */
export function toUtterance(words: readonly SpokenWord[], transcript: string): Utterance | null {
  const parts = toUtterances(words, transcript)
  const [first] = parts
  if (!first) return null
  const all = parts.flatMap((part) => part.words)
  return { text: parts.map(({ text }) => text).join(' '), start: first.start, end: endOf(all), words: all }
}

/** Words of a text of which only the whole's times are known: each has a share by its length. */
export function spread(text: string, start: number, end: number, confidence: number | null = null): SpokenWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const total = words.reduce((sum, word) => sum + word.length, 0)
  const perCharacter = Math.max(0, end - start) / Math.max(1, total)
  let at = start
  return words.map((word) => {
    const from = at
    at += word.length * perCharacter
    return { text: word, start: from, end: at, confidence }
  })
}

type Times = { readonly start: number; readonly end: number }
const NO_TIME: Times = { start: 0, end: 0 }

function withTimes(words: readonly SpokenWord[]): Times[] {
  const nextStarts = nextOf(words.map(({ start }) => start))
  let last = 0
  return words.map((word, index) => {
    const start = Math.max(0, word.start ?? last)
    const end = Math.max(start, word.end ?? nextStarts[index] ?? start)
    last = end
    return { start, end }
  })
}

/** For each place the next number after it. */
function nextOf(numbers: readonly (number | null)[]): (number | null)[] {
  let next: number | null = null
  return numbers
    .toReversed()
    .map((number) => {
      const after = next
      next = number ?? next
      return after
    })
    .toReversed()
}

/** Signs that belong to a word: those between it and a blank, or the next word. */
const LEAD = /(?<=^|\s)[^\s\p{L}\p{N}\p{M}]*$/u
const TAIL = /^[^\s\p{L}\p{N}\p{M}]*(?=\s|$)/u

type Place = { readonly from: number; readonly to: number }

/** Where each word stands in the transcript, with the punctuation around it. */
function placesIn(transcript: string, words: readonly SpokenWord[]): (Place | null)[] {
  const lower = transcript.toLowerCase()
  // A few letters change their length with their case; then places in one are no places in the other.
  if (lower.length !== transcript.length) return words.map(() => null)
  let cursor = 0
  const found = words.map(({ text }) => {
    const wanted = text.trim().toLowerCase()
    const at = lower.indexOf(wanted, cursor)
    if (at === -1 || at - cursor > FARTHEST_CHARACTERS) return null
    cursor = at + wanted.length
    return { from: at, to: cursor }
  })
  const nextPlaces = nextOf(found.map((place) => place?.from ?? null))
  let before = 0
  return found.map((place, index) => {
    if (!place) return null
    const next = nextPlaces[index] ?? transcript.length
    const lead = LEAD.exec(transcript.slice(before, place.from))?.[0].length ?? 0
    const tail = TAIL.exec(transcript.slice(place.to, next))?.[0].length ?? 0
    before = place.to + tail
    return { from: place.from - lead, to: before }
  })
}

function cutAtSilence(words: readonly HeardWord[]): Place[] {
  const starts = words.flatMap(({ start }, index) => (index === 0 || start - (words[index - 1]?.end ?? 0) > SILENCE_SECONDS ? [index] : []))
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? words.length }))
}

function utterance(words: readonly HeardWord[], places: readonly (Place | null)[], transcript: string): Utterance {
  const [first, last] = [places[0], places.at(-1)]
  // Languages that write no blanks between words keep their text this way.
  const text = first && last && places.every((place) => place !== null) ? transcript.slice(first.from, last.to) : plain(words)
  return { text: text.trim(), start: words[0]?.start ?? 0, end: endOf(words), words }
}

function endOf(words: readonly HeardWord[]): number {
  return words.reduce((latest, { end }) => Math.max(latest, end), 0)
}

function plain(words: readonly HeardWord[]): string {
  return words.map(({ punctuatedWord }) => punctuatedWord).join(' ')
}

/** Letters with their marks and digits, and what stands between them; a sign of its own stays as it is. */
function bare(text: string): string {
  const lower = text.trim().toLowerCase()
  return lower.replaceAll(/^[^\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+$/gu, '') || lower
}

function within(confidence: number): number {
  return Math.min(1, Math.max(0, confidence))
}
