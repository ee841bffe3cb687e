// What every recogniser of speech offers: words with times, after the call or while it runs. One sound is one person's.

import type { JsonObject } from '../domain/bot.ts'
import { Failure } from '../kit/failure.ts'

/** One word as it was heard; times in seconds from the start of the sound. */
export type HeardWord = {
  /** Lower case, without punctuation. */
  readonly word: string
  readonly punctuatedWord: string
  readonly start: number
  readonly end: number
  /** 0 to 1. */
  readonly confidence: number
}

/** A stretch of speech between two silences. */
export type Utterance = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly words: readonly HeardWord[]
}

export type Heard = {
  readonly utterances: readonly Utterance[]
  /** The provider's own answer, kept for `?raw=true`. */
  readonly raw: unknown
}

export interface Recogniser {
  /** `file` is anything ffmpeg reads. Rejects with `SpeechFailed` when the provider cannot, or will not. */
  transcribe(sound: { readonly file: string; readonly seconds: number }, options: JsonObject, signal: AbortSignal): Promise<Heard>
}

/** What is heard while somebody speaks: an unfinished utterance may still change, a final one does not. */
export type LiveHeard = Utterance & { readonly final: boolean }

export type LiveEar = {
  heard(utterance: LiveHeard): void
  /** The stream is over and will hear nothing more; what failed is said once. */
  failed(error: SpeechFailed): void
}

/** One person's voice on its way to the recogniser. Writing never waits and never throws. */
export interface LiveStream {
  /** 16-bit mono PCM, 16 kHz. `at`: seconds from the start of the recording of the first sample; a jump is a silence. */
  write(pcm: Int16Array, at: number): void
  /** Settles once everything written has been heard. */
  end(): Promise<void>
}

export interface LiveRecogniser {
  open(ear: LiveEar, options: JsonObject): LiveStream
}

/** The reason can be shown to the user; it names the provider and never a key. */
export class SpeechFailed extends Failure {
  override readonly name = 'SpeechFailed'
  /** Whether the same request may succeed later. */
  readonly passing: boolean

  constructor(message: string, options: { readonly passing: boolean; readonly cause?: unknown }) {
    super('speech_failed', message, { cause: options.cause })
    this.passing = options.passing
  }
}
