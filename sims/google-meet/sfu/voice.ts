// The packets of one person's microphone, and the ground truth of its speech.
import { PACKET_MS, SILENCE, type SoundPacket } from '../../webrtc/encode.ts'
import type { Stretch } from '../../webrtc/types.ts'
import type { Utterance } from './types.ts'

/** With DTX, quieter audio is not sent. */
const DTX_LEVEL = 75

/** With the previous packet for redundancy, or null if none was sent. */
export type VoicePacket = SoundPacket & { readonly earlier: Buffer | null }

type OpenUtterance = { -readonly [Key in keyof Utterance]: Utterance[Key] } & {
  lanes: { readonly lane: number; readonly fromMs: number }[]
}
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
  #open: OpenUtterance | null = null
  #earlier: Buffer | null = null

  /** Appends to `truth` while it speaks. */
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

  /** Drops all queued speech. */
  off(nowMs: number): void {
    this.#isOn = false
    this.#earlier = null
    const said = this.#open ?? { fromMs: nowMs, toMs: nowMs }
    this.#open = null
    for (const [index, { done }] of this.#clips.splice(0).entries()) done(stretchOf(index === 0 ? said : { fromMs: nowMs, toMs: nowMs }))
  }

  /** The packet of this moment, or null if none is sent. */
  next(nowMs: number): VoicePacket | null {
    if (!this.#isOn) return null
    const packet = this.#spoken(nowMs) ?? this.#toned(nowMs) ?? SILENCE
    const isSent = !this.#options.dtx || packet.level < DTX_LEVEL
    const earlier = this.#earlier
    this.#earlier = isSent ? packet.opus : null
    return isSent ? { ...packet, earlier } : null
  }

  /** Current speech goes to this lane. */
  setLane(lane: number, nowMs: number): void {
    if (this.#open && this.#open.lanes.at(-1)?.lane !== lane) this.#open.lanes.push({ lane, fromMs: nowMs })
  }

  #spoken(nowMs: number): SoundPacket | null {
    const [clip] = this.#clips
    const packet = clip?.sound[clip.at]
    if (!clip || !packet) return null
    if (clip.at === 0) this.#track(clip.text, nowMs)
    if (this.#open) this.#open.toMs = nowMs + PACKET_MS
    clip.at++
    if (clip.at === clip.sound.length) this.#finish(clip)
    return packet
  }

  #finish({ done }: Clip): void {
    const said = this.#open
    this.#clips.shift()
    if (!said) return
    // The lane of the last packet is known only after this call.
    queueMicrotask(() => {
      if (this.#open === said) this.#open = null
      done(stretchOf(said))
    })
  }

  #toned(nowMs: number): SoundPacket | null {
    const { tone } = this.#options
    const packet = tone?.[this.#toneAt % tone.length]
    if (!packet) return null
    this.#toneAt++
    if (!this.#open) this.#track(undefined, nowMs)
    if (this.#open) this.#open.toMs = nowMs + PACKET_MS
    return packet
  }

  #track(text: string | undefined, nowMs: number): void {
    const { deviceId, name } = this.#options
    this.#open = { deviceId, name, fromMs: nowMs, toMs: nowMs, lanes: [], ...(text === undefined ? {} : { text }) }
    this.#truth.push(this.#open)
  }
}

function stretchOf({ fromMs, toMs }: Stretch): Stretch {
  return { fromMs, toMs }
}
