// One participant's audio on its way to a vendor: waiting to be sent, or sent without a final result and perhaps to be sent again.
import { SAMPLE_RATE } from './stream-clock.ts'

export type Chunk = { readonly pcm: Int16Array; readonly at: number }

/** Audio is sent and dropped in chunks of this size. */
const CHUNK_SAMPLES = SAMPLE_RATE / 10
/** A longer hole is a silence. */
const SILENCE_SECONDS = 0.3

export class SendBuffer {
  readonly #mostSamples: number
  #waiting: Chunk[] = []
  #unacknowledged: Chunk[] = []
  #samples = 0
  #endedAt: number | null = null

  /** Drops the oldest audio beyond `keptSeconds`. */
  constructor(keptSeconds: number) {
    this.#mostSamples = keptSeconds * SAMPLE_RATE
  }

  write({ pcm, at }: Chunk): void {
    for (let from = 0; from < pcm.length; from += CHUNK_SAMPLES)
      this.#waiting.push({ pcm: pcm.subarray(from, from + CHUNK_SAMPLES), at: at + from / SAMPLE_RATE })
    this.#samples += pcm.length
    while (this.#samples > this.#mostSamples) {
      const oldest = this.#unacknowledged.shift() ?? this.#waiting.shift()
      if (!oldest) return
      this.#samples -= oldest.pcm.length
    }
  }

  get waitingSeconds(): number {
    return this.#waiting.reduce((sum, { pcm }) => sum + pcm.length, 0) / SAMPLE_RATE
  }

  /** Returns contiguous chunks of about `seconds` at most. `afterSilence`: there is a silence before the first chunk. */
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
    this.#unacknowledged.push(...chunks)
    return { chunks, afterSilence }
  }

  /** The vendor sent final results up to this time. */
  acknowledge(until: number): void {
    const isAcknowledged = (chunk: Chunk) => endOf(chunk) <= until
    for (const { pcm } of this.#unacknowledged.filter(isAcknowledged)) this.#samples -= pcm.length
    this.#unacknowledged = this.#unacknowledged.filter((chunk) => !isAcknowledged(chunk))
  }

  /** After a lost connection, sends unacknowledged audio again. */
  rewind(): void {
    this.#waiting = [...this.#unacknowledged, ...this.#waiting]
    this.#unacknowledged = []
    this.#endedAt = null
  }

  /** After a normal close, all sent audio is acknowledged. */
  acknowledgeAll(): void {
    this.acknowledge(Number.POSITIVE_INFINITY)
    this.#endedAt = null
  }
}

function endOf({ pcm, at }: Chunk): number {
  return at + pcm.length / SAMPLE_RATE
}
