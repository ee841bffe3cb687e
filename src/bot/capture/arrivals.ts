// When packets would have come, had nothing held them up. A page that stood still, or a busy machine, lets go of many at once: each of them
// was sent no later than those behind it tell.
import type { Timed } from './clock.ts'
import { ticksBetween } from './rtp.ts'

/** So long a packet waits for those behind it; nothing but the disk waits for it. */
export const FORESIGHT_MS = 250
/** What lies further apart tells nothing of each other. */
const FURTHEST_MS = 10_000
/** Before somebody else speaks under a number, whoever had it must have fallen silent, and they must have got it. */
const TURN_MS = 200
/** Of whoever sends now, a packet of no more than this age is here, also on a busy machine. */
const SENDING_MS = 400

export type Arrived = Timed & { readonly arrivedMs: number }

export class Arrivals<Packet extends Arrived> {
  readonly #ticksPerMs: number
  readonly #holdMs: number
  #held: Packet[] = []
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(ticksPerSecond: number, holdMs = FORESIGHT_MS) {
    this.#ticksPerMs = ticksPerSecond / 1_000
    this.#holdMs = holdMs
  }

  /** What need not wait any more, each with the time at which it should have come. */
  push(packet: Packet): readonly Packet[] {
    this.#held.push(packet)
    return this.release(packet.arrivedMs)
  }

  release(nowMs: number): readonly Packet[] {
    const young = this.#held.findIndex(({ arrivedMs }) => nowMs - arrivedMs < this.#holdMs)
    return young === 0 ? [] : this.#out(young < 0 ? this.#held.length : young)
  }

  flush(): readonly Packet[] {
    return this.#out(this.#held.length)
  }

  /** Somebody else has this since then. Who is heard now cannot be who had it: only what came before their turn is let go. */
  passOn(sinceMs: number): readonly Packet[] {
    const last = this.#held.at(-1)
    if (!last || last.arrivedMs < sinceMs - SENDING_MS) return this.flush()
    const turn = this.#held.findLastIndex(({ arrivedMs }, at) => arrivedMs - (this.#held[at - 1]?.arrivedMs ?? this.#lastMs) >= TURN_MS)
    return this.#out(Math.max(0, turn))
  }

  #out(count: number): readonly Packet[] {
    const due: number[] = []
    for (let at = this.#held.length - 1; at >= 0; at--) due[at] = this.#dueMs(at, due[at + 1])
    return this.#held.splice(0, count).map((packet, at) => {
      // Nothing was sent before what came before it.
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
