// Corrects arrival times for hold-ups. A page that stood still or a busy machine delivers many packets at once.
// The RTP timestamps of the packets behind one bound the time at which it was sent.

import { type Stamped, ticksBetween } from './stream-position.ts'

/** How long a packet waits for those behind it. The wait delays only the disk. */
const LOOKAHEAD_MS = 250
/** After a pause the clock starts anew. The first packets then wait this long, because a machine is busiest when a participant joins. */
export const LONGEST_WAIT_MS = 1_000
const PAUSE_MS = 500
/** The timestamps of packets further apart do not bound each other. */
const FURTHEST_MS = 10_000

export type ArrivedPacket = Stamped & { readonly arrivedMs: number }

/** Of one stream, or of several. Packets leave in the order in which they came. */
export class ArrivalTimes<Packet extends ArrivedPacket> {
  readonly #ticksPerMs: number
  #held: Packet[] = []
  /** The corrected time of the last packet of each SSRC. */
  readonly #lastMs = new Map<number, number>()
  #arrivedMs = Number.NEGATIVE_INFINITY
  #resumedMs = Number.NEGATIVE_INFINITY

  constructor(ticksPerSecond: number) {
    this.#ticksPerMs = ticksPerSecond / 1_000
  }

  /** Returns the packets that have waited long enough, each with its corrected arrival time. */
  push(packet: Packet): readonly Packet[] {
    if (packet.arrivedMs - this.#arrivedMs > PAUSE_MS) this.#resumedMs = packet.arrivedMs
    this.#arrivedMs = Math.max(this.#arrivedMs, packet.arrivedMs)
    this.#held.push(packet)
    return this.release(packet.arrivedMs)
  }

  release(nowMs: number): readonly Packet[] {
    if (nowMs - this.#resumedMs < LONGEST_WAIT_MS) return []
    const young = this.#held.findIndex(({ arrivedMs }) => nowMs - arrivedMs < LOOKAHEAD_MS)
    return young === 0 ? [] : this.#out(young < 0 ? this.#held.length : young)
  }

  flush(): readonly Packet[] {
    const rest = this.#out(this.#held.length)
    this.#lastMs.clear()
    return rest
  }

  #out(count: number): readonly Packet[] {
    const due = this.#due()
    return this.#held.splice(0, count).map((packet, at) => {
      const { ssrc, arrivedMs } = packet
      // Packets are sent in order.
      const sentMs = Math.min(arrivedMs, Math.max(this.#lastMs.get(ssrc) ?? Number.NEGATIVE_INFINITY, due[at] ?? arrivedMs))
      this.#lastMs.set(ssrc, sentMs)
      return { ...packet, arrivedMs: sentMs }
    })
  }

  /** When each held packet was sent at the latest. */
  #due(): readonly number[] {
    const behind = new Map<number, { readonly rtpTimestamp: number; readonly dueMs: number }>()
    return this.#held
      .toReversed()
      .map(({ ssrc, rtpTimestamp, arrivedMs }) => {
        const next = behind.get(ssrc)
        const stepMs = next ? ticksBetween(rtpTimestamp, next.rtpTimestamp) / this.#ticksPerMs : 0
        const dueMs = next && stepMs >= 0 && stepMs <= FURTHEST_MS ? Math.min(arrivedMs, next.dueMs - stepMs) : arrivedMs
        behind.set(ssrc, { rtpTimestamp, dueMs })
        return dueMs
      })
      .toReversed()
  }
}
