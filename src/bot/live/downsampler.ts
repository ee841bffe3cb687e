// Converts 48 kHz to 16 kHz with a low-pass filter that continues from frame to frame.

const FACTOR = 3
const TAPS = 48
/** Hertz. Speech has little above it, and anything above 8 kHz would alias. */
const CUTOFF = 7_000
const RATE = 48_000

const FILTER = Float32Array.from({ length: TAPS }, (_, index) => {
  const at = index - (TAPS - 1) / 2
  const wave = (2 * CUTOFF) / RATE
  const sinc = at === 0 ? wave : Math.sin(Math.PI * wave * at) / (Math.PI * at)
  return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (TAPS - 1)))
})

export class Downsampler {
  /** The last samples of the frame before, for the filter of the next frame's first samples. */
  readonly #before = new Int16Array(TAPS - FACTOR)

  /** `frame` has a multiple of three samples. */
  push(frame: Int16Array): Int16Array {
    const sound = new Int16Array(this.#before.length + frame.length)
    sound.set(this.#before)
    sound.set(frame, this.#before.length)
    this.#before.set(sound.subarray(sound.length - this.#before.length))
    return Int16Array.from({ length: frame.length / FACTOR }, (_, index) => filtered(sound, index * FACTOR))
  }
}

function filtered(sound: Int16Array, from: number): number {
  let sum = 0
  for (let tap = 0; tap < TAPS; tap++) sum += (FILTER[tap] ?? 0) * (sound[from + tap] ?? 0)
  return Math.max(-32_768, Math.min(32_767, Math.round(sum)))
}
