// Packets in the order they were sent: audio leaves the receiver as it arrived, before anything has sorted it.

export type Sequenced = { readonly sequence: number | null; readonly ssrc: number }

/** 160 ms of packets behind a missing one: by then it is lost. */
const MOST_HELD = 8
/** Further back than this is a sender that counts anew, not a late packet. */
const FURTHEST_BACK = 1_000

export class Reorder<Packet extends Sequenced> {
  readonly #held = new Map<number, Packet>()
  #next: number | null = null
  #ssrc = 0
  /** Came twice, or too late to be put in its place. */
  discarded = 0

  /** What is now in order. */
  push(packet: Packet): readonly Packet[] {
    if (packet.sequence === null) return [packet]
    const before = this.#isAnew(packet.sequence, packet.ssrc) ? this.restart() : []
    this.#next ??= packet.sequence
    this.#ssrc = packet.ssrc
    if (distance(packet.sequence, this.#next) < 0 || this.#held.has(packet.sequence)) {
      this.discarded++
      return before
    }
    this.#held.set(packet.sequence, packet)
    if (this.#held.size > MOST_HELD) this.#next = this.#lowest()
    return [...before, ...this.#drain()]
  }

  /** Everything held, in order; what is missing is not waited for any more. */
  flush(): readonly Packet[] {
    const rest: Packet[] = []
    while (this.#held.size > 0) {
      this.#next = this.#lowest()
      rest.push(...this.#drain())
    }
    return rest
  }

  /** The same, and whatever comes next is the first. */
  restart(): readonly Packet[] {
    const rest = this.flush()
    this.#next = null
    return rest
  }

  #isAnew(sequence: number, ssrc: number): boolean {
    return this.#next !== null && (ssrc !== this.#ssrc || distance(sequence, this.#next) < -FURTHEST_BACK)
  }

  #drain(): Packet[] {
    const ready: Packet[] = []
    for (let at = this.#next ?? 0; ; at = (at + 1) & 0xffff) {
      const packet = this.#held.get(at)
      this.#next = at
      if (!packet) return ready
      this.#held.delete(at)
      ready.push(packet)
    }
  }

  #lowest(): number {
    const from = this.#next ?? 0
    return [...this.#held.keys()].reduce((least, sequence) => (distance(sequence, from) < distance(least, from) ? sequence : least))
  }
}

/** How far ahead, in a count of 16 bits that wraps. */
function distance(sequence: number, from: number): number {
  return ((sequence - from) << 16) >> 16
}
