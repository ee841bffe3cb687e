// Orders the frames of one source and gives each its session time.

import { LONGEST_OPUS_MS, OPUS_RATE, opusMs, VIDEO_RATE } from '../codec.ts'
import type { WireFrame } from '../wire.ts'
import { ArrivalTimes } from './arrival-times.ts'
import { FrameReorder } from './frame-reorder.ts'
import { PacketReorder } from './packet-reorder.ts'
import { TrackClock } from './track-clock.ts'

export type Arrived = WireFrame & { readonly source: string; readonly arrivedMs: number }
export type Timed = Arrived & {
  readonly atMs: number
  /** The sound is in a mix. The packet only says that its source speaks. */
  readonly isOnlySpeech?: boolean
}

/** Arrival times mean packets of this length. A packet is sent when its last sample is recorded, so a longer one arrives later. */
const USUAL_PACKET_MS = 20

export class AudioTiming {
  readonly #order = new PacketReorder<Arrived>()
  readonly #arrivals = new ArrivalTimes<Arrived>(OPUS_RATE)
  readonly #clock = new TrackClock(OPUS_RATE, { hasCorrectedArrivals: true })

  get losses() {
    return { dropped: 0, repeated: this.#order.discarded }
  }

  push(packet: Arrived): readonly Timed[] {
    return this.#arrive(this.#order.push({ ...packet, arrivedMs: packet.arrivedMs - laterMs(packet) }))
  }

  /** Everything that is due, without waiting for missing packets. */
  release(nowMs: number): readonly Timed[] {
    return [...this.#arrive(this.#order.flush()), ...timed(this.#clock, this.#arrivals.release(nowMs))]
  }

  /** Everything. The next packet may have any sequence number. */
  restart(): readonly Timed[] {
    return [...this.#arrive(this.#order.restart()), ...this.split()]
  }

  /** The owner changed: the packets that wait for later ones. Those behind a missing packet stay. */
  split(): readonly Timed[] {
    return timed(this.#clock, this.#arrivals.flush())
  }

  #arrive(packets: readonly Arrived[]): readonly Timed[] {
    return packets.flatMap((packet) => timed(this.#clock, this.#arrivals.push(packet)))
  }
}

function laterMs({ payload }: WireFrame): number {
  const packetMs = opusMs(payload)
  return packetMs > LONGEST_OPUS_MS ? 0 : Math.max(0, packetMs - USUAL_PACKET_MS)
}

export class VideoTiming {
  readonly #order: FrameReorder<Arrived>
  readonly #clock = new TrackClock(VIDEO_RATE, { correctsAtOnce: true })

  /** `isSlot`: the source shows one participant after another. */
  constructor(isSlot: boolean) {
    this.#order = new FrameReorder({ isSlot })
  }

  get losses() {
    return { dropped: this.#order.unowned, repeated: this.#order.repeated }
  }

  push(frame: Arrived): readonly Timed[] {
    return timed(this.#clock, this.#order.push(frame))
  }

  release(nowMs: number): readonly Timed[] {
    return timed(this.#clock, this.#order.release(nowMs))
  }

  restart(): readonly Timed[] {
    return timed(this.#clock, this.#order.flush())
  }

  /** The owner changed with one of the last key frames. The owner of the frames since then is unknown, so they are dropped. */
  split(nowMs: number): readonly Timed[] {
    this.#order.dropUnowned(nowMs)
    return this.restart()
  }
}

function timed(clock: TrackClock, frames: readonly Arrived[]): readonly Timed[] {
  return frames.map((frame) => ({ ...frame, atMs: clock.at(frame, frame.arrivedMs) }))
}
