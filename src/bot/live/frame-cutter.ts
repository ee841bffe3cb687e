// Cuts samples into frames of 20 ms, each with the time of its first sample.

export const FRAME_MS = 20
export const SAMPLES_PER_MS = 48
export const FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS

export class FrameCutter {
  readonly #emit: (frame: Int16Array, atMs: number) => void
  #frame = new Int16Array(FRAME_SAMPLES)
  #length = 0
  #atMs = Number.NEGATIVE_INFINITY

  constructor(emit: (frame: Int16Array, atMs: number) => void) {
    this.#emit = emit
  }

  push(samples: Int16Array, atMs: number): void {
    for (let from = 0; from < samples.length; ) {
      // Never earlier than the frame before, also when the clock is corrected.
      if (this.#length === 0) this.#atMs = Math.max(this.#atMs, atMs + from / SAMPLES_PER_MS)
      const piece = samples.subarray(from, from + FRAME_SAMPLES - this.#length)
      this.#frame.set(piece, this.#length)
      this.#length += piece.length
      from += piece.length
      if (this.#length === FRAME_SAMPLES) this.#cut()
    }
  }

  /** The stream ends or jumps: pads a started frame with silence. */
  flush(): void {
    if (this.#length > 0) this.#cut()
  }

  #cut(): void {
    const frame = this.#frame
    this.#frame = new Int16Array(FRAME_SAMPLES)
    this.#length = 0
    this.#emit(frame, this.#atMs)
  }
}
