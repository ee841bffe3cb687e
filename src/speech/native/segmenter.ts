// Cuts audio into speech segments: half a second of silence ends one, and the model limits its length to 12 seconds.
import type { SpeechSegment } from './engine.ts'
import { joined } from './samples.ts'
import { WINDOW_SECONDS } from './voice-activity.ts'

const SPEAKS = 0.5
/** Lower than `SPEAKS` (hysteresis), so that a fading voice is not cut off. */
const KEEPS_SPEAKING = 0.35
const windows = (seconds: number): number => Math.round(seconds / WINDOW_SECONDS)
const SILENCE = windows(0.5)
/** Kept before the first and after the last voiced window, because the network misses soft beginnings and ends. */
const PADDING = windows(0.25)
/** A segment with less voice has no word. */
const LEAST_VOICE = windows(0.16)
const LEAST_UNFINISHED = windows(1)
const LONGEST = windows(12)
/** Speech without a pause is cut at the quietest point within this much of the end. */
const CUT_WITHIN = windows(4)

type Window = { readonly samples: Float32Array; readonly probability: number }

export class Segmenter {
  /** During silence: the padding of a possible segment. During speech: all windows of the segment. */
  #kept: Window[] = []
  #isSpeaking = false
  #lastVoice = 0
  /** The number of windows since the start. */
  #seen = 0
  readonly #start: number

  /** `start`: the recording time of the first window. */
  constructor(start: number) {
    this.#start = start
  }

  /** Returns the segment that ends with this window, if any. */
  push(samples: Float32Array, probability: number): SpeechSegment | null {
    this.#seen++
    this.#kept.push({ samples, probability })
    if (!this.#isSpeaking) return this.#wait(probability)
    if (probability >= KEEPS_SPEAKING) this.#lastVoice = this.#kept.length
    if (this.#kept.length - this.#lastVoice >= SILENCE) return this.#close()
    return this.#kept.length >= LONGEST ? this.#cut() : null
  }

  /** Ends the current segment. */
  flush(): SpeechSegment | null {
    return this.#isSpeaking ? this.#close() : null
  }

  get isPausing(): boolean {
    return this.#isSpeaking && this.#kept.length > this.#lastVoice
  }

  /** The segment if the current pause turns out to be its end. Returned once for each pause. */
  pausing(): SpeechSegment | null {
    return this.#kept.length - this.#lastVoice === PADDING ? this.ending() : null
  }

  /** The result that `flush` would have now. */
  ending(): SpeechSegment | null {
    return this.#isSpeaking && this.#hasVoice() ? this.#segment(this.#lastVoice + PADDING) : null
  }

  /** The current segment so far; null during silence or in its first second. */
  unfinished(): SpeechSegment | null {
    return this.#isSpeaking && this.#kept.length >= LEAST_UNFINISHED && this.#hasVoice() ? this.#segment(this.#kept.length) : null
  }

  #wait(probability: number): null {
    if (probability >= SPEAKS) {
      this.#isSpeaking = true
      this.#lastVoice = this.#kept.length
    } else if (this.#kept.length > PADDING) this.#kept.shift()
    return null
  }

  #close(): SpeechSegment | null {
    const segment = this.ending()
    this.#isSpeaking = false
    this.#kept = this.#kept.slice(Math.max(this.#lastVoice, this.#kept.length - PADDING))
    return segment
  }

  #cut(): SpeechSegment {
    const at = quietest(this.#kept.slice(-CUT_WITHIN)) + this.#kept.length - CUT_WITHIN
    const segment = this.#segment(at)
    this.#kept = this.#kept.slice(at)
    this.#lastVoice = Math.max(0, this.#lastVoice - at)
    return segment
  }

  #hasVoice(): boolean {
    return this.#kept.filter(({ probability }) => probability >= SPEAKS).length >= LEAST_VOICE
  }

  #segment(length: number): SpeechSegment {
    const taken = this.#kept.slice(0, length)
    return {
      start: this.#start + (this.#seen - this.#kept.length) * WINDOW_SECONDS,
      samples: joined(taken.map(({ samples }) => samples)),
      voice: { windowSeconds: WINDOW_SECONDS, probabilities: Float32Array.from(taken, ({ probability }) => probability) },
    }
  }
}

/** Sums three windows, because a single one may be quiet within a word. */
function quietest(windows: readonly Window[]): number {
  const loudness = windows.map(({ samples }) => samples.reduce((sum, sample) => sum + sample * sample, 0))
  const around = loudness.map(
    (own, at) => own + (loudness[at - 1] ?? Number.POSITIVE_INFINITY) + (loudness[at + 1] ?? Number.POSITIVE_INFINITY),
  )
  return around.indexOf(Math.min(...around))
}
