// Compares RTP counters, and decides whether a packet is late or a duplicate, for the recording and for live audio.
// The counters wrap: timestamps have 32 bits and sequence numbers 16 (RFC 3550, 5.1).
import { isSame } from '../codec.ts'

/** A packet's position relative to the newest one of its stream. `restart`: another SSRC, or the sender's counter starts again. */
export type StreamPosition = 'ahead' | 'same' | 'late' | 'restart'

/** A counter that steps back further than this has restarted. */
const FURTHEST_BACK_PACKETS = 1_000
const FURTHEST_BACK_SECONDS = 10
/** A copy in another lane arrives within this many packets. */
const RECENT_PAYLOADS = 20

export type Sequenced = { readonly ssrc: number; readonly sequence: number }
export type Stamped = { readonly ssrc: number; readonly rtpTimestamp: number }

/** Signed, and correct across the wrap. */
export function ticksBetween(from: number, to: number): number {
  return (to - from) | 0
}

/** Signed, and correct across the wrap. */
export function packetsBetween(from: number, to: number): number {
  return ((to - from) << 16) >> 16
}

export function nextSequence(sequence: number): number {
  return (sequence + 1) & 0xffff
}

export function positionBySequence(packet: Sequenced, newest: Sequenced): StreamPosition {
  if (packet.ssrc !== newest.ssrc) return 'restart'
  return positionOf(packetsBetween(newest.sequence, packet.sequence), FURTHEST_BACK_PACKETS)
}

/** For streams without sequence numbers. Layers of one picture share a timestamp, so they are `same` and differ in their bytes. */
export function positionByTimestamp(packet: Stamped, newest: Stamped, ticksPerSecond: number): StreamPosition {
  if (packet.ssrc !== newest.ssrc) return 'restart'
  return positionOf(ticksBetween(newest.rtpTimestamp, packet.rtpTimestamp), FURTHEST_BACK_SECONDS * ticksPerSecond)
}

function positionOf(step: number, furthestBack: number): StreamPosition {
  if (step > 0) return 'ahead'
  if (step === 0) return 'same'
  return step < -furthestBack ? 'restart' : 'late'
}

/** Finds copies that an SFU sends in two lanes: their sequence numbers and timestamps differ, and their bytes are equal. */
export class RecentPayloads {
  readonly #payloads: Uint8Array[] = []

  has(payload: Uint8Array): boolean {
    return this.#payloads.some((recent) => isSame(recent, payload))
  }

  push(payload: Uint8Array): void {
    this.#payloads.push(payload)
    if (this.#payloads.length > RECENT_PAYLOADS) this.#payloads.shift()
  }
}
