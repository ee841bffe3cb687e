// Cuts a sound into stretches of speech: half a second of silence ends one, and nobody is let speak for longer than the model can follow.
import type { Stretch } from './engine.ts'
import { WINDOW_SAMPLES, WINDOW_SECONDS } from './voice-activity.ts'

const SPEAKS = 0.5
/** Lower than where it begins, so that a voice that sinks is not cut. */
const GOES_ON = 0.35
const windows = (seconds: number): number => Math.round(seconds / WINDOW_SECONDS)
const SILENCE = windows(0.5)
/** Kept before the first and after the last voice: soft beginnings and ends are no voice yet to the network. */
const PADDING = windows(0.25)
/** Less voice than this is no word. */
const LEAST_VOICE = windows(0.16)
const WORTH_A_LOOK = windows(1)
const LONGEST = windows(12)
/** Whoever does not pause is cut where it is quietest, within this much of the end. */
const CUT_WITHIN = windows(4)

type Window = { readonly samples: Float32Array; readonly probability: number }

export class Segmenter {
  /** While nobody speaks: what may become the beginning. While somebody does: everything since. */
  #kept: Window[] = []
  #isSpeaking = false
  #lastVoice = 0
  /** Windows seen since the start. */
  #seen: number
  readonly #origin: number

  /** `start`: where in the recording the first window stands. */
  constructor(start: number) {
    this.#origin = start
    this.#seen = 0
  }

  /** The stretch that ended with this window, if one did. */
  push(samples: Float32Array, probability: number): Stretch | null {
    this.#seen++
    this.#kept.push({ samples, probability })
    if (!this.#isSpeaking) return this.#wait(probability)
    if (probability >= GOES_ON) this.#lastVoice = this.#kept.length
    if (this.#kept.length - this.#lastVoice >= SILENCE) return this.#close()
    return this.#kept.length >= LONGEST ? this.#cut() : null
  }

  /** Nothing more will come, or not for a while. */
  flush(): Stretch | null {
    return this.#isSpeaking ? this.#close() : null
  }

  get isPausing(): boolean {
    return this.#isSpeaking && this.#kept.length > this.#lastVoice
  }

  /** What will have been said if nothing more comes before the silence is long enough; told once for every pause. */
  pausing(): Stretch | null {
    return this.#kept.length - this.#lastVoice === PADDING ? this.ending() : null
  }

  /** What `flush` would give. */
  ending(): Stretch | null {
    return this.#isSpeaking && this.#hasVoice() ? this.#stretch(this.#lastVoice + PADDING) : null
  }

  /** What has been said since the last silence; null while nobody speaks, or has only just begun. */
  unfinished(): Stretch | null {
    return this.#isSpeaking && this.#kept.length >= WORTH_A_LOOK && this.#hasVoice() ? this.#stretch(this.#kept.length) : null
  }

  #wait(probability: number): null {
    if (probability >= SPEAKS) {
      this.#isSpeaking = true
      this.#lastVoice = this.#kept.length
    } else if (this.#kept.length > PADDING) this.#kept.shift()
    return null
  }

  #close(): Stretch | null {
    const stretch = this.ending()
    this.#isSpeaking = false
    this.#kept = this.#kept.slice(Math.max(this.#lastVoice, this.#kept.length - PADDING))
    return stretch
  }

  #cut(): Stretch {
    const at = quietest(this.#kept.slice(-CUT_WITHIN)) + this.#kept.length - CUT_WITHIN
    const stretch = this.#stretch(at)
    this.#kept = this.#kept.slice(at)
    this.#lastVoice = Math.max(0, this.#lastVoice - at)
    return stretch
  }

  #hasVoice(): boolean {
    return this.#kept.filter(({ probability }) => probability >= SPEAKS).length >= LEAST_VOICE
  }

  #stretch(length: number): Stretch {
    const taken = this.#kept.slice(0, length)
    const samples = new Float32Array(taken.length * WINDOW_SAMPLES)
    for (const [at, window] of taken.entries()) samples.set(window.samples, at * WINDOW_SAMPLES)
    return {
      start: this.#origin + (this.#seen - this.#kept.length) * WINDOW_SECONDS,
      samples,
      voice: { windowSeconds: WINDOW_SECONDS, probabilities: Float32Array.from(taken, ({ probability }) => probability) },
    }
  }
}

/** Three windows together, because a single one is quiet within a word. */
function quietest(windows: readonly Window[]): number {
  const loudness = windows.map(({ samples }) => samples.reduce((sum, sample) => sum + sample * sample, 0))
  const around = loudness.map(
    (own, at) => own + (loudness[at - 1] ?? Number.POSITIVE_INFINITY) + (loudness[at + 1] ?? Number.POSITIVE_INFINITY),
  )
  return around.indexOf(Math.min(...around))
}
