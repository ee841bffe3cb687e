// Demultiplexes audio. Some meetings send the loudest speakers in turn over a few tracks, the lanes. Each packet names its speaker by a
// CSRC, and the packets of one CSRC become one source, in whichever lane they come. A packet without a CSRC stays with its track.
import { OPUS_RATE, opusMs } from '../codec.ts'
import { noteOfCsrc, type SourceNote } from '../source/source-note.ts'
import { PacketReorder } from '../time/packet-reorder.ts'
import { RecentPayloads } from '../time/stream-position.ts'
import { TrackClock } from '../time/track-clock.ts'
import type { WireFrame } from '../wire.ts'

/** A CSRC that is silent for longer is removed, and is a new source when it returns. */
const IDLE_MS = 5 * 60_000
/** More speakers than any meeting has within that time. The packets of further CSRCs stay in their lane. */
const MOST_SPEAKERS = 512
/** A mix that is silent for this long has moved to another track. */
const SILENT_MAIN_MS = 1_000
/** More than a call has. */
const MOST_ENDED_LANES = 16
/** The clocks of two lanes never differ by more. */
const CLOCKS_APART_MS = 500

export type LaneSink = {
  noteOf(lane: string): SourceNote | undefined
  /** A new CSRC. */
  track(source: string, note: SourceNote): void
  /** A packet of a track that is no lane, as it arrived. */
  frame(source: string, frame: WireFrame, arrivedMs: number): void
  /** A packet of a lane: ordered, without duplicates, with its session time. One with `mixes` only marks the source as speaking. */
  timedFrame(source: string, frame: WireFrame, atMs: number): void
  /** Every packet on arrival: live audio cannot wait for order. */
  liveFrame(source: string, frame: WireFrame, arrivedMs: number): void
  trackEnded(source: string): void
}

export type LanesOptions = { readonly ignored?: readonly number[]; readonly mixed?: boolean }

type Arrived = WireFrame & { readonly arrivedMs: number }
/** Sequence numbers and RTP timestamps continue from speaker to speaker, so the lane orders and times them. */
type Lane = { readonly source: string; readonly order: PacketReorder<Arrived>; readonly clock: TrackClock; ssrc: number }
type Speaker = {
  readonly source: string
  /** The lane of the last packet that arrived, and when. */
  arrived: { readonly lane: Lane; readonly atMs: number }
  /** The lane and the end time of the last packet that was passed on; null before the first. */
  passed: { readonly lane: Lane; readonly endMs: number } | null
  readonly recent: RecentPayloads
}

export class Lanes {
  readonly #sink: LaneSink
  readonly #ignored: ReadonlySet<number>
  readonly #mixed: boolean
  /** Of a mix: the track that is recorded, and the time of its last packet. */
  #main: { readonly source: string; readonly atMs: number } | null = null
  readonly #lanes = new Map<string, Lane>()
  #ended: readonly Lane[] = []
  readonly #speakers = new Map<number, Speaker>()

  /** `ignored`: CSRCs that name no participant. `mixed`: one track carries all participants, and another one is its copy. */
  constructor(sink: LaneSink, { ignored = [], mixed = false }: LanesOptions = {}) {
    this.#sink = sink
    this.#ignored = new Set(ignored).add(0)
    this.#mixed = mixed
  }

  /** A track that has had no CSRC is no lane: its packets pass unchanged. */
  push(source: string, frame: WireFrame, arrivedMs: number): void {
    if (this.#mixed && this.#isCopy(source, arrivedMs)) return
    const named = [frame.csrc, ...frame.mixes].filter((csrc) => !this.#ignored.has(csrc))
    const [csrc = 0, ...others] = named
    const isNamed = csrc !== 0 && others.length === 0
    const known = this.#lanes.get(source)
    if (!known && named.length === 0) {
      this.#sink.frame(source, frame, arrivedMs)
      this.#sink.liveFrame(source, frame, arrivedMs)
      return
    }
    const lane = known ?? this.#open(source, frame.ssrc)
    const speakers = named.map((it) => this.#speaker(it, lane, arrivedMs))
    // The lane's sequence numbers count the packets of other speakers too.
    this.#sink.liveFrame((isNamed && speakers[0]?.source) || source, { ...frame, sequence: null, csrc: 0, mixes: [] }, arrivedMs)
    const speaker = isNamed ? { csrc, mixes: [] } : { csrc: 0, mixes: named }
    for (const packet of lane.order.push({ ...frame, ...speaker, arrivedMs })) this.#send(lane, packet)
  }

  #isCopy(source: string, atMs: number): boolean {
    const isCopy = this.#main !== null && this.#main.source !== source && atMs - this.#main.atMs < SILENT_MAIN_MS
    if (!isCopy) this.#main = { source, atMs }
    return isCopy
  }

  /** Releases packets that are due without waiting for a next one, which may never come. */
  tick(nowMs: number): void {
    for (const lane of this.#lanes.values()) this.#flush(lane)
    for (const [csrc, { source, arrived }] of this.#speakers) {
      if (nowMs - arrived.atMs < IDLE_MS) continue
      this.#speakers.delete(csrc)
      this.#sink.trackEnded(source)
    }
  }

  /** The next packets may have any sequence number. */
  pause(): void {
    for (const lane of this.#lanes.values()) for (const packet of lane.order.restart()) this.#send(lane, packet)
  }

  end(source: string): void {
    const lane = this.#lanes.get(source)
    if (!lane) return
    this.#flush(lane)
    this.#lanes.delete(source)
    this.#ended = [lane, ...this.#ended].slice(0, MOST_ENDED_LANES)
  }

  #open(source: string, ssrc: number): Lane {
    // A stream comes as another track when the page takes its frames itself. Its timestamps continue, and the first packets may be late.
    const before = [...this.#lanes.values(), ...this.#ended].find((it) => it.ssrc === ssrc && ssrc !== 0)
    const clock = before?.clock.copy() ?? new TrackClock(OPUS_RATE, { correctsAtOnce: true })
    const lane = { source, order: new PacketReorder<Arrived>(), clock, ssrc }
    this.#lanes.set(source, lane)
    return lane
  }

  /** Null if there are too many speakers. */
  #speaker(csrc: number, lane: Lane, atMs: number): Speaker | null {
    const speaker = this.#speakers.get(csrc) ?? this.#add(csrc, lane, atMs)
    if (!speaker) return null
    // Packets that the old lane holds must precede those of the new lane.
    if (speaker.arrived.lane !== lane) this.#flush(speaker.arrived.lane)
    speaker.arrived = { lane, atMs }
    return speaker
  }

  #add(csrc: number, lane: Lane, atMs: number): Speaker | null {
    const note = this.#sink.noteOf(lane.source)
    if (!note || this.#speakers.size >= MOST_SPEAKERS) return null
    const own = noteOfCsrc(note, csrc)
    const speaker: Speaker = { source: own.id, arrived: { lane, atMs }, passed: null, recent: new RecentPayloads() }
    this.#speakers.set(csrc, speaker)
    this.#sink.track(speaker.source, own)
    return speaker
  }

  #flush(lane: Lane): void {
    for (const packet of lane.order.flush()) this.#send(lane, packet)
  }

  #send(lane: Lane, { arrivedMs, ...packet }: Arrived): void {
    lane.ssrc = packet.ssrc
    const clockMs = lane.clock.at(packet, arrivedMs, () => this.#lateMs(lane, arrivedMs))
    const speaker = this.#speakers.get(packet.csrc)
    // The time is final, so the lane's sequence number and the CSRC are no longer needed.
    const frame = { ...packet, sequence: null, csrc: 0, mixes: [] }
    for (const csrc of packet.mixes) this.#markSpeaking(csrc, { ...frame, mixes: packet.mixes }, clockMs)
    if (!speaker) this.#sink.timedFrame(lane.source, frame, clockMs)
    else if (!isCopy(speaker, lane, frame, clockMs)) this.#sink.timedFrame(speaker.source, frame, place(speaker, lane, frame, clockMs))
  }

  /** How late packets of the other lanes are. They come over the same connection. */
  #lateMs(lane: Lane, nowMs: number): number {
    const late = [...this.#lanes.values()].flatMap((other) => (other === lane ? [] : (other.clock.lateMs(nowMs) ?? [])))
    return late.length === 0 ? 0 : Math.min(...late)
  }

  /** A mixed packet counts as speech of each of its speakers. Its sound stays with the lane. */
  #markSpeaking(csrc: number, frame: WireFrame, atMs: number): void {
    const speaker = this.#speakers.get(csrc)
    if (speaker) this.#sink.timedFrame(speaker.source, frame, atMs)
  }
}

/** A speaker may be in two lanes at once. The lanes' clocks differ a little, so the bytes decide. */
function isCopy({ passed, recent }: Speaker, lane: Lane, { payload }: WireFrame, atMs: number): boolean {
  if (!passed || passed.lane === lane || atMs > passed.endMs + CLOCKS_APART_MS) return false
  return recent.has(payload)
}

/** Places a packet behind the one before it, even if the lane's clock says otherwise. The next silence absorbs the shift. */
function place(speaker: Speaker, lane: Lane, { payload }: WireFrame, clockMs: number): number {
  const overlapMs = Math.max(0, (speaker.passed?.endMs ?? clockMs) - clockMs)
  const atMs = clockMs + Math.min(CLOCKS_APART_MS, overlapMs)
  speaker.passed = { lane, endMs: atMs + opusMs(payload) }
  speaker.recent.push(payload)
  return atMs
}
