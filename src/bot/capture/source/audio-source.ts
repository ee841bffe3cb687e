// Audio of one source: times its packets, holds them until their owner is certain, and writes them with their speech.

import { HeldPackets } from '../attribute/held-packets.ts'
import { LONGEST_OPUS_MS, opusMs, privateData } from '../codec.ts'
import { LONGEST_WAIT_MS } from '../time/arrival-times.ts'
import { AudioTiming, type Timed } from '../time/audio-timing.ts'
import { NO_LEVEL, type WireFrame } from '../wire.ts'
import { LONGEST_SEGMENT_MS, type TrackWriter } from '../write/track-writer.ts'
import { SpeechDetector } from './speech-detector.ts'

const LOUDEST = 0
/** Arrival times mean packets of this length. A packet is sent when its last sample is recorded, so a longer one arrives later. */
const USUAL_PACKET_MS = 20

export class AudioSource {
  readonly kind = 'audio'
  readonly #writer: TrackWriter
  readonly #timing = new AudioTiming<WireFrame & { readonly arrivedMs: number }>()
  readonly #held: HeldPackets<Timed<WireFrame>>
  readonly #isNamed: boolean
  readonly #speech = new SpeechDetector()
  #lastMs = Number.NEGATIVE_INFINITY

  /** `ownerDelayMs`: how much later than the audio the driver may learn its owner. */
  constructor(writer: TrackWriter, ownerDelayMs: number) {
    this.#writer = writer
    this.#isNamed = ownerDelayMs > 0
    this.#held = new HeldPackets(ownerDelayMs)
  }

  get speaking(): boolean {
    return this.#speech.speaking
  }

  get losses() {
    return { dropped: 0, repeated: this.#timing.discarded }
  }

  push(frame: WireFrame, arrivedMs: number): void {
    for (const packet of this.#timing.push({ ...frame, arrivedMs: arrivedMs - laterMs(frame) })) this.#hold(packet)
  }

  /** A packet of a lane, which the lane has ordered and timed. */
  pushTimed(frame: WireFrame, atMs: number): void {
    // A track becomes a lane with its first CSRC. The packets before that are older.
    for (const packet of this.#timing.restart()) this.#hold(packet)
    // A file has whole milliseconds.
    this.#hold({ ...frame, atMs: Math.max(atMs, this.#lastMs + 1) })
  }

  /** The owner changed: writes the packets from before. The others wait for the new owner. */
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
    this.#writer.speech(this.#speech.endIfSilent(nowMs - LONGEST_WAIT_MS))
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
    this.#writer.speech(this.#speech.push(atMs, this.#levelOf(packet), durationMs))
  }

  /** A mixer without audio levels names only participants who speak. */
  #levelOf({ audioLevel }: WireFrame): number {
    return this.#isNamed && audioLevel === NO_LEVEL ? LOUDEST : audioLevel
  }

  #writeAudio(packet: Timed<WireFrame>, durationMs: number): void {
    const { atMs, payload, codec } = packet
    if (this.#writer.segment && this.#writer.segment.ageMs(atMs) >= LONGEST_SEGMENT_MS) this.#writer.close(atMs)
    this.#writer.write(packet, { atMs, durationMs, key: true, payload }, privateData(codec, payload))
  }
}

function laterMs({ payload }: WireFrame): number {
  const packetMs = opusMs(payload)
  return packetMs > LONGEST_OPUS_MS ? 0 : Math.max(0, packetMs - USUAL_PACKET_MS)
}
