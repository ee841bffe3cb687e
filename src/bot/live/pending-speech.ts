// The speech of one speaker that no final result covers yet: the last interim result, and the sound since.
import type { LiveResult } from '../../speech/provider.ts'
import type { Span } from '../capture/source/speech-detector.ts'

const FRAME_MS = 20
/** Sound that is older and has no result was no speech. */
const FINAL_WITHIN_MS = 15_000
/** Less sound than this is a breath. */
const LEAST_FRAMES = 10

export class PendingSpeech {
  #part: LiveResult | null = null
  /** The times of frames that were not silent. */
  #sounds: number[] = []

  onAudio(atMs: number): void {
    this.#sounds.push(atMs)
    if (this.#sounds.length > (2 * FINAL_WITHIN_MS) / FRAME_MS) this.#dropBefore(atMs - FINAL_WITHIN_MS)
  }

  onResult(result: LiveResult): void {
    this.#part = result.final ? null : result
    if (result.final) this.#dropBefore(result.end * 1000)
  }

  /** No more results will come: returns the last interim result, and the span of the sound after it. */
  settle(): { readonly part: LiveResult | null; readonly untranscribed: Span | null } {
    const part = this.#part
    const last = this.#sounds.at(-1) ?? 0
    this.#dropBefore(Math.max(last - FINAL_WITHIN_MS, (part?.end ?? 0) * 1000))
    const sounds = this.#sounds
    const [first] = sounds
    this.#part = null
    this.#sounds = []
    return { part, untranscribed: first === undefined || sounds.length < LEAST_FRAMES ? null : { fromMs: first, toMs: last + FRAME_MS } }
  }

  #dropBefore(ms: number): void {
    this.#sounds = this.#sounds.filter((atMs) => atMs >= ms)
  }
}

/** The time for which a failed provider is not used, and the span of speech in it. */
export class ProviderBackoff {
  readonly #nowMs: () => number
  readonly #onUntranscribed: (span: Span) => void
  #untilMs = Number.NEGATIVE_INFINITY
  #untranscribed: Span | null = null

  constructor(nowMs: () => number, onUntranscribed: (span: Span) => void) {
    this.#nowMs = nowMs
    this.#onUntranscribed = onUntranscribed
  }

  start(forMs: number): void {
    this.#untilMs = this.#nowMs() + forMs
  }

  /** True if the provider is not in use, so this frame is not transcribed. */
  skips(atMs: number, silent: boolean): boolean {
    const isBackingOff = this.#nowMs() < this.#untilMs
    if (isBackingOff && !silent) this.#untranscribed = { fromMs: this.#untranscribed?.fromMs ?? atMs, toMs: atMs + FRAME_MS }
    return isBackingOff
  }

  report(): void {
    if (this.#untranscribed) this.#onUntranscribed(this.#untranscribed)
    this.#untranscribed = null
  }
}
