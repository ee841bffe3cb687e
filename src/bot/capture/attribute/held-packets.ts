// Holds timed packets until their owner is known: a CSRC mapping may lag the audio.

/** Two speakers of one CSRC are at least this far apart. */
const TURN_MS = 200
/** A participant who is speaking has a packet no older than this, also on a busy machine. */
const SPEAKING_MS = 400

export class HeldPackets<Packet extends { readonly atMs: number }> {
  readonly #holdMs: number
  #held: Packet[] = []
  #releasedMs = Number.NEGATIVE_INFINITY

  constructor(holdMs: number) {
    this.#holdMs = holdMs
  }

  add(packet: Packet): void {
    this.#held.push(packet)
  }

  release(nowMs: number): readonly Packet[] {
    const young = this.#held.findIndex(({ atMs }) => nowMs - atMs < this.#holdMs)
    return this.#out(young < 0 ? this.#held.length : young)
  }

  flush(): readonly Packet[] {
    return this.#out(this.#held.length)
  }

  /** The owner changed: returns the packets from before the last pause, which are the old owner's. The rest is the new owner's. */
  before(sinceMs: number): readonly Packet[] {
    const last = this.#held.at(-1)
    if (!last || last.atMs < sinceMs - SPEAKING_MS) return this.flush()
    const turn = this.#held.findLastIndex(({ atMs }, at) => atMs - (this.#held[at - 1]?.atMs ?? this.#releasedMs) >= TURN_MS)
    return this.#out(Math.max(0, turn))
  }

  #out(count: number): readonly Packet[] {
    const packets = this.#held.splice(0, count)
    this.#releasedMs = packets.at(-1)?.atMs ?? this.#releasedMs
    return packets
  }
}
