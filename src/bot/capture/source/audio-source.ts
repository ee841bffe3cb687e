// Audio of one source: holds its packets until their owner is certain, and writes them with their speech.

import { HeldPackets } from '../attribute/held-packets.ts'
import { opusMs, privateData } from '../codec.ts'
import { LONGEST_WAIT_MS } from '../time/arrival-times.ts'
import type { Timed } from '../time/source-timing.ts'
import { NO_LEVEL } from '../wire.ts'
import { LONGEST_SEGMENT_MS, type TrackWriter } from '../write/track-writer.ts'
import { SpeechDetector } from './speech-detector.ts'

const LOUDEST = 0

export class AudioSource {
  readonly kind = 'audio'
  readonly #writer: TrackWriter
  readonly #held: HeldPackets<Timed>
  readonly #isNamed: boolean
  readonly #speech = new SpeechDetector()
  #lastMs = Number.NEGATIVE_INFINITY

  /** `ownerDelayMs`: how much later than the audio the driver may learn its owner. */
  constructor(writer: TrackWriter, ownerDelayMs: number) {
    this.#writer = writer
    this.#isNamed = ownerDelayMs > 0
    this.#held = new HeldPackets(ownerDelayMs)
  }

  write(packet: Timed): void {
    this.#hold(packet)
    for (const next of this.#held.release(this.#lastMs)) this.#write(next)
  }

  /** The owner changed: writes the packets from before. The others wait for the new owner. */
  split(packets: readonly Timed[], sinceMs: number): void {
    for (const packet of packets) this.#hold(packet)
    for (const packet of this.#held.before(sinceMs)) this.#write(packet)
    this.#writer.speech(this.#speech.end())
  }

  flush(): void {
    for (const packet of this.#held.flush()) this.#write(packet)
    this.#writer.speech(this.#speech.end())
  }

  tick(nowMs: number): void {
    for (const packet of this.#held.release(nowMs)) this.#write(packet)
    this.#writer.speech(this.#speech.endIfSilent(nowMs - LONGEST_WAIT_MS))
  }

  #hold(packet: Timed): void {
    // A file has whole milliseconds. A track that becomes a lane has another clock, which may be a little behind.
    this.#lastMs = Math.max(packet.atMs, this.#lastMs + 1)
    this.#held.add({ ...packet, atMs: this.#lastMs })
  }

  #write(packet: Timed): void {
    const { atMs, payload, audioLevel, isOnlySpeech } = packet
    if (!this.#writer.records(atMs)) return
    const durationMs = opusMs(payload)
    if (isOnlySpeech) this.#writer.announce(packet)
    else this.#writeAudio(packet, durationMs)
    // A mixer without audio levels names only participants who speak.
    const level = this.#isNamed && audioLevel === NO_LEVEL ? LOUDEST : audioLevel
    this.#writer.speech(this.#speech.push(atMs, level, durationMs))
  }

  #writeAudio(packet: Timed, durationMs: number): void {
    const { atMs, payload, codec } = packet
    if (this.#writer.segment && this.#writer.segment.ageMs(atMs) >= LONGEST_SEGMENT_MS) this.#writer.close(atMs)
    this.#writer.write(packet, { atMs, durationMs, key: true, payload }, privateData(codec, payload))
  }
}
