// Detects speech of one source from the audio level in each packet, without decoding.
import { NO_LEVEL } from '../wire.ts'

/** -dBov. Speech is around 20 to 35, a quiet room above 55. */
const LOUD = 45
const ON_AFTER_MS = 60
const OFF_AFTER_MS = 400
/** Long speech is reported in pieces, so that a crash loses only the last one. */
const LONGEST_MS = 5_000

/** In session time. */
export type Span = { readonly fromMs: number; readonly toMs: number }

export class SpeechDetector {
  #fromMs: number | null = null
  #loudUntilMs = Number.NEGATIVE_INFINITY
  #speaking = false

  /** Returns the speech that this packet ends, if any. */
  push(atMs: number, audioLevel: number, durationMs: number): Span | null {
    if (audioLevel === NO_LEVEL || audioLevel > LOUD) {
      // A sound too short to be speech does not add to the next one.
      if (!this.#speaking) this.#fromMs = null
      return this.endIfSilent(atMs)
    }
    const over = this.endIfSilent(atMs)
    const isFirst = this.#fromMs === null
    this.#fromMs ??= atMs
    this.#loudUntilMs = atMs + durationMs
    // A click makes a whole packet loud, however long the packet is.
    this.#speaking ||= !isFirst && this.#loudUntilMs - this.#fromMs >= ON_AFTER_MS
    return over ?? this.#piece()
  }

  /** The same for a moment without a packet: many senders send nothing in silence. */
  endIfSilent(atMs: number): Span | null {
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
