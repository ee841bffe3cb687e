// The interface of every speech recogniser: words with times, after the call or live. Each input has one speaker.
import type { JsonObject } from '../domain/bot.ts'
import type { Utterance } from '../domain/transcript.ts'
import { Failure } from '../kit/failure.ts'

export type Recognition = {
  /** Times count from the start of the audio. */
  readonly utterances: readonly Utterance[]
  /** The provider's own answer, stored for `?raw=true`. */
  readonly raw: unknown
}

export interface Recogniser {
  /** `file` is any format that ffmpeg reads. Rejects with `SpeechFailed` if the provider fails or refuses. */
  transcribe(sound: { readonly file: string; readonly seconds: number }, options: JsonObject, signal: AbortSignal): Promise<Recognition>
}

/** An interim result may change, a final one does not. */
export type LiveResult = Utterance & { readonly final: boolean }

export type LiveHandler = {
  onResult(utterance: LiveResult): void
  /** Called at most once. The stream has ended, and no result follows. */
  onFailure(error: SpeechFailed): void
}

/** One participant's live audio. Writing never waits and never throws. */
export interface LiveStream {
  /** 16-bit mono PCM at 16 kHz. `at`: the time of the first sample in seconds of the recording. A jump is a silence. */
  write(pcm: Int16Array, at: number): void
  /** Resolves after the results of all written audio. */
  end(): Promise<void>
}

export interface LiveRecogniser {
  open(handler: LiveHandler, options: JsonObject): LiveStream
}

/** The message is for users: it names the provider and never contains a key. */
export class SpeechFailed extends Failure {
  override readonly name = 'SpeechFailed'
  /** True: the same request may succeed later. */
  readonly retryable: boolean
  /** The pause that the vendor asks for. */
  readonly retryAfterMs: number | null

  constructor(message: string, options: { readonly retryable: boolean; readonly cause?: unknown; readonly retryAfterMs?: number | null }) {
    super('speech_failed', message, { cause: options.cause })
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
