// Times the audio packets of one track: in the order of their sequence numbers, each when it should have arrived, by the sender's clock.
import { Arrivals, type Arrived } from './arrivals.ts'
import { TrackClock } from './clock.ts'
import { OPUS_RATE } from './codec.ts'
import { Reorder } from './reorder.ts'

export type Timed<Packet> = Packet & { readonly atMs: number }

export class AudioTiming<Packet extends Arrived & { readonly sequence: number | null }> {
  readonly #order = new Reorder<Packet>()
  readonly #arrivals = new Arrivals<Packet>(OPUS_RATE)
  readonly #clock = new TrackClock(OPUS_RATE, { foreseen: true })

  /** Late packets and duplicates. */
  get discarded(): number {
    return this.#order.discarded
  }

  push(packet: Packet): readonly Timed<Packet>[] {
    return this.#order.push(packet).flatMap((next) => this.#timed(this.#arrivals.push(next)))
  }

  /** Without waiting for the missing packets. */
  release(nowMs: number): readonly Timed<Packet>[] {
    const rest = this.#order.flush().flatMap((next) => this.#timed(this.#arrivals.push(next)))
    return [...rest, ...this.#timed(this.#arrivals.release(nowMs))]
  }

  /** The packets that wait for those behind them, though not those that wait for a missing one. */
  flush(): readonly Timed<Packet>[] {
    return this.#timed(this.#arrivals.flush())
  }

  /** Everything; the next packet may have any sequence number. */
  restart(): readonly Timed<Packet>[] {
    const rest = this.#order.restart().flatMap((next) => this.#timed(this.#arrivals.push(next)))
    return [...rest, ...this.flush()]
  }

  #timed(packets: readonly Packet[]): readonly Timed<Packet>[] {
    return packets.map((packet) => ({ ...packet, atMs: this.#clock.at(packet, packet.arrivedMs) }))
  }
}
