// When packets would have arrived had nothing held them up. A page that stood still, or a busy machine, lets go of many at once: each of
// them was sent no later than the RTP timestamps of those behind it allow.
import type { Stamped } from './late.ts'
import { ticksBetween } from './rtp.ts'

/** A packet waits so long for those behind it; nothing but the disk waits for it. */
export const FORESIGHT_MS = 250
/** Packets further apart say nothing about each other. */
const FURTHEST_MS = 10_000

export type Arrived = Stamped & { readonly arrivedMs: number }

export class Arrivals<Packet extends Arrived> {
  readonly #ticksPerMs: number
  #held: Packet[] = []
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(ticksPerSecond: number) {
    this.#ticksPerMs = ticksPerSecond / 1_000
  }

  /** The packets that need not wait any more, each with the time at which it should have arrived. */
  push(packet: Packet): readonly Packet[] {
    this.#held.push(packet)
    return this.release(packet.arrivedMs)
  }

  release(nowMs: number): readonly Packet[] {
    const young = this.#held.findIndex(({ arrivedMs }) => nowMs - arrivedMs < FORESIGHT_MS)
    return young === 0 ? [] : this.#out(young < 0 ? this.#held.length : young)
  }

  flush(): readonly Packet[] {
    return this.#out(this.#held.length)
  }

  #out(count: number): readonly Packet[] {
    const due: number[] = []
    for (let at = this.#held.length - 1; at >= 0; at--) due[at] = this.#dueMs(at, due[at + 1])
    return this.#held.splice(0, count).map((packet, at) => {
      // No packet was sent before the one in front of it.
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
