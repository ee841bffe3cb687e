// Cuts live audio into utterances by loudness, for a vendor without a live protocol.
import { SAMPLE_RATE } from './stream-clock.ts'

export type CutUtterance = { readonly pcm: readonly Int16Array[]; readonly at: number; readonly seconds: number }

const FRAME_SAMPLES = SAMPLE_RATE / 50
const SILENCE_FRAMES = 30
/** Frames before the first loud one that belong to the word. */
const LEAD_FRAMES = 10
/** An utterance with fewer loud frames is a click. */
const LEAST_LOUD_FRAMES = 5
const MOST_FRAMES = 1_000
const LEAST_LOUDNESS = 0.006
/** Speech is this much louder than the background noise. */
const ABOVE_NOISE = 3
const NOISE_RISE = 1.005
const LONGEST_JUMP_SECONDS = 0.3

type Frame = { readonly pcm: Int16Array; readonly at: number; readonly isLoud: boolean }

export class UtteranceCutter {
  readonly #onUtterance: (utterance: CutUtterance) => void
  #rest = new Int16Array(0)
  #restAt = 0
  #lead: Frame[] = []
  #frames: Frame[] = []
  #quiet = 0
  #noise = LEAST_LOUDNESS / ABOVE_NOISE

  constructor(onUtterance: (utterance: CutUtterance) => void) {
    this.#onUtterance = onUtterance
  }

  write(pcm: Int16Array, at: number): void {
    const expected = this.#restAt + this.#rest.length / SAMPLE_RATE
    const isJump = Math.abs(at - expected) > LONGEST_JUMP_SECONDS
    if (isJump) this.flush()
    const start = isJump ? at : this.#restAt
    const all = joined(isJump ? new Int16Array(0) : this.#rest, pcm)
    const whole = all.length - (all.length % FRAME_SAMPLES)
    for (let from = 0; from < whole; from += FRAME_SAMPLES) this.#add(all.slice(from, from + FRAME_SAMPLES), start + from / SAMPLE_RATE)
    this.#rest = all.slice(whole)
    this.#restAt = start + whole / SAMPLE_RATE
  }

  /** Ends the current utterance. */
  flush(): void {
    const frames = this.#frames
    ;[this.#frames, this.#lead, this.#quiet] = [[], [], 0]
    const [first] = frames
    if (!first || frames.filter(({ isLoud }) => isLoud).length < LEAST_LOUD_FRAMES) return
    this.#onUtterance({ pcm: frames.map(({ pcm }) => pcm), at: first.at, seconds: (frames.length * FRAME_SAMPLES) / SAMPLE_RATE })
  }

  #add(pcm: Int16Array, at: number): void {
    const frame = { pcm, at, isLoud: this.#isLoud(pcm) }
    if (this.#frames.length === 0 && !frame.isLoud) {
      this.#lead = [...this.#lead, frame].slice(-LEAD_FRAMES)
      return
    }
    this.#frames.push(...this.#lead, frame)
    this.#lead = []
    this.#quiet = frame.isLoud ? 0 : this.#quiet + 1
    if (this.#quiet >= SILENCE_FRAMES || this.#frames.length >= MOST_FRAMES) this.flush()
  }

  /** The noise estimate falls quickly and rises slowly. */
  #isLoud(pcm: Int16Array): boolean {
    const loudness = Math.sqrt(pcm.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / pcm.length)
    const isLoud = loudness > Math.max(LEAST_LOUDNESS, this.#noise * ABOVE_NOISE)
    this.#noise = Math.min(loudness, this.#noise * NOISE_RISE) || this.#noise
    return isLoud
  }
}

function joined(first: Int16Array, second: Int16Array): Int16Array<ArrayBuffer> {
  const all = new Int16Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
