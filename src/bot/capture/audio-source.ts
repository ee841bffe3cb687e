// Audio of one source: timed once, held until its owner is settled, written with its speech.
import { FORESIGHT_MS } from './arrivals.ts'
import { AudioTiming, type Timed } from './audio-timing.ts'
import { opusMs, privateData } from './codec.ts'
import { HeldPackets } from './held-packets.ts'
import { SpeechWatch } from './speech.ts'
import { LONGEST_SEGMENT_MS, type TrackWriter } from './track-writer.ts'
import { NO_LEVEL, type WireFrame } from './wire.ts'

const LOUDEST = 0

export class AudioSource {
  readonly kind = 'audio'
  readonly #writer: TrackWriter
  readonly #timing = new AudioTiming<WireFrame & { readonly arrivedMs: number }>()
  readonly #held: HeldPackets<Timed<WireFrame>>
  readonly #delayMs: number
  readonly #isNamed: boolean
  readonly #speech = new SpeechWatch()
  #lastMs = Number.NEGATIVE_INFINITY

  /** `ownerDelayMs`: the driver may learn of an owner so much later than their audio comes. */
  constructor(writer: TrackWriter, ownerDelayMs: number) {
    this.#writer = writer
    this.#isNamed = ownerDelayMs > 0
    this.#held = new HeldPackets(ownerDelayMs)
    this.#delayMs = Math.max(FORESIGHT_MS, ownerDelayMs)
  }

  get speaking(): boolean {
    return this.#speech.speaking
  }

  get losses() {
    return { dropped: 0, repeated: this.#timing.discarded }
  }

  take(frame: WireFrame, arrivedMs: number): void {
    for (const packet of this.#timing.push({ ...frame, arrivedMs })) this.#hold(packet)
  }

  /** A packet of a lane, which has been ordered and timed with the lane. */
  takeTimed(frame: WireFrame, atMs: number): void {
    // A track turns out to be a lane with its first CSRC; what came before is older.
    for (const packet of this.#timing.restart()) this.#hold(packet)
    // A file has whole milliseconds.
    this.#hold({ ...frame, atMs: Math.max(atMs, this.#lastMs + 1) })
  }

  /** The owner changed: packets from before are written, the others wait for the new owner. */
  split(sinceMs: number): void {
    for (const packet of this.#timing.flush()) this.#held.add(packet)
    for (const packet of this.#held.before(sinceMs)) this.#write(packet)
    this.#writer.speech(this.#speech.end())
  }

  flush(): void {
    for (const packet of this.#timing.restart()) this.#hold(packet)
    for (const packet of this.#held.flush()) this.#write(packet)
    this.#writer.speech(this.#speech.end())
  }

  tick(nowMs: number): void {
    for (const packet of this.#timing.release(nowMs)) this.#hold(packet)
    for (const packet of this.#held.release(nowMs)) this.#write(packet)
    this.#writer.speech(this.#speech.quiet(nowMs - this.#delayMs))
  }

  #hold(packet: Timed<WireFrame>): void {
    this.#lastMs = packet.atMs
    this.#held.add(packet)
    for (const next of this.#held.release(packet.atMs)) this.#write(next)
  }

  #write(packet: Timed<WireFrame>): void {
    const { atMs, payload, mixes } = packet
    if (!this.#writer.records(atMs)) return
    const durationMs = opusMs(payload)
    if (mixes.length > 0) this.#writer.announce(packet)
    else this.#writeAudio(packet, durationMs)
    this.#writer.speech(this.#speech.take(atMs, this.#levelOf(packet), durationMs))
  }

  /** A mixer that tells no levels names only those who speak. */
  #levelOf({ audioLevel }: WireFrame): number {
    return this.#isNamed && audioLevel === NO_LEVEL ? LOUDEST : audioLevel
  }

  #writeAudio(packet: Timed<WireFrame>, durationMs: number): void {
    const { atMs, payload, codec } = packet
    if (this.#writer.segment && this.#writer.segment.ageMs(atMs) >= LONGEST_SEGMENT_MS) this.#writer.close(atMs)
    this.#writer.write(packet, { atMs, durationMs, key: true, payload }, privateData(codec, payload))
  }
}
