// One person's sound on its way: what waits to be sent, and what was sent but not yet heard and may have to be sent again.
import { SAMPLE_RATE } from './live-clock.ts'

export type Chunk = { readonly pcm: Int16Array; readonly at: number }

/** However much is written at once, it is sent and let go in portions of this. */
const CHUNK_SAMPLES = SAMPLE_RATE / 10
/** A longer hole than this is a silence. */
const SILENCE_SECONDS = 0.3

export class LiveSound {
  readonly #mostSamples: number
  #waiting: Chunk[] = []
  #unheard: Chunk[] = []
  #samples = 0
  #endedAt: number | null = null

  /** The oldest sound is let go where more than `keptSeconds` would have to be kept. */
  constructor(keptSeconds: number) {
    this.#mostSamples = keptSeconds * SAMPLE_RATE
  }

  write({ pcm, at }: Chunk): void {
    for (let from = 0; from < pcm.length; from += CHUNK_SAMPLES)
      this.#waiting.push({ pcm: pcm.subarray(from, from + CHUNK_SAMPLES), at: at + from / SAMPLE_RATE })
    this.#samples += pcm.length
    while (this.#samples > this.#mostSamples) {
      const oldest = this.#unheard.shift() ?? this.#waiting.shift()
      if (!oldest) return
      this.#samples -= oldest.pcm.length
    }
  }

  get waitingSeconds(): number {
    return this.#waiting.reduce((sum, { pcm }) => sum + pcm.length, 0) / SAMPLE_RATE
  }

  /** Chunks without a silence between them, at most about `seconds`; `afterSilence` says what lies before the first. */
  take(seconds: number): { readonly chunks: readonly Chunk[]; readonly afterSilence: boolean } {
    const chunks: Chunk[] = []
    let afterSilence = false
    for (let left = seconds; left > 0; ) {
      const [next] = this.#waiting
      if (!next) break
      const isJump = this.#endedAt !== null && Math.abs(next.at - this.#endedAt) > SILENCE_SECONDS
      if (isJump && chunks.length > 0) break
      afterSilence ||= isJump
      this.#waiting.shift()
      chunks.push(next)
      left -= next.pcm.length / SAMPLE_RATE
      this.#endedAt = endOf(next)
    }
    this.#unheard.push(...chunks)
    return { chunks, afterSilence }
  }

  /** All up to this moment has been heard. */
  heard(until: number): void {
    const isHeard = (chunk: Chunk) => endOf(chunk) <= until
    for (const { pcm } of this.#unheard.filter(isHeard)) this.#samples -= pcm.length
    this.#unheard = this.#unheard.filter((chunk) => !isHeard(chunk))
  }

  /** What was sent over a lost connection and not heard waits again. */
  rewind(): void {
    this.#waiting = [...this.#unheard, ...this.#waiting]
    this.#unheard = []
    this.#endedAt = null
  }

  /** A connection that ended well has heard everything that it was sent. */
  settle(): void {
    this.heard(Number.POSITIVE_INFINITY)
    this.#endedAt = null
  }
}

function endOf({ pcm, at }: Chunk): number {
  return at + pcm.length / SAMPLE_RATE
}
