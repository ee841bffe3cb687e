// Orders and times the packets of lanes. Sequence numbers and RTP timestamps continue from speaker to speaker, so each lane has one order
// and one clock. A speaker who moves from lane to lane keeps a continuous time.
import { OPUS_RATE, opusMs } from '../codec.ts'
import type { LanePlace } from '../source/source-info.ts'
import { PacketReorder } from './packet-reorder.ts'
import type { Arrived, Timed } from './source-timing.ts'
import { RecentPayloads } from './stream-position.ts'
import { TrackClock } from './track-clock.ts'

/** More than a call has. */
const MOST_ENDED_LANES = 16
/** The clocks of two lanes never differ by more. */
const CLOCKS_APART_MS = 500

type LanePacket = Arrived & Pick<LanePlace, 'speakers'>
type Lane = { readonly order: PacketReorder<LanePacket>; readonly clock: TrackClock; ssrc: number }
type Speaker = {
  /** The lane of the last packet that arrived. */
  lane: Lane
  /** The lane and the end time of the last packet that was timed; null before the first. */
  timed: { readonly lane: Lane; readonly endMs: number } | null
  readonly recent: RecentPayloads
}

export class LaneTiming {
  readonly #lanes = new Map<string, Lane>()
  #ended: readonly Lane[] = []
  readonly #speakers = new Map<string, Speaker>()

  has(track: string): boolean {
    return this.#lanes.has(track)
  }

  /** Returns the packets of all sources that are now in order. */
  push(packet: Arrived, { track, sequence, speakers }: LanePlace): readonly Timed[] {
    const lane = this.#lanes.get(track) ?? this.#open(track, packet.ssrc)
    const named = packet.source === track ? speakers : [packet.source]
    const before = named.flatMap((source) => this.#arrive(source, lane))
    return [...before, ...this.#time(lane, lane.order.push({ ...packet, sequence, speakers }))]
  }

  /** Everything, without waiting for missing packets. */
  release(): readonly Timed[] {
    return [...this.#lanes.values()].flatMap((lane) => this.#time(lane, lane.order.flush()))
  }

  /** Everything. The next packets may have any sequence number. */
  restart(): readonly Timed[] {
    return [...this.#lanes.values()].flatMap((lane) => this.#time(lane, lane.order.restart()))
  }

  /** The lane or the speaker has ended. */
  end(source: string): readonly Timed[] {
    this.#speakers.delete(source)
    const lane = this.#lanes.get(source)
    if (!lane) return []
    this.#lanes.delete(source)
    this.#ended = [lane, ...this.#ended].slice(0, MOST_ENDED_LANES)
    return this.#time(lane, lane.order.flush())
  }

  #open(track: string, ssrc: number): Lane {
    // A stream comes as another track when the page takes its frames itself. Its timestamps continue, and the first packets may be late.
    const before = [...this.#lanes.values(), ...this.#ended].find((it) => it.ssrc === ssrc && ssrc !== 0)
    const clock = before?.clock.copy() ?? new TrackClock(OPUS_RATE, { correctsAtOnce: true })
    const lane = { order: new PacketReorder<LanePacket>(), clock, ssrc }
    this.#lanes.set(track, lane)
    return lane
  }

  /** Packets of a speaker that the old lane holds precede those of the new lane. */
  #arrive(source: string, lane: Lane): readonly Timed[] {
    const speaker = this.#speakers.get(source) ?? { lane, timed: null, recent: new RecentPayloads() }
    const before = speaker.lane === lane ? [] : this.#time(speaker.lane, speaker.lane.order.flush())
    speaker.lane = lane
    this.#speakers.set(source, speaker)
    return before
  }

  #time(lane: Lane, packets: readonly LanePacket[]): readonly Timed[] {
    return packets.flatMap((packet) => {
      lane.ssrc = packet.ssrc
      const clockMs = lane.clock.at(packet, packet.arrivedMs, () => this.#lateMs(lane, packet.arrivedMs))
      const speaker = this.#speakers.get(packet.source)
      if (speaker && isCopy(speaker, lane, packet, clockMs)) return []
      const atMs = speaker ? place(speaker, lane, packet, clockMs) : clockMs
      // A mixed packet counts as speech of each of its speakers. Its sound stays with the lane.
      const speech = packet.speakers.map((source) => ({ ...packet, source, atMs, isOnlySpeech: true }))
      return [...speech, { ...packet, atMs }]
    })
  }

  /** How late packets of the other lanes are. They come over the same connection. */
  #lateMs(lane: Lane, nowMs: number): number {
    const late = [...this.#lanes.values()].flatMap((other) => (other === lane ? [] : (other.clock.lateMs(nowMs) ?? [])))
    return late.length === 0 ? 0 : Math.min(...late)
  }
}

/** A speaker may be in two lanes at once. The lanes' clocks differ a little, so the bytes decide. */
function isCopy({ timed, recent }: Speaker, lane: Lane, { payload }: LanePacket, atMs: number): boolean {
  if (!timed || timed.lane === lane || atMs > timed.endMs + CLOCKS_APART_MS) return false
  return recent.has(payload)
}

/** Places a packet behind the one before it, even if the lane's clock says otherwise. The next silence absorbs the shift. */
function place(speaker: Speaker, lane: Lane, { payload }: LanePacket, clockMs: number): number {
  const overlapMs = Math.max(0, (speaker.timed?.endMs ?? clockMs) - clockMs)
  const atMs = clockMs + Math.min(CLOCKS_APART_MS, overlapMs)
  speaker.timed = { lane, endMs: atMs + opusMs(payload) }
  speaker.recent.push(payload)
  return atMs
}
