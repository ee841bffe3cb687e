// Packets of sound in the order they were sent, each with the time at which it should have come.
import { Arrivals, type Arrived } from './arrivals.ts'
import { OPUS_RATE } from './codec.ts'
import { Reorder } from './reorder.ts'

export class SoundOrder<Packet extends Arrived & { readonly sequence: number | null }> {
  readonly #order = new Reorder<Packet>()
  readonly #arrivals: Arrivals<Packet>
  readonly holdMs: number

  constructor(holdMs: number) {
    this.holdMs = holdMs
    this.#arrivals = new Arrivals<Packet>(OPUS_RATE, holdMs)
  }

  /** Came twice, or too late to be put in their place. */
  get discarded(): number {
    return this.#order.discarded
  }

  /** What need not be waited for any more. */
  push(packet: Packet): readonly Packet[] {
    return this.#order.push(packet).flatMap((next) => this.#arrivals.push(next))
  }

  /** What is missing is not waited for any more. */
  release(nowMs: number): readonly Packet[] {
    const rest = this.#order.flush().flatMap((next) => this.#arrivals.push(next))
    return [...rest, ...this.#arrivals.release(nowMs)]
  }

  /** What was sent by whoever had this before; the rest is the next one's. */
  passOn(sinceMs: number): readonly Packet[] {
    return this.#arrivals.passOn(sinceMs)
  }

  /** Everything; whatever comes next may be numbered as anything. */
  restart(): readonly Packet[] {
    const rest = this.#order.restart().flatMap((next) => this.#arrivals.push(next))
    return [...rest, ...this.#arrivals.flush()]
  }
}
