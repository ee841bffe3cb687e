// What one person's microphone sends, packet by packet, and the truth about what was said when.
import { PACKET_MS, SILENCE_LEVEL, type SoundPacket } from '../../webrtc/encode.ts'
import type { Stretch, Utterance } from './types.ts'

/** An Opus frame of silence, as encoders send it. */
const SILENCE: SoundPacket = { opus: Buffer.from([0xf8, 0xff, 0xfe]), level: SILENCE_LEVEL }

type Clip = {
  readonly packets: readonly SoundPacket[]
  at: number
  readonly text: string | undefined
  readonly done: (spoken: Stretch) => void
}
type Speech = { -readonly [Key in keyof Utterance]: Utterance[Key] }

export type VoiceOptions = {
  readonly userId: number
  readonly name: string
  readonly tone: readonly SoundPacket[] | null
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

  say(packets: readonly SoundPacket[], text: string | undefined): Promise<Stretch> {
    const nowMs = Date.now()
    if (!this.#isOn || packets.length === 0) return Promise.resolve({ fromMs: nowMs, toMs: nowMs })
    return new Promise((done) => this.#clips.push({ packets, at: 0, text, done }))
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
    for (const [index, { done }] of this.#clips.splice(0).entries()) done(stretchOf(index === 0 ? begun : { fromMs: nowMs, toMs: nowMs }))
  }

  /** Null while the microphone is off. */
  next(nowMs: number): SoundPacket | null {
    if (!this.#isOn) return null
    return this.#nextOfClip(nowMs) ?? this.#nextOfTone(nowMs) ?? SILENCE
  }

  #nextOfClip(nowMs: number): SoundPacket | null {
    const [clip] = this.#clips
    const packet = clip?.packets[clip.at]
    if (!clip || !packet) return null
    if (clip.at === 0) this.#begin(clip.text, nowMs)
    clip.at++
    if (this.#speech) this.#speech.toMs = nowMs + PACKET_MS
    if (clip.at === Math.ceil(clip.packets.length / 2)) this.#report('half')
    if (clip.at === clip.packets.length) this.#finish(clip)
    return packet
  }

  #finish({ done }: Clip): void {
    this.#clips.shift()
    if (!this.#speech) return
    this.#report('whole')
    done(stretchOf(this.#speech))
    this.#speech = null
  }

  #report(part: 'half' | 'whole'): void {
    if (this.#speech?.text !== undefined) this.#options.onText({ ...this.#speech }, part)
  }

  #nextOfTone(nowMs: number): SoundPacket | null {
    const { tone } = this.#options
    const packet = tone?.[this.#toneAt++ % tone.length]
    if (!packet) return null
    if (!this.#speech) this.#begin(undefined, nowMs)
    if (this.#speech) this.#speech.toMs = nowMs + PACKET_MS
    return packet
  }

  #begin(text: string | undefined, nowMs: number): void {
    const { userId, name, truth } = this.#options
    this.#speech = { userId, name, fromMs: nowMs, toMs: nowMs, ...(text === undefined ? {} : { text }) }
    truth.push(this.#speech)
  }
}

function stretchOf({ fromMs, toMs }: Stretch): Stretch {
  return { fromMs, toMs }
}
