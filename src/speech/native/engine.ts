// The interface of a recognition engine. It handles one segment at a time, because it uses all its threads.
import type { SpokenWord, Utterance } from '../../domain/transcript.ts'
import { SAMPLES_PER_SECOND } from './samples.ts'
import type { VoiceProbabilities } from './words.ts'

/** Speech between two silences, or the part of it that has arrived so far. */
export type SpeechSegment = {
  /** Seconds of the recording. */
  readonly start: number
  readonly samples: Float32Array
  readonly voice: VoiceProbabilities
}

export interface Engine {
  /** The name of the model, for the raw answer. */
  readonly name: string
  /** Word times are relative to the segment. Null: `signal` aborted it. */
  recognise(segment: SpeechSegment, signal: AbortSignal): Promise<readonly SpokenWord[] | null>
  /** The words of each segment, in less time than one by one. Null: `signal` aborted it. `onProgress` is called every few segments. */
  recogniseAll(
    segments: readonly SpeechSegment[],
    signal: AbortSignal,
    onProgress: () => void,
  ): Promise<readonly (readonly SpokenWord[])[] | null>
  /** A recogniser for one growing segment. It reuses the stable words of its last result. */
  growingRecogniser(): Engine['recognise']
}

export function secondsOf({ samples }: SpeechSegment): number {
  return samples.length / SAMPLES_PER_SECOND
}

/** Null: the segment has no words. */
export function utteranceOf({ start }: SpeechSegment, recognised: readonly SpokenWord[]): Utterance | null {
  const words = recognised.map((word) => ({ ...word, start: inMilliseconds(start + word.start), end: inMilliseconds(start + word.end) }))
  const [first, last] = [words[0], words.at(-1)]
  if (!first || !last) return null
  return { text: words.map(({ punctuatedWord }) => punctuatedWord).join(' '), start: first.start, end: last.end, words }
}

const inMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000
