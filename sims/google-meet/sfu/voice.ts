// What one person's microphone sends, packet by packet, and the truth about what was said.
import { PACKET_MS, SILENCE_LEVEL, type SoundPacket } from '../../webrtc/encode.ts'
import type { Stretch } from '../../webrtc/types.ts'
import type { Utterance } from './words.ts'

/** An Opus frame of nothing, as encoders send it. */
const SILENCE: SoundPacket = { opus: Buffer.from([0xf8, 0xff, 0xfe]), level: SILENCE_LEVEL }
/** Quieter than this is not sent by whoever saves packets. */
const DTX_LEVEL = 75

/** With the one before it, for redundancy: null, if nothing was sent then. */
export type VoicePacket = SoundPacket & { readonly earlier: Buffer | null }

type Told = { -readonly [Key in keyof Utterance]: Utterance[Key] } & { lanes: { readonly lane: number; readonly fromMs: number }[] }
type Clip = { readonly sound: readonly SoundPacket[]; at: number; readonly text: string | undefined; readonly done: (it: Stretch) => void }
type VoiceOptions = {
  readonly deviceId: string
  readonly name: string
  readonly dtx: boolean
  readonly tone: readonly SoundPacket[] | null
}

export class Voice {
  readonly #options: VoiceOptions
  readonly #truth: Utterance[]
  readonly #clips: Clip[] = []
  #isOn: boolean
  #toneAt = 0
  #telling: Told | null = null
  #earlier: Buffer | null = null

  /** What is said is added to `truth` as it is said. */
  constructor(options: VoiceOptions, truth: Utterance[], isOn: boolean) {
    this.#options = options
    this.#truth = truth
    this.#isOn = isOn
  }

  say(sound: readonly SoundPacket[], text: string | undefined, nowMs: number): Promise<Stretch> {
    if (!this.#isOn || sound.length === 0) return Promise.resolve({ fromMs: nowMs, toMs: nowMs })
    return new Promise((done) => this.#clips.push({ sound, at: 0, text, done }))
  }

  on(): void {
    this.#isOn = true
  }

  /** What was not said yet is not said any more. */
  off(nowMs: number): void {
    this.#isOn = false
    this.#earlier = null
    const said = this.#telling ?? { fromMs: nowMs, toMs: nowMs }
    this.#telling = null
    for (const [index, { done }] of this.#clips.splice(0).entries()) done(stretchOf(index === 0 ? said : { fromMs: nowMs, toMs: nowMs }))
  }

  /** The packet of this moment; null where none is sent. */
  next(nowMs: number): VoicePacket | null {
    if (!this.#isOn) return null
    const packet = this.#spoken(nowMs) ?? this.#toned(nowMs) ?? SILENCE
    const isSent = !this.#options.dtx || packet.level < DTX_LEVEL
    const earlier = this.#earlier
    this.#earlier = isSent ? packet.opus : null
    return isSent ? { ...packet, earlier } : null
  }

  /** What is said just now is heard in this lane. */
  heardIn(lane: number, nowMs: number): void {
    if (this.#telling && this.#telling.lanes.at(-1)?.lane !== lane) this.#telling.lanes.push({ lane, fromMs: nowMs })
  }

  #spoken(nowMs: number): SoundPacket | null {
    const [clip] = this.#clips
    const packet = clip?.sound[clip.at]
    if (!clip || !packet) return null
    if (clip.at === 0) this.#tell(clip.text, nowMs)
    if (this.#telling) this.#telling.toMs = nowMs + PACKET_MS
    clip.at++
    if (clip.at === clip.sound.length) this.#finish(clip)
    return packet
  }

  #finish({ done }: Clip): void {
    const said = this.#telling
    this.#clips.shift()
    if (!said) return
    // The lane of the last packet is known only after it was asked for.
    queueMicrotask(() => {
      if (this.#telling === said) this.#telling = null
      done(stretchOf(said))
    })
  }

  #toned(nowMs: number): SoundPacket | null {
    const { tone } = this.#options
    const packet = tone?.[this.#toneAt % tone.length]
    if (!packet) return null
    this.#toneAt++
    if (!this.#telling) this.#tell(undefined, nowMs)
    if (this.#telling) this.#telling.toMs = nowMs + PACKET_MS
    return packet
  }

  #tell(text: string | undefined, nowMs: number): void {
    const { deviceId, name } = this.#options
    this.#telling = { deviceId, name, fromMs: nowMs, toMs: nowMs, lanes: [], ...(text === undefined ? {} : { text }) }
    this.#truth.push(this.#telling)
  }
}

function stretchOf({ fromMs, toMs }: Stretch): Stretch {
  return { fromMs, toMs }
}
