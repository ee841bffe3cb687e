// What hears words in a stretch of speech. One at a time: an engine takes all the processor it was given.
import type { HeardWord, Utterance } from '../provider.ts'
import type { Voice } from './words.ts'

export const SAMPLES_PER_SECOND = 16_000

/** Somebody speaking, between two silences; or the part of it that has been heard so far. */
export type Stretch = {
  /** In seconds of the recording. */
  readonly start: number
  readonly samples: Float32Array
  readonly voice: Voice
}

export interface Engine {
  /** What heard the words, for the raw answer. */
  readonly name: string
  /** With times in seconds of the stretch. Null when `signal` ended it before its end. */
  hear(stretch: Stretch, signal: AbortSignal): Promise<readonly HeardWord[] | null>
  /** The same for a stretch that is heard again and again while it grows: what was heard well before need not be heard again. */
  followGrowing(): Engine['hear']
}

export function secondsOf({ samples }: Stretch): number {
  return samples.length / SAMPLES_PER_SECOND
}

/** Null where there was a voice and no word. */
export function utteranceOf({ start }: Stretch, heard: readonly HeardWord[]): Utterance | null {
  const words = heard.map((word) => ({ ...word, start: inMilliseconds(start + word.start), end: inMilliseconds(start + word.end) }))
  const [first, last] = [words[0], words.at(-1)]
  if (!first || !last) return null
  return { text: words.map(({ punctuatedWord }) => punctuatedWord).join(' '), start: first.start, end: last.end, words }
}

const inMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000
