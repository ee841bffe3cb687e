// One source: its packets in order, its losses as silence, its sound in frames of 20 ms.
import { TrackClock } from '../capture/clock.ts'
import { OPUS_RATE, opusMs } from '../capture/codec.ts'
import { standingBySequence, standingByTimestamp } from '../capture/late.ts'
import { ticksBetween } from '../capture/rtp.ts'
import type { WireFrame } from '../capture/wire.ts'
import { Cutter, FRAME_MS, SAMPLES_PER_MS } from './cutter.ts'
import { createDecoder, type Decoder } from './opus-decoder.ts'
import { isOpusPacket } from './opus-packet.ts'

/** A longer gap is silence that the sender did not send, and not a loss. */
const LONGEST_FILLED = 200 * SAMPLES_PER_MS
/** A decoder is ready in a few milliseconds; these are seconds, also of the shortest packets. */
const MOST_WAITING = 1_000

type Packet = { readonly frame: WireFrame; readonly arrivedMs: number }

export type EarDeps = {
  readonly onFrame: (pcm: Int16Array, atMs: number) => void
  readonly onUndecodable: () => void
  readonly onLate: () => void
  readonly onProblem: (message: string) => void
}

export class Ear {
  lastPacketMs = Number.NEGATIVE_INFINITY
  readonly #deps: EarDeps
  readonly #clock = new TrackClock(OPUS_RATE)
  readonly #cutter: Cutter
  readonly #decoder: Decoder
  #waiting: Packet[] | null = []
  #last: WireFrame | null = null
  /** Where the sound played so far ends, in RTP time. */
  #end: { readonly ssrc: number; readonly rtp: number } | null = null
  #packetMs = FRAME_MS
  #isForgotten = false

  constructor(deps: EarDeps) {
    this.#deps = deps
    this.#cutter = new Cutter(deps.onFrame)
    this.#decoder = createDecoder()
    this.#decoder.ready.then(({ why }) => {
      if (why !== null) deps.onProblem(`No Opus decoder could be made: ${why}`)
      this.#begin()
    })
  }

  take(frame: WireFrame, arrivedMs: number): void {
    this.lastPacketMs = arrivedMs
    if (this.#last && isLateOrDuplicate(frame, this.#last)) {
      this.#deps.onLate()
      return
    }
    this.#last = frame
    if (!this.#waiting) this.#play(frame, arrivedMs)
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push({ frame, arrivedMs })
    else this.#deps.onUndecodable()
  }

  forget(): void {
    this.#isForgotten = true
    this.#cutter.flush()
    this.#decoder.free()
  }

  #begin(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    if (this.#isForgotten) return
    for (const { frame, arrivedMs } of waiting) this.#play(frame, arrivedMs)
  }

  #play(frame: WireFrame, arrivedMs: number): void {
    const atMs = this.#clock.at(frame, arrivedMs)
    const sound = this.#decoder.decode(frame.payload) ?? this.#concealed(frame)
    this.#packetMs = sound.length / SAMPLES_PER_MS
    const lost = this.#lostBefore(frame)
    if (lost === null) this.#cutter.flush()
    else if (lost > 0) this.#cutter.push(new Int16Array(lost), atMs - lost / SAMPLES_PER_MS)
    this.#cutter.push(sound, atMs)
    this.#end = { ssrc: frame.ssrc, rtp: frame.rtpTimestamp + sound.length }
  }

  /** As long as the packet says, if it can be believed, or else as long as the one before. */
  #concealed({ payload }: WireFrame): Int16Array {
    this.#deps.onUndecodable()
    return new Int16Array((isOpusPacket(payload) ? opusMs(payload) : this.#packetMs) * SAMPLES_PER_MS)
  }

  /** Samples that never came, or null where this packet does not go on from the one before. */
  #lostBefore({ ssrc, rtpTimestamp }: WireFrame): number | null {
    if (!this.#end || this.#end.ssrc !== ssrc) return null
    const lost = ticksBetween(this.#end.rtp, rtpTimestamp)
    return lost >= 0 && lost <= LONGEST_FILLED ? lost : null
  }
}

/** A late packet is not waited for: live audio would wait at every loss. */
function isLateOrDuplicate({ ssrc, sequence, rtpTimestamp }: WireFrame, newest: WireFrame): boolean {
  const standing =
    sequence !== null && newest.sequence !== null
      ? standingBySequence({ ssrc, sequence }, { ssrc: newest.ssrc, sequence: newest.sequence })
      : standingByTimestamp({ ssrc, rtpTimestamp }, newest, OPUS_RATE)
  return standing === 'late' || standing === 'same'
}
