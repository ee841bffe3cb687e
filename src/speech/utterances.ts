// Turns vendor words into utterances: fills in missing times, takes punctuation from the transcript, and splits at silences.
import type { SpokenWord, Utterance } from '../domain/transcript.ts'

/** A word of a vendor's answer; fields that the vendor left out are null. */
export type VendorWord = {
  readonly text: string
  readonly start: number | null
  readonly end: number | null
  readonly confidence: number | null
}

/** A longer silence than this ends an utterance. */
const SILENCE_SECONDS = 0.8
/** For vendors that give no confidence. */
const DEFAULT_CONFIDENCE = 1
/** A match further ahead in the transcript than this is another occurrence of the word. */
const FARTHEST_CHARACTERS = 60

export function toUtterances(words: readonly VendorWord[], transcript: string): Utterance[] {
  const spoken = words.filter(({ text }) => text.trim() !== '')
  const timed = withTimes(spoken)
  const places = placesIn(transcript, spoken)
  const recognised = spoken.map((word, index): SpokenWord => {
    const place = places[index]
    const punctuatedWord = place ? transcript.slice(place.from, place.to) : word.text.trim()
    return {
      word: bare(word.text),
      punctuatedWord,
      confidence: within(word.confidence ?? DEFAULT_CONFIDENCE),
      ...(timed[index] ?? NO_TIME),
    }
  })
  return cutAtSilence(recognised).map(({ from, to }) => utterance(recognised.slice(from, to), places.slice(from, to), transcript))
}

/** All words as one utterance; null if there are none. */
export function toUtterance(words: readonly VendorWord[], transcript: string): Utterance | null {
  const parts = toUtterances(words, transcript)
  const [first] = parts
  if (!first) return null
  const all = parts.flatMap((part) => part.words)
  return { text: parts.map(({ text }) => text).join(' '), start: first.start, end: endOf(all), words: all }
}

/** Estimates word times in a text of which only the start and end are known, in proportion to word length. */
export function spread(text: string, start: number, end: number, confidence: number | null = null): (VendorWord & Span)[] {
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

/** A part of the audio in seconds, or of a text in characters. */
type Span = { readonly start: number; readonly end: number }
const NO_TIME: Span = { start: 0, end: 0 }

function withTimes(words: readonly VendorWord[]): Span[] {
  const nextStarts = nextOf(words.map(({ start }) => start))
  let last = 0
  return words.map((word, index) => {
    const start = Math.max(0, word.start ?? last)
    const end = Math.max(start, word.end ?? nextStarts[index] ?? start)
    last = end
    return { start, end }
  })
}

/** For each index the next number after it. */
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

/** Punctuation that belongs to a word: between it and white space, or the next word. */
const LEAD = /(?<=^|\s)[^\s\p{L}\p{N}\p{M}]*$/u
const TAIL = /^[^\s\p{L}\p{N}\p{M}]*(?=\s|$)/u

type Place = { readonly from: number; readonly to: number }

/** The position of each word in the transcript, including its punctuation. */
function placesIn(transcript: string, words: readonly VendorWord[]): (Place | null)[] {
  const lower = transcript.toLowerCase()
  // Some letters change their length in lower case, and then positions do not match.
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

function cutAtSilence(words: readonly SpokenWord[]): Place[] {
  const starts = words.flatMap(({ start }, index) => (index === 0 || start - (words[index - 1]?.end ?? 0) > SILENCE_SECONDS ? [index] : []))
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? words.length }))
}

function utterance(words: readonly SpokenWord[], places: readonly (Place | null)[], transcript: string): Utterance {
  const [first, last] = [places[0], places.at(-1)]
  // The original text, because some languages have no blanks between words.
  const text = first && last && places.every((place) => place !== null) ? transcript.slice(first.from, last.to) : plain(words)
  return { text: text.trim(), start: words[0]?.start ?? 0, end: endOf(words), words }
}

function endOf(words: readonly SpokenWord[]): number {
  return words.reduce((latest, { end }) => Math.max(latest, end), 0)
}

function plain(words: readonly SpokenWord[]): string {
  return words.map(({ punctuatedWord }) => punctuatedWord).join(' ')
}

/** Removes punctuation around the word. A word of only punctuation stays as it is. */
function bare(text: string): string {
  const lower = text.trim().toLowerCase()
  return lower.replaceAll(/^[^\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+$/gu, '') || lower
}

function within(confidence: number): number {
  return Math.min(1, Math.max(0, confidence))
}
