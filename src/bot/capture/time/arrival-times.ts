// Corrects arrival times for hold-ups. A page that stood still or a busy machine delivers many packets at once.
// The RTP timestamps of the packets behind one bound the time at which it was sent.

import { ticksBetween } from './rtp.ts'
import type { Stamped } from './stream-position.ts'

/** How long a packet waits for those behind it. The wait delays only the disk. */
export const LOOKAHEAD_MS = 250
/** The timestamps of packets further apart do not bound each other. */
const FURTHEST_MS = 10_000

export type ArrivedPacket = Stamped & { readonly arrivedMs: number }

export class ArrivalTimes<Packet extends ArrivedPacket> {
  readonly #ticksPerMs: number
  #held: Packet[] = []
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(ticksPerSecond: number) {
    this.#ticksPerMs = ticksPerSecond / 1_000
  }

  /** Returns the packets that have waited long enough, each with its corrected arrival time. */
  push(packet: Packet): readonly Packet[] {
    this.#held.push(packet)
    return this.release(packet.arrivedMs)
  }

  release(nowMs: number): readonly Packet[] {
    const young = this.#held.findIndex(({ arrivedMs }) => nowMs - arrivedMs < LOOKAHEAD_MS)
    return young === 0 ? [] : this.#out(young < 0 ? this.#held.length : young)
  }

  flush(): readonly Packet[] {
    return this.#out(this.#held.length)
  }

  #out(count: number): readonly Packet[] {
    const due: number[] = []
    for (let at = this.#held.length - 1; at >= 0; at--) due[at] = this.#dueMs(at, due[at + 1])
    return this.#held.splice(0, count).map((packet, at) => {
      // Packets are sent in order.
      this.#lastMs = Math.min(packet.arrivedMs, Math.max(this.#lastMs, due[at] ?? packet.arrivedMs))
      return { ...packet, arrivedMs: this.#lastMs }
    })
  }

  #dueMs(at: number, nextDueMs: number | undefined): number {
    const [packet, next] = [this.#held[at], this.#held[at + 1]]
    if (!packet) return Number.POSITIVE_INFINITY
    const stepMs = next ? ticksBetween(packet.rtpTimestamp, next.rtpTimestamp) / this.#ticksPerMs : 0
    if (nextDueMs === undefined || next?.ssrc !== packet.ssrc || stepMs < 0 || stepMs > FURTHEST_MS) return packet.arrivedMs
    return Math.min(packet.arrivedMs, nextDueMs - stepMs)
  }
}
