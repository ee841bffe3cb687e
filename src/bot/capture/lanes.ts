// Demultiplexes audio. Some meetings send the loudest speakers in turn over a few tracks, the lanes, and name the speaker of each packet by
// a CSRC: its packets become one source, in whichever lane they come. A packet without a CSRC stays with its track.
import { TrackClock } from './clock.ts'
import { OPUS_RATE, opusMs } from './codec.ts'
import { RecentPayloads } from './late.ts'
import { Reorder } from './reorder.ts'
import { noteOfCsrc, type SourceNote } from './source-note.ts'
import type { WireFrame } from './wire.ts'

/** A CSRC that was silent for longer is forgotten, and is another source when it comes again. */
const IDLE_MS = 5 * 60_000
/** More than any meeting has speakers within that time: a page that makes up more leaves them in their lane. */
const MOST_SPEAKERS = 512
/** A mix that sent nothing for so long has moved to another track. */
const SILENT_MAIN_MS = 1_000
/** The clocks of two lanes are never further apart. */
const CLOCKS_APART_MS = 500

export type LaneSink = {
  noteOf(lane: string): SourceNote | undefined
  /** A CSRC appeared. */
  track(source: string, note: SourceNote): void
  /** A packet of a track that is no lane, as it arrived. */
  frame(source: string, frame: WireFrame, arrivedMs: number): void
  /** A packet of a lane: ordered, without duplicates, and with its session time. One that mixes the source with others only mentions it. */
  timed(source: string, frame: WireFrame, atMs: number): void
  /** Every packet as it arrives, for live audio, which cannot wait for order. */
  live(source: string, frame: WireFrame, arrivedMs: number): void
  trackEnded(source: string): void
}

export type LanesOptions = { readonly ignored?: readonly number[]; readonly mixed?: boolean }

type Arrived = WireFrame & { readonly arrivedMs: number }
/** Sequence numbers and RTP timestamps go on from speaker to speaker, so order and clock are the lane's. */
type Lane = { readonly source: string; readonly order: Reorder<Arrived>; readonly clock: TrackClock }
type Speaker = {
  readonly source: string
  /** The lane of the last packet that arrived, and when. */
  arrived: { readonly lane: Lane; readonly atMs: number }
  /** The lane of the last packet that was handed on, and its end. Null before the first. */
  sent: { readonly lane: Lane; readonly endMs: number } | null
  readonly recent: RecentPayloads
}

export class Lanes {
  readonly #sink: LaneSink
  readonly #ignored: ReadonlySet<number>
  readonly #mixed: boolean
  /** Of a mix: the track that is taken, and when it last sent. */
  #main: { readonly source: string; readonly atMs: number } | null = null
  readonly #lanes = new Map<string, Lane>()
  readonly #speakers = new Map<number, Speaker>()

  /** `ignored`: CSRCs that name no participant. `mixed`: one track carries everybody, and another one is its copy. */
  constructor(sink: LaneSink, { ignored = [], mixed = false }: LanesOptions = {}) {
    this.#sink = sink
    this.#ignored = new Set(ignored).add(0)
    this.#mixed = mixed
  }

  /** A track without a CSRC so far is no lane, and its packets pass as they are. */
  take(source: string, frame: WireFrame, arrivedMs: number): void {
    if (this.#mixed && this.#isCopy(source, arrivedMs)) return
    const named = [frame.csrc, ...frame.mixes].filter((csrc) => !this.#ignored.has(csrc))
    const [csrc = 0, ...others] = named
    const isNamed = csrc !== 0 && others.length === 0
    const known = this.#lanes.get(source)
    if (!known && named.length === 0) {
      this.#sink.frame(source, frame, arrivedMs)
      this.#sink.live(source, frame, arrivedMs)
      return
    }
    const lane = known ?? this.#open(source)
    const speakers = named.map((it) => this.#speaker(it, lane, arrivedMs))
    // The lane's sequence numbers count the packets of other speakers too.
    this.#sink.live((isNamed && speakers[0]?.source) || source, { ...frame, sequence: null, csrc: 0, mixes: [] }, arrivedMs)
    const whose = isNamed ? { csrc, mixes: [] } : { csrc: 0, mixes: named }
    for (const packet of lane.order.push({ ...frame, ...whose, arrivedMs })) this.#send(lane, packet)
  }

  #isCopy(source: string, atMs: number): boolean {
    const isCopy = this.#main !== null && this.#main.source !== source && atMs - this.#main.atMs < SILENT_MAIN_MS
    if (!isCopy) this.#main = { source, atMs }
    return isCopy
  }

  /** For everything that must not wait for a next packet, which may never come. */
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
    if (lane) this.#flush(lane)
    this.#lanes.delete(source)
  }

  #open(source: string): Lane {
    const lane = { source, order: new Reorder<Arrived>(), clock: new TrackClock(OPUS_RATE, { compresses: true }) }
    this.#lanes.set(source, lane)
    return lane
  }

  /** Null where there are too many speakers. */
  #speaker(csrc: number, lane: Lane, atMs: number): Speaker | null {
    const speaker = this.#speakers.get(csrc) ?? this.#add(csrc, lane, atMs)
    if (!speaker) return null
    // Packets that the old lane holds must not come behind those of the new lane.
    if (speaker.arrived.lane !== lane) this.#flush(speaker.arrived.lane)
    speaker.arrived = { lane, atMs }
    return speaker
  }

  #add(csrc: number, lane: Lane, atMs: number): Speaker | null {
    const note = this.#sink.noteOf(lane.source)
    if (!note || this.#speakers.size >= MOST_SPEAKERS) return null
    const own = noteOfCsrc(note, csrc)
    const speaker: Speaker = { source: own.id, arrived: { lane, atMs }, sent: null, recent: new RecentPayloads() }
    this.#speakers.set(csrc, speaker)
    this.#sink.track(speaker.source, own)
    return speaker
  }

  #flush(lane: Lane): void {
    for (const packet of lane.order.flush()) this.#send(lane, packet)
  }

  #send(lane: Lane, { arrivedMs, ...packet }: Arrived): void {
    const clockMs = lane.clock.at(packet, arrivedMs)
    const speaker = this.#speakers.get(packet.csrc)
    // The time is final, so neither the lane's sequence number nor the CSRC says any more.
    const frame = { ...packet, sequence: null, csrc: 0, mixes: [] }
    for (const csrc of packet.mixes) this.#mention(csrc, { ...frame, mixes: packet.mixes }, clockMs)
    if (!speaker) this.#sink.timed(lane.source, frame, clockMs)
    else if (!isCopy(speaker, lane, frame, clockMs)) this.#sink.timed(speaker.source, frame, place(speaker, lane, frame, clockMs))
  }

  /** One of the speakers of a mixed packet: that they speak is theirs, the sound is not. */
  #mention(csrc: number, frame: WireFrame, atMs: number): void {
    const speaker = this.#speakers.get(csrc)
    if (speaker) this.#sink.timed(speaker.source, frame, atMs)
  }
}

/** A speaker may be in two lanes at once. The clocks of two lanes do not quite agree, so the bytes decide. */
function isCopy({ sent, recent }: Speaker, lane: Lane, { payload }: WireFrame, atMs: number): boolean {
  if (!sent || sent.lane === lane || atMs > sent.endMs + CLOCKS_APART_MS) return false
  return recent.has(payload)
}

/** Behind the packet before it, though an unsettled clock or that of another lane may say otherwise. The next silence makes up for it. */
function place(speaker: Speaker, lane: Lane, { payload }: WireFrame, clockMs: number): number {
  const overlapMs = Math.max(0, (speaker.sent?.endMs ?? clockMs) - clockMs)
  const atMs = clockMs + Math.min(CLOCKS_APART_MS, overlapMs)
  speaker.sent = { lane, endMs: atMs + opusMs(payload) }
  speaker.recent.push(payload)
  return atMs
}
