// Speech of one source, from the audio level that every packet carries, without decoding any of it.
import { NO_LEVEL } from './wire.ts'

/** -dBov. Speech lies around 20 to 35, a quiet room beyond 55. */
const LOUD = 45
const ON_AFTER_MS = 60
const OFF_AFTER_MS = 400
/** Long speech is written in pieces, so that a crash does not lose it. */
const LONGEST_MS = 5_000

export type Span = { readonly fromMs: number; readonly toMs: number }

export class SpeechWatch {
  #fromMs: number | null = null
  #loudUntilMs = Number.NEGATIVE_INFINITY
  #speaking = false

  get speaking(): boolean {
    return this.#speaking
  }

  /** What was spoken and is now over, if this packet ends it. */
  take(atMs: number, audioLevel: number, durationMs: number): Span | null {
    if (audioLevel === NO_LEVEL || audioLevel > LOUD) {
      // A sound too short to be speech does not add up with the next one.
      if (!this.#speaking) this.#fromMs = null
      return this.quiet(atMs)
    }
    const over = this.quiet(atMs)
    this.#fromMs ??= atMs
    this.#loudUntilMs = atMs + durationMs
    this.#speaking ||= this.#loudUntilMs - this.#fromMs >= ON_AFTER_MS
    return over ?? this.#piece()
  }

  /** The same question for a moment without a packet: silence often sends none. */
  quiet(atMs: number): Span | null {
    return this.#speaking && atMs - this.#loudUntilMs >= OFF_AFTER_MS ? this.end() : null
  }

  end(): Span | null {
    const span = this.#speaking && this.#fromMs !== null ? { fromMs: this.#fromMs, toMs: this.#loudUntilMs } : null
    this.#fromMs = null
    this.#speaking = false
    return span
  }

  #piece(): Span | null {
    if (!this.#speaking || this.#fromMs === null || this.#loudUntilMs - this.#fromMs < LONGEST_MS) return null
    const span = { fromMs: this.#fromMs, toMs: this.#loudUntilMs }
    this.#fromMs = this.#loudUntilMs
    return span
  }
}
