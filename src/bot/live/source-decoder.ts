// Decodes one source into frames of 20 ms. Late packets are dropped and lost ones become silence.
import { OpusPacketDecoder } from '../../kit/opus-decoder.ts'
import { OPUS_RATE, opusMs } from '../capture/codec.ts'
import { positionBySequence, positionByTimestamp, ticksBetween } from '../capture/time/stream-position.ts'
import { TrackClock } from '../capture/time/track-clock.ts'
import type { WireFrame } from '../capture/wire.ts'
import { FRAME_MS, FrameCutter, SAMPLES_PER_MS } from './frame-cutter.ts'
import { isOpusPacket } from './opus-packet.ts'

/** A longer gap is not a loss: senders send nothing in silence. */
const LONGEST_FILLED = 200 * SAMPLES_PER_MS
/** A decoder is ready within milliseconds. This many packets last seconds, also the shortest. */
const MOST_WAITING = 1_000

const FULL_SCALE = 32_768

type Packet = { readonly frame: WireFrame; readonly arrivedMs: number }

export type SourceDecoderDeps = {
  readonly onFrame: (pcm: Int16Array, atMs: number) => void
  readonly onUndecodable: () => void
  readonly onLate: () => void
  readonly onProblem: (message: string) => void
}

export class SourceDecoder {
  lastPacketMs = Number.NEGATIVE_INFINITY
  readonly #deps: SourceDecoderDeps
  readonly #clock = new TrackClock(OPUS_RATE)
  readonly #cutter: FrameCutter
  readonly #decoder = new OpusPacketDecoder()
  #waiting: Packet[] | null = []
  #last: WireFrame | null = null
  /** End of the decoded sound, in RTP time. */
  #end: { readonly ssrc: number; readonly rtp: number } | null = null
  #packetMs = FRAME_MS
  #isClosed = false

  constructor(deps: SourceDecoderDeps) {
    this.#deps = deps
    this.#cutter = new FrameCutter(deps.onFrame)
    this.#decoder
      .load()
      .catch((error: unknown) => deps.onProblem(`The Opus decoder could not be loaded: ${error}`))
      .then(() => this.#onReady())
  }

  push(frame: WireFrame, arrivedMs: number): void {
    this.lastPacketMs = arrivedMs
    if (this.#last && isLateOrDuplicate(frame, this.#last)) {
      this.#deps.onLate()
      return
    }
    this.#last = frame
    if (!this.#waiting) this.#decode(frame, arrivedMs)
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push({ frame, arrivedMs })
    else this.#deps.onUndecodable()
  }

  close(): void {
    this.#isClosed = true
    this.#cutter.flush()
    this.#decoder.free()
  }

  #onReady(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    if (this.#isClosed) return
    for (const { frame, arrivedMs } of waiting) this.#decode(frame, arrivedMs)
  }

  #decode(frame: WireFrame, arrivedMs: number): void {
    const atMs = this.#clock.at(frame, arrivedMs)
    const samples = this.#decoded(frame) ?? this.#concealed(frame)
    this.#packetMs = samples.length / SAMPLES_PER_MS
    const lost = this.#lostBefore(frame)
    if (lost === null) this.#cutter.flush()
    else if (lost > 0) this.#cutter.push(new Int16Array(lost), atMs - lost / SAMPLES_PER_MS)
    this.#cutter.push(samples, atMs)
    this.#end = { ssrc: frame.ssrc, rtp: frame.rtpTimestamp + samples.length }
  }

  /** Null: the packet is undecodable. The library logs a malformed one, so it gets none. */
  #decoded({ payload }: WireFrame): Int16Array | null {
    const samples = isOpusPacket(payload) ? this.#decoder.decode(payload) : null
    return samples && toIntegers(samples)
  }

  /** Silence for an undecodable packet: as long as a well-formed packet says, otherwise as long as the packet before. */
  #concealed({ payload }: WireFrame): Int16Array {
    this.#deps.onUndecodable()
    return new Int16Array((isOpusPacket(payload) ? opusMs(payload) : this.#packetMs) * SAMPLES_PER_MS)
  }

  /** Number of lost samples, or null if this packet does not continue the one before. */
  #lostBefore({ ssrc, rtpTimestamp }: WireFrame): number | null {
    if (!this.#end || this.#end.ssrc !== ssrc) return null
    const lost = ticksBetween(this.#end.rtp, rtpTimestamp)
    return lost >= 0 && lost <= LONGEST_FILLED ? lost : null
  }
}

/** Live audio never waits for a late packet, because it would wait at every loss. */
function isLateOrDuplicate({ ssrc, sequence, rtpTimestamp }: WireFrame, newest: WireFrame): boolean {
  const position =
    sequence !== null && newest.sequence !== null
      ? positionBySequence({ ssrc, sequence }, { ssrc: newest.ssrc, sequence: newest.sequence })
      : positionByTimestamp({ ssrc, rtpTimestamp }, newest, OPUS_RATE)
  return position === 'late' || position === 'same'
}

function toIntegers(samples: Float32Array): Int16Array {
  const integers = new Int16Array(samples.length)
  for (let at = 0; at < samples.length; at++) {
    const scaled = Math.round((samples[at] ?? 0) * FULL_SCALE)
    integers[at] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, scaled))
  }
  return integers
}
