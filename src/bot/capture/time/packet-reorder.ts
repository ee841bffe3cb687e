// Orders packets by sequence number: the browser delivers encoded audio in order of arrival.

import { nextSequence, packetsBetween, positionBySequence, type Sequenced } from './stream-position.ts'

/** 160 ms of packets behind a missing one, which is lost by then. */
const MOST_HELD = 8

export class PacketReorder<Packet extends { readonly sequence: number | null; readonly ssrc: number }> {
  readonly #held = new Map<number, Packet>()
  #released: Sequenced | null = null
  /** Late packets and duplicates. */
  discarded = 0

  /** Returns the packets that are now in order. A packet without a sequence number passes through. */
  push(packet: Packet): readonly Packet[] {
    const { sequence, ssrc } = packet
    if (sequence === null) return [packet]
    const standing = this.#released ? positionBySequence({ sequence, ssrc }, this.#released) : 'restart'
    const before = standing === 'restart' ? this.restart() : []
    if (standing === 'late' || standing === 'same' || this.#held.has(sequence)) {
      this.discarded++
      return before
    }
    this.#held.set(sequence, packet)
    return [...before, ...this.#release()]
  }

  /** Everything held, in order, without waiting for missing packets. */
  flush(): readonly Packet[] {
    const rest: Packet[] = []
    while (this.#held.size > 0) rest.push(...this.#run(this.#lowest()))
    return rest
  }

  /** The same as `flush`, and the next packet starts a new stream. */
  restart(): readonly Packet[] {
    const rest = this.flush()
    this.#released = null
    return rest
  }

  #release(): readonly Packet[] {
    const isOver = this.#released === null || this.#held.size > MOST_HELD
    return this.#run(isOver ? this.#lowest() : nextSequence(this.#released?.sequence ?? 0))
  }

  /** The held packets from this one on, up to the next missing one. */
  #run(from: number): readonly Packet[] {
    const ready: Packet[] = []
    let packet = this.#held.get(from)
    for (let sequence = from; packet; packet = this.#held.get(sequence)) {
      this.#held.delete(sequence)
      this.#released = { sequence, ssrc: packet.ssrc }
      ready.push(packet)
      sequence = nextSequence(sequence)
    }
    return ready
  }

  #lowest(): number {
    const [first = 0, ...others] = this.#held.keys()
    const from = this.#released?.sequence ?? first
    return others.reduce((least, sequence) => (packetsBetween(from, sequence) < packetsBetween(from, least) ? sequence : least), first)
  }
}
