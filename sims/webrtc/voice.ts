// The audio of one microphone, packet by packet, and the ground truth of its speech.
import { PACKET_MS } from './encode.ts'
import type { Stretch, Utterance } from './types.ts'

type Clip<Packet> = {
  readonly packets: readonly Packet[]
  at: number
  readonly text: string | undefined
  readonly done: (spoken: Stretch) => void
}

/** `Packet` is encoded audio, or samples to be mixed. */
export type VoiceOptions<Packet, Speaker> = {
  readonly speaker: Speaker
  readonly tone: readonly Packet[] | null
  /** Sent while the microphone is on without speech. */
  readonly silence: Packet | null
  /** Utterances are added at their start, and their end moves while they last. */
  readonly truth: Utterance<Speaker>[]
  /** An utterance with a text has reached its middle or its end. */
  readonly onText: (utterance: Utterance<Speaker>, part: 'half' | 'whole') => void
}

export class Voice<Packet, Speaker extends object> {
  readonly #options: VoiceOptions<Packet, Speaker>
  readonly #clips: Clip<Packet>[] = []
  #isOn: boolean
  #toneAt = 0
  #speech: (Utterance<Speaker> & { toMs: number }) | null = null

  constructor(options: VoiceOptions<Packet, Speaker>, isOn: boolean) {
    this.#options = options
    this.#isOn = isOn
  }

  get isOn(): boolean {
    return this.#isOn
  }

  say(packets: readonly Packet[], text: string | undefined): Promise<Stretch> {
    const nowMs = Date.now()
    if (!this.#isOn || packets.length === 0) return Promise.resolve({ fromMs: nowMs, toMs: nowMs })
    return new Promise((done) => this.#clips.push({ packets, at: 0, text, done }))
  }

  on(): void {
    this.#isOn = true
  }

  /** Drops utterances that have not started. */
  off(): void {
    this.#isOn = false
    const nowMs = Date.now()
    const begun = this.#speech ?? { fromMs: nowMs, toMs: nowMs }
    this.#speech = null
    for (const [index, { done }] of this.#clips.splice(0).entries()) done(stretchOf(index === 0 ? begun : { fromMs: nowMs, toMs: nowMs }))
  }

  /** Null while the microphone is off. */
  next(nowMs: number): Packet | null {
    if (!this.#isOn) return null
    return this.#nextOfClip(nowMs) ?? this.#nextOfTone(nowMs) ?? this.#options.silence
  }

  #nextOfClip(nowMs: number): Packet | null {
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

  #finish({ done }: Clip<Packet>): void {
    this.#clips.shift()
    if (!this.#speech) return
    this.#report('whole')
    done(stretchOf(this.#speech))
    this.#speech = null
  }

  #report(part: 'half' | 'whole'): void {
    if (this.#speech?.text !== undefined) this.#options.onText({ ...this.#speech }, part)
  }

  #nextOfTone(nowMs: number): Packet | null {
    const { tone } = this.#options
    const packet = tone?.[this.#toneAt++ % tone.length]
    if (!packet) return null
    if (!this.#speech) this.#begin(undefined, nowMs)
    if (this.#speech) this.#speech.toMs = nowMs + PACKET_MS
    return packet
  }

  #begin(text: string | undefined, nowMs: number): void {
    const { speaker, truth } = this.#options
    this.#speech = { ...speaker, fromMs: nowMs, toMs: nowMs, ...(text === undefined ? {} : { text }) }
    truth.push(this.#speech)
  }
}

function stretchOf({ fromMs, toMs }: Stretch): Stretch {
  return { fromMs, toMs }
}
