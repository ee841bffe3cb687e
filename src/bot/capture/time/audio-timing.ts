// Orders the audio packets of one track by sequence number, and gives each its session time.

import { OPUS_RATE } from '../codec.ts'
import { ArrivalTimes, type ArrivedPacket } from './arrival-times.ts'
import { PacketReorder } from './packet-reorder.ts'
import { TrackClock } from './track-clock.ts'

export type Timed<Packet> = Packet & { readonly atMs: number }

export class AudioTiming<Packet extends ArrivedPacket & { readonly sequence: number | null }> {
  readonly #order = new PacketReorder<Packet>()
  readonly #arrivals = new ArrivalTimes<Packet>(OPUS_RATE)
  readonly #clock = new TrackClock(OPUS_RATE, { hasCorrectedArrivals: true })

  /** Late packets and duplicates. */
  get discarded(): number {
    return this.#order.discarded
  }

  push(packet: Packet): readonly Timed<Packet>[] {
    return this.#order.push(packet).flatMap((next) => this.#timed(this.#arrivals.push(next)))
  }

  /** Everything that is due, without waiting for missing packets. */
  release(nowMs: number): readonly Timed<Packet>[] {
    const rest = this.#order.flush().flatMap((next) => this.#timed(this.#arrivals.push(next)))
    return [...rest, ...this.#timed(this.#arrivals.release(nowMs))]
  }

  /** Packets that wait for later ones. Those behind a missing packet stay. */
  flush(): readonly Timed<Packet>[] {
    return this.#timed(this.#arrivals.flush())
  }

  /** Everything. The next packet may have any sequence number. */
  restart(): readonly Timed<Packet>[] {
    const rest = this.#order.restart().flatMap((next) => this.#timed(this.#arrivals.push(next)))
    return [...rest, ...this.flush()]
  }

  #timed(packets: readonly Packet[]): readonly Timed<Packet>[] {
    return packets.map((packet) => ({ ...packet, atMs: this.#clock.at(packet, packet.arrivedMs) }))
  }
}
