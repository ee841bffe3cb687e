// What one microphone picks up, frame by frame, and the truth about what was said when.
import { PACKET_MS } from '../../webrtc/encode.ts'
import type { Stretch, Utterance } from './types.ts'

type Clip = {
  readonly frames: readonly Int16Array[]
  at: number
  readonly text: string | undefined
  readonly done: (spoken: Stretch) => void
}
type Speech = { -readonly [Key in keyof Utterance]: Utterance[Key] }

export type VoiceOptions = {
  readonly id: string
  readonly name: string
  readonly tone: readonly Int16Array[] | null
  /** Utterances are added as they begin; their end moves while they last. */
  readonly truth: Utterance[]
  /** An utterance with a text has come to its middle or to its end. */
  readonly onText: (utterance: Utterance, part: 'half' | 'whole') => void
}

export class Voice {
  readonly #options: VoiceOptions
  readonly #clips: Clip[] = []
  #isOn: boolean
  #toneAt = 0
  #speech: Speech | null = null

  constructor(options: VoiceOptions, isOn: boolean) {
    this.#options = options
    this.#isOn = isOn
  }

  get isOn(): boolean {
    return this.#isOn
  }

  say(frames: readonly Int16Array[], text: string | undefined): Promise<Stretch> {
    const nowMs = Date.now()
    if (!this.#isOn || frames.length === 0) return Promise.resolve({ fromMs: nowMs, toMs: nowMs })
    return new Promise((done) => this.#clips.push({ frames, at: 0, text, done }))
  }

  on(): void {
    this.#isOn = true
  }

  /** Utterances that have not begun are dropped. */
  off(): void {
    this.#isOn = false
    const nowMs = Date.now()
    const begun = this.#speech ?? { fromMs: nowMs, toMs: nowMs }
    this.#speech = null
    for (const [index, { done }] of this.#clips.splice(0).entries()) done(index === 0 ? stretchOf(begun) : { fromMs: nowMs, toMs: nowMs })
  }

  next(nowMs: number): Int16Array | null {
    return this.#isOn ? (this.#nextOfClip(nowMs) ?? this.#nextOfTone(nowMs)) : null
  }

  #nextOfClip(nowMs: number): Int16Array | null {
    const [clip] = this.#clips
    const frame = clip?.frames[clip.at]
    if (!clip || !frame) return null
    if (clip.at === 0) this.#begin(clip.text, nowMs)
    clip.at++
    if (this.#speech) this.#speech.toMs = nowMs + PACKET_MS
    if (clip.text !== undefined && clip.at === Math.ceil(clip.frames.length / 2)) this.#report('half')
    if (clip.at === clip.frames.length) this.#finish(clip)
    return frame
  }

  #finish({ text, done }: Clip): void {
    this.#clips.shift()
    if (!this.#speech) return
    if (text !== undefined) this.#report('whole')
    done(stretchOf(this.#speech))
    this.#speech = null
  }

  #report(part: 'half' | 'whole'): void {
    if (this.#speech) this.#options.onText({ ...this.#speech }, part)
  }

  #nextOfTone(nowMs: number): Int16Array | null {
    const { tone } = this.#options
    const frame = tone?.[this.#toneAt++ % tone.length]
    if (!frame) return null
    if (!this.#speech) this.#begin(undefined, nowMs)
    if (this.#speech) this.#speech.toMs = nowMs + PACKET_MS
    return frame
  }

  #begin(text: string | undefined, nowMs: number): void {
    const { id, name, truth } = this.#options
    this.#speech = { id, name, fromMs: nowMs, toMs: nowMs, ...(text === undefined ? {} : { text }) }
    truth.push(this.#speech)
  }
}

function stretchOf({ fromMs, toMs }: Stretch): Stretch {
  return { fromMs, toMs }
}
