// Lanes: some meetings send the loudest speakers in turn over a few tracks, and name the speaker of every packet. Each is dealt out to a
// source of the speaker's own; a packet that names nobody stays with its lane.
import { TrackClock } from './clock.ts'
import { OPUS_RATE, opusMs } from './codec.ts'
import { RecentPayloads } from './late.ts'
import { Reorder } from './reorder.ts'
import { noteOfCsrc, type SourceNote } from './source-note.ts'
import type { WireFrame } from './wire.ts'

/** Whoever was silent for longer is another source when they speak again; what is kept for them is given back. */
const IDLE_MS = 5 * 60_000
/** More than any meeting has speakers within that time: the rest is a page that makes them up, and stays with its lane. */
const MOST_SPEAKERS = 512
/** The clocks of two lanes are never further apart. */
const CLOCKS_APART_MS = 500

export type LaneSink = {
  noteOf(lane: string): SourceNote | undefined
  /** Somebody speaks who was not heard before, or not for long. */
  track(source: string, note: SourceNote): void
  /** In the order of sending, once. */
  frame(source: string, frame: WireFrame, arrivedMs: number): void
  /** The same packets as they arrive, for who cannot wait for their order. */
  heard(source: string, frame: WireFrame, arrivedMs: number): void
  trackEnded(source: string): void
}

type Arrived = WireFrame & { readonly arrivedMs: number }
/** Sequence and RTP time go on from speaker to speaker, so order and clock are the lane's. What its clock crowds, `place` puts in line again. */
type Lane = { readonly source: string; readonly order: Reorder<Arrived>; readonly clock: TrackClock }
type Speaker = {
  readonly source: string
  heardMs: number
  arrivedIn: Lane
  /** Where the last packet that was dealt out came from, and when it is over. */
  dealt: { readonly lane: Lane; readonly endMs: number } | null
  readonly recent: RecentPayloads
}

export class Lanes {
  readonly #sink: LaneSink
  readonly #ignored: ReadonlySet<number>
  readonly #lanes = new Map<string, Lane>()
  readonly #speakers = new Map<number, Speaker>()

  /** `ignored`: sources that name no participant. */
  constructor(sink: LaneSink, ignored: readonly number[] = []) {
    this.#sink = sink
    this.#ignored = new Set(ignored).add(0)
  }

  /** Audio as it came. A track that never names anybody is no lane, and passes as it is. */
  take(source: string, frame: WireFrame, arrivedMs: number): void {
    const named = !this.#ignored.has(frame.csrc)
    const known = this.#lanes.get(source)
    if (!known && !named) {
      this.#sink.frame(source, frame, arrivedMs)
      this.#sink.heard(source, frame, arrivedMs)
      return
    }
    const lane = known ?? this.#open(source)
    const speaker = named ? this.#see(frame.csrc, lane, arrivedMs) : null
    // The lane's numbers count the packets of others, too.
    this.#sink.heard(speaker?.source ?? source, { ...frame, sequence: null, csrc: 0 }, arrivedMs)
    for (const packet of lane.order.push({ ...frame, arrivedMs })) this.#deal(lane, packet)
  }

  /** Whatever must not wait for a next packet that may never come. */
  tick(nowMs: number): void {
    for (const lane of this.#lanes.values()) this.#flush(lane)
    for (const [csrc, { source, heardMs }] of this.#speakers) {
      if (nowMs - heardMs < IDLE_MS) continue
      this.#speakers.delete(csrc)
      this.#sink.trackEnded(source)
    }
  }

  /** What comes next may be numbered as anything. */
  pause(): void {
    for (const lane of this.#lanes.values()) for (const packet of lane.order.restart()) this.#deal(lane, packet)
  }

  end(source: string): void {
    const lane = this.#lanes.get(source)
    if (lane) this.#flush(lane)
    this.#lanes.delete(source)
  }

  #open(source: string): Lane {
    const lane = { source, order: new Reorder<Arrived>(), clock: new TrackClock(OPUS_RATE, { crowds: true }) }
    this.#lanes.set(source, lane)
    return lane
  }

  /** Null where there is no room for one more. */
  #see(csrc: number, lane: Lane, nowMs: number): Speaker | null {
    const speaker = this.#speakers.get(csrc) ?? this.#meet(csrc, lane, nowMs)
    if (!speaker) return null
    // What the old lane still waits for must not come behind what the new one brings.
    if (speaker.arrivedIn !== lane) this.#flush(speaker.arrivedIn)
    speaker.arrivedIn = lane
    speaker.heardMs = nowMs
    return speaker
  }

  #meet(csrc: number, lane: Lane, nowMs: number): Speaker | null {
    const note = this.#sink.noteOf(lane.source)
    if (!note || this.#speakers.size >= MOST_SPEAKERS) return null
    const own = noteOfCsrc(note, csrc)
    const speaker: Speaker = { source: own.id, heardMs: nowMs, arrivedIn: lane, dealt: null, recent: new RecentPayloads() }
    this.#speakers.set(csrc, speaker)
    this.#sink.track(speaker.source, own)
    return speaker
  }

  #flush(lane: Lane): void {
    for (const packet of lane.order.flush()) this.#deal(lane, packet)
  }

  #deal(lane: Lane, { arrivedMs, ...frame }: Arrived): void {
    const atMs = lane.clock.at(frame, arrivedMs)
    const speaker = this.#speakers.get(frame.csrc)
    if (!speaker) this.#sink.frame(lane.source, inSessionTime(frame, atMs), atMs)
    else if (!isAgain(speaker, lane, frame, atMs)) {
      const placedMs = place(speaker, lane, frame, atMs)
      this.#sink.frame(speaker.source, inSessionTime(frame, placedMs), placedMs)
    }
  }
}

/** Whoever is in two lanes at once is heard once. Not their times but their bytes say so: the clocks of two lanes do not quite agree. */
function isAgain({ dealt, recent }: Speaker, lane: Lane, { payload }: WireFrame, atMs: number): boolean {
  if (!dealt || dealt.lane === lane || atMs > dealt.endMs + CLOCKS_APART_MS) return false
  return recent.has(payload)
}

/** Never into what was dealt out before, though a clock may say so until it has settled, or that of another lane: silences make up for it. */
function place(speaker: Speaker, lane: Lane, { payload }: WireFrame, atMs: number): number {
  const { dealt, recent } = speaker
  const placedMs = atMs + (dealt ? Math.min(CLOCKS_APART_MS, Math.max(0, dealt.endMs - atMs)) : 0)
  speaker.dealt = { lane, endMs: placedMs + opusMs(payload) }
  recent.push(payload)
  return placedMs
}

/** The lane's clock has said when: RTP time is written anew from it, as one sender that goes through all lanes would have counted. */
function inSessionTime(frame: WireFrame, atMs: number): WireFrame {
  return { ...frame, rtpTimestamp: Math.round((atMs * OPUS_RATE) / 1000) >>> 0, sequence: null, ssrc: 0, csrc: 0 }
}
