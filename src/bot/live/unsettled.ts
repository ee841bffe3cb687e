// What one voice has said that no final words cover yet: the part that was delivered last, and the sound since.
import type { LiveHeard } from '../../speech/provider.ts'

/** Milliseconds of the recording. */
export type Unheard = { readonly fromMs: number; readonly toMs: number }

const FRAME_MS = 20
/** A recogniser settles what is older, or does not take it for speech. */
const SETTLES_WITHIN_MS = 15_000
/** Less sound is a breath. */
const LEAST_FRAMES = 10

export class Unsettled {
  #part: LiveHeard | null = null
  /** The moments of frames that were not silent. */
  #sounds: number[] = []

  sounded(atMs: number): void {
    this.#sounds.push(atMs)
    if (this.#sounds.length > (2 * SETTLES_WITHIN_MS) / FRAME_MS) this.#forgetBefore(atMs - SETTLES_WITHIN_MS)
  }

  heard(utterance: LiveHeard): void {
    this.#part = utterance.final ? null : utterance
    if (utterance.final) this.#forgetBefore(utterance.end * 1000)
  }

  /** Nothing more comes of it: the part counts as it was delivered last, and the sound behind it was not heard. */
  settle(): { readonly part: LiveHeard | null; readonly unheard: Unheard | null } {
    const part = this.#part
    const last = this.#sounds.at(-1) ?? 0
    this.#forgetBefore(Math.max(last - SETTLES_WITHIN_MS, (part?.end ?? 0) * 1000))
    const sounds = this.#sounds
    const [first] = sounds
    this.#part = null
    this.#sounds = []
    return { part, unheard: first === undefined || sounds.length < LEAST_FRAMES ? null : { fromMs: first, toMs: last + FRAME_MS } }
  }

  #forgetBefore(ms: number): void {
    this.#sounds = this.#sounds.filter((atMs) => atMs >= ms)
  }
}

/** The time that a failed provider is left alone, and what is said in it. */
export class Rest {
  readonly #nowMs: () => number
  readonly #onUnheard: (span: Unheard) => void
  #untilMs = Number.NEGATIVE_INFINITY
  #unheard: Unheard | null = null

  constructor(nowMs: () => number, onUnheard: (span: Unheard) => void) {
    this.#nowMs = nowMs
    this.#onUnheard = onUnheard
  }

  begin(forMs: number): void {
    this.#untilMs = this.#nowMs() + forMs
  }

  /** True: the provider rests, so this frame is not recognised. */
  misses(atMs: number, silent: boolean): boolean {
    const isResting = this.#nowMs() < this.#untilMs
    if (isResting && !silent) this.#unheard = { fromMs: this.#unheard?.fromMs ?? atMs, toMs: atMs + FRAME_MS }
    return isResting
  }

  tellUnheard(): void {
    if (this.#unheard) this.#onUnheard(this.#unheard)
    this.#unheard = null
  }
}
