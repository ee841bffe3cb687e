// Decides whether a packet is late or a duplicate, for the recording and for live audio alike.
import { isSame } from './codec.ts'
import { packetsBetween, ticksBetween } from './rtp.ts'

/** How a packet stands to the newest one of its stream. `restart`: another SSRC, or the sender's counter starts anew. */
export type Standing = 'ahead' | 'same' | 'late' | 'restart'

/** A counter that steps back further than this has started anew. */
const FURTHEST_BACK_PACKETS = 1_000
const FURTHEST_BACK_SECONDS = 10
/** A copy in another lane comes within so many packets. */
const RECENT_PAYLOADS = 20

export type Sequenced = { readonly ssrc: number; readonly sequence: number }
export type Stamped = { readonly ssrc: number; readonly rtpTimestamp: number }

export function standingBySequence(packet: Sequenced, newest: Sequenced): Standing {
  if (packet.ssrc !== newest.ssrc) return 'restart'
  return standing(packetsBetween(newest.sequence, packet.sequence), FURTHEST_BACK_PACKETS)
}

/** For streams without sequence numbers. Layers of one picture are the `same` by their timestamp, and differ in their bytes. */
export function standingByTimestamp(packet: Stamped, newest: Stamped, ticksPerSecond: number): Standing {
  if (packet.ssrc !== newest.ssrc) return 'restart'
  return standing(ticksBetween(newest.rtpTimestamp, packet.rtpTimestamp), FURTHEST_BACK_SECONDS * ticksPerSecond)
}

function standing(step: number, furthestBack: number): Standing {
  if (step > 0) return 'ahead'
  if (step === 0) return 'same'
  return step < -furthestBack ? 'restart' : 'late'
}

/** Finds copies that an SFU sends in two lanes: their sequence numbers and timestamps differ, their bytes do not. */
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
