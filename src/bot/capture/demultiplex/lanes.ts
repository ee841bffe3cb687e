// Demultiplexes audio. Some meetings send the loudest speakers in turn over a few tracks, the lanes. Each packet names its speaker by a
// CSRC, and the packets of one CSRC become one source, in whichever lane they come. A packet without a CSRC stays with its track.
import { type FrameSink, infoOfCsrc, type SourceInfo } from '../source/source-info.ts'
import type { WireFrame } from '../wire.ts'

/** A CSRC that is silent for longer is removed, and is a new source when it returns. */
const IDLE_MS = 5 * 60_000
/** More speakers than any meeting has within that time. The packets of further CSRCs stay in their lane. */
const MOST_SPEAKERS = 512
/** A mix that is silent for this long has moved to another track. */
const SILENT_MAIN_MS = 1_000

export type LanesOptions = { readonly ignored?: readonly number[]; readonly mixed?: boolean; readonly ownStreams?: RegExp }

type Track = { readonly info: SourceInfo; isLane: boolean }
type Speaker = { readonly source: string; lastMs: number }

export class Lanes implements FrameSink {
  readonly #sink: FrameSink
  readonly #ignored: ReadonlySet<number>
  readonly #mixed: boolean
  readonly #ownStreams: RegExp | undefined
  /** Of a mix: the track that is recorded, and the time of its last packet. */
  #main: { readonly source: string; readonly atMs: number } | null = null
  readonly #tracks = new Map<string, Track>()
  readonly #speakers = new Map<number, Speaker>()

  /** `ignored`: CSRCs that name no participant. `mixed`: one track carries all participants, and another one is its copy. `ownStreams`:
   * the form of stream ids of single participants. The audio of other streams carries all of them. */
  constructor(sink: FrameSink, { ignored = [], mixed = false, ownStreams }: LanesOptions = {}) {
    this.#sink = sink
    this.#ignored = new Set(ignored).add(0)
    this.#mixed = mixed
    this.#ownStreams = ownStreams
  }

  track(source: string, given: SourceInfo): void {
    const info = { ...given, ...(this.#isMix(given) && { isMix: true }), ...(this.#mixed && given.kind === 'video' && { isSlot: true }) }
    this.#tracks.set(source, { info, isLane: this.#tracks.get(source)?.isLane ?? false })
    this.#sink.track(source, info)
  }

  frame(source: string, frame: WireFrame, arrivedMs: number): void {
    const track = this.#tracks.get(source)
    if (frame.kind !== 'audio') this.#sink.frame(source, frame, arrivedMs)
    else if (track && !(this.#mixed && this.#isCopy(source, arrivedMs))) this.#split(source, track, frame, arrivedMs)
  }

  trackEnded(source: string): void {
    this.#tracks.delete(source)
    this.#sink.trackEnded(source)
  }

  /** A packet of this track has had a CSRC. */
  isLane(source: string): boolean {
    return this.#tracks.get(source)?.isLane ?? false
  }

  /** Removes silent CSRCs. */
  tick(nowMs: number): void {
    for (const [csrc, { source, lastMs }] of this.#speakers) {
      if (nowMs - lastMs < IDLE_MS) continue
      this.#speakers.delete(csrc)
      this.#sink.trackEnded(source)
    }
  }

  /** A track that has had no CSRC is no lane: its packets pass unchanged. */
  #split(source: string, track: Track, frame: WireFrame, arrivedMs: number): void {
    const named = [frame.csrc, ...frame.mixes].filter((csrc) => !this.#ignored.has(csrc))
    track.isLane ||= named.length > 0
    if (!track.isLane) {
      this.#sink.frame(source, frame, arrivedMs)
      return
    }
    const speakers = named.flatMap((csrc) => this.#speaker(csrc, track.info, arrivedMs) ?? [])
    const isMixed = named.length > 1
    const owner = isMixed ? source : (speakers[0] ?? source)
    const lane = { track: source, sequence: frame.sequence, speakers: isMixed ? speakers : [] }
    // The lane's sequence numbers count the packets of other speakers too.
    this.#sink.frame(owner, { ...frame, sequence: null, csrc: 0, mixes: [] }, arrivedMs, lane)
  }

  #isMix({ kind, streamId }: SourceInfo): boolean {
    return kind === 'audio' && (this.#mixed || (this.#ownStreams !== undefined && !this.#ownStreams.test(streamId)))
  }

  #isCopy(source: string, atMs: number): boolean {
    const isCopy = this.#main !== null && this.#main.source !== source && atMs - this.#main.atMs < SILENT_MAIN_MS
    if (!isCopy) this.#main = { source, atMs }
    return isCopy
  }

  /** The source of a CSRC; null if there are too many. */
  #speaker(csrc: number, lane: SourceInfo, atMs: number): string | null {
    const known = this.#speakers.get(csrc)
    if (known) known.lastMs = atMs
    if (known || this.#speakers.size >= MOST_SPEAKERS) return known?.source ?? null
    const info = infoOfCsrc(lane, csrc)
    this.#speakers.set(csrc, { source: info.id, lastMs: atMs })
    this.#sink.track(info.id, info)
    return info.id
  }
}
