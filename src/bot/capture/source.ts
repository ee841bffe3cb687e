// One source of media, as the page sees it, on its way to tracks and segments: order, time, splits, owner, speech.
import type { ManifestFact, TrackKind } from '../../domain/recording.ts'
import { FORESIGHT_MS } from './arrivals.ts'
import { TrackClock } from './clock.ts'
import { isSame, OPUS_CHANNELS, OPUS_RATE, opusMs, privateData, VIDEO_RATE } from './codec.ts'
import { FrameOrder } from './frame-order.ts'
import type { MemoryBudget } from './growing-file.ts'
import { KeyFrames } from './key-frames.ts'
import { type Change, Ownership } from './ownership.ts'
import { Segment, type SegmentFrame } from './segment.ts'
import { SoundOrder } from './sound-order.ts'
import type { SourceNote } from './source-note.ts'
import { type Span, SpeechWatch } from './speech.ts'
import type { WireFrame } from './wire.ts'

const LONGEST_SEGMENT_MS = 10_000
/** Old enough to be split at the next key frame, and to ask for one: once a segment, which no meeting feels. */
const RIPE_SEGMENT_MS = 8_000
const SILENT_MS = 2_000
const LONGEST_FRAME_MS = 1_000
/** Whose a number is may be told that much later than it is heard: packets that come by numbers wait for it. */
const NUMBER_HOLD_MS = 750

export type SourceDeps = {
  readonly folder: string
  readonly budget: MemoryBudget
  readonly nowMs: () => number
  readonly tell: (fact: ManifestFact) => void
  readonly newTrackId: () => string
  readonly askKeyFrame: () => void
  readonly closing: (segment: Segment, untilMs: number | undefined) => void
}

export type SourceHealth = {
  readonly note: SourceNote
  readonly participantId: string | null
  readonly kind: TrackKind
  readonly bytes: number
  readonly frames: number
  readonly keyFrames: number
  /** Frames that came and are not in any file, because memory was full or their key frame was missing. */
  readonly dropped: number
  /** Came again, or too late to be put in their place. */
  readonly repeated: number
  /** Session time of the last arrival, null before the first. */
  readonly lastFrameMs: number | null
  readonly speaking: boolean
}

type Arrived = WireFrame & { readonly arrivedMs: number }

export class Source {
  note: SourceNote
  segment: Segment | null = null
  readonly #deps: SourceDeps
  readonly #clock: TrackClock
  /** One number, and those who speak under it one after another. */
  readonly #isInTurns: boolean
  readonly #packets: SoundOrder<Arrived>
  readonly #pictures = new FrameOrder<Arrived>()
  readonly #speech = new SpeechWatch()
  readonly #ownership: Ownership
  readonly #keys: KeyFrames
  #trackId: string | null = null
  #nextIndex = 0
  #recordFromMs: number | null
  #codecPrivate: Uint8Array | null = null
  #lastMs: number | null = null
  #counts = { bytes: 0, frames: 0, keyFrames: 0, dropped: 0 }
  #lastFrameMs: number | null = null

  /** `recordFromMs` is null while the recording is paused. */
  constructor(deps: SourceDeps, note: SourceNote, recordFromMs: number | null) {
    this.#deps = deps
    this.note = note
    this.#recordFromMs = recordFromMs
    this.#clock = note.kind === 'audio' ? new TrackClock(OPUS_RATE, { foreseen: true }) : new TrackClock(VIDEO_RATE, { crowds: true })
    this.#isInTurns = note.ref.kind === 'csrc'
    this.#packets = new SoundOrder(this.#isInTurns ? NUMBER_HOLD_MS : FORESIGHT_MS)
    const nobody = { participantId: null, kind: note.kind === 'audio' ? 'audio' : 'camera' } as const
    this.#ownership = new Ownership(nobody, this.#isInTurns ? NUMBER_HOLD_MS : 0)
    this.#keys = new KeyFrames(() => note.kind === 'video' && deps.askKeyFrame(), deps.nowMs)
  }

  take(frame: WireFrame, arrivedMs: number): void {
    this.#counts.bytes += frame.payload.byteLength
    this.#counts.frames++
    if (frame.key) this.#counts.keyFrames++
    this.#lastFrameMs = Math.round(this.#deps.nowMs())
    if (frame.kind === 'chunk') this.#chunk(frame, arrivedMs)
    else if (frame.kind === 'video') for (const next of this.#pictures.push({ ...frame, arrivedMs })) this.#video(next)
    else this.#sound({ ...frame, arrivedMs })
  }

  /** The driver learned whose this is. Media that came before it was known is theirs too; media of another owner is another track. */
  own(participantId: string | null, kind: TrackKind): void {
    this.#passOn(this.#ownership.told({ participantId, kind }, this.#deps.nowMs()))
  }

  pause(atMs: number): void {
    // While nobody listens a sender's numbers may come full circle: the end is also a new start.
    this.end(atMs)
    this.#recordFromMs = null
  }

  resume(atMs: number): void {
    this.#recordFromMs = atMs
    this.#keys.isMissing = true
    this.#keys.ask()
  }

  end(untilMs?: number): void {
    for (const packet of this.#packets.restart()) this.#audio(packet)
    this.#finish(untilMs)
  }

  /** Whatever must not wait for a next frame that may never come. */
  tick(): void {
    const nowMs = this.#deps.nowMs()
    for (const packet of this.#packets.release(nowMs)) this.#audio(packet)
    for (const picture of this.#pictures.release(nowMs)) this.#video(picture)
    this.#tellSpan(this.#speech.quiet(nowMs - this.#packets.holdMs))
    this.#passOn(this.#ownership.tick(nowMs))
    // A source that fell silent, or a camera that was turned off, does not keep a file open.
    if (this.segment && this.segment.ageMs(nowMs) > LONGEST_SEGMENT_MS && nowMs - (this.#lastMs ?? 0) > SILENT_MS) this.#close(undefined)
  }

  health(): SourceHealth {
    const losses = {
      dropped: this.#counts.dropped + this.#keys.lost + this.#pictures.unowned,
      repeated: this.#packets.discarded + this.#pictures.repeated,
    }
    const now = { lastFrameMs: this.#lastFrameMs, speaking: this.#speech.speaking }
    return { note: this.note, ...this.#ownership.owner, ...this.#counts, ...losses, ...now }
  }

  #finish(untilMs: number | undefined): void {
    for (const picture of this.#pictures.flush()) this.#video(picture)
    this.#tellSpan(this.#speech.end())
    this.#close(untilMs)
  }

  #sound(packet: Arrived): void {
    for (const next of this.#packets.push(packet)) this.#audio(next)
    this.#passOn(this.#ownership.heard(packet.arrivedMs))
  }

  #audio(frame: Arrived): void {
    const atMs = this.#clock.at(frame, frame.arrivedMs)
    if (!this.#records(atMs)) return
    const durationMs = opusMs(frame.payload)
    if (this.segment && this.segment.ageMs(atMs) >= LONGEST_SEGMENT_MS) this.#close(atMs)
    this.#codecPrivate = privateData(frame.codec, frame.payload)
    this.#write(frame, { atMs, durationMs, key: true, payload: frame.payload })
    this.#tellSpan(this.#speech.hear(atMs, frame.audioLevel, durationMs))
  }

  #video(frame: Arrived): void {
    const atMs = this.#clock.at(frame, frame.arrivedMs)
    if (!this.#records(atMs)) return
    if (this.#keys.isLost(frame.key)) return
    const durationMs = this.#lastMs === null ? 0 : Math.min(LONGEST_FRAME_MS, atMs - this.#lastMs)
    if (this.segment && this.#splits(this.segment, frame, atMs)) this.#close(atMs)
    if (frame.key) this.#codecPrivate = privateData(frame.codec, frame.payload)
    this.#write(frame, { atMs, durationMs, key: frame.key, payload: frame.payload })
    if (this.segment && this.segment.ageMs(atMs) >= RIPE_SEGMENT_MS) this.#keys.ask()
  }

  /** Containers that the page writes itself start whole, so each is a segment. */
  #chunk(frame: WireFrame, arrivedMs: number): void {
    if (!this.#records(arrivedMs)) {
      this.#keys.isMissing = true
      return
    }
    if (frame.first) this.#close(arrivedMs)
    if (this.#keys.isLost(frame.first)) return
    this.#write(frame, { atMs: arrivedMs, durationMs: 0, key: frame.first, payload: frame.payload })
  }

  #records(atMs: number): boolean {
    return this.#recordFromMs !== null && atMs >= this.#recordFromMs
  }

  #splits(segment: Segment, frame: WireFrame, atMs: number): boolean {
    const ageMs = segment.ageMs(atMs)
    if (segment.codec !== frame.codec || ageMs >= LONGEST_SEGMENT_MS) return true
    if (!frame.key) return false
    if (ageMs >= RIPE_SEGMENT_MS) return true
    // Only key frames tell a size that can be trusted; a new parameter set is a new stream even at the same size.
    if (segment.opened.width !== frame.width || segment.opened.height !== frame.height) return true
    return !isSame(this.#codecPrivate, privateData(frame.codec, frame.payload))
  }

  #write(frame: WireFrame, written: SegmentFrame): void {
    this.segment ??= this.#open(frame, written)
    this.#lastMs = written.atMs
    if (this.segment.append(written)) return
    // What follows would hang on a frame that is missing.
    this.#keys.isMissing = frame.kind !== 'audio'
    this.#counts.dropped++
  }

  #open(frame: WireFrame, { atMs, key }: SegmentFrame): Segment {
    this.#trackId ??= this.#openTrack(frame)
    const { codec, width, height } = frame
    const place = { trackId: this.#trackId, index: this.#nextIndex++, startMs: Math.round(atMs) }
    const plan = { ...place, codec, width, height, continues: !key, codecPrivate: this.#codecPrivate }
    const segment = new Segment(this.#deps.folder, this.#deps.budget, plan)
    this.#deps.tell(segment.opened)
    return segment
  }

  #openTrack({ codec, width, height, kind }: WireFrame): string {
    const trackId = this.#deps.newTrackId()
    const shape = kind === 'audio' ? { sampleRate: OPUS_RATE, channels: OPUS_CHANNELS } : { width, height }
    const inTurns = this.#isInTurns && ({ inTurns: true } as const)
    this.#deps.tell({ fact: 'track', trackId, ...this.#ownership.owner, codec, ...(kind === 'chunk' ? {} : shape), ...inTurns })
    return trackId
  }

  #passOn(change: Change | null): void {
    if (!change) return
    const { participantId, kind } = change.owner
    if (this.#ownership.owner.participantId === null && participantId !== null) {
      if (this.#trackId !== null) this.#deps.tell({ fact: 'owner', trackId: this.#trackId, participantId, kind })
    } else {
      for (const packet of this.#packets.passOn(change.sinceMs)) this.#audio(packet)
      // Pictures change hands with a key frame, about when the meeting says so: whose the last ones are, nobody can know.
      this.#pictures.passOn(this.#deps.nowMs())
      this.#finish(undefined)
      this.#trackId = null
      this.#nextIndex = 0
      this.#keys.isMissing = true
      this.#keys.ask()
    }
    this.#ownership.owner = change.owner
  }

  #close(untilMs: number | undefined): void {
    if (this.segment) this.#deps.closing(this.segment, untilMs)
    this.segment = null
    this.#lastMs = null
  }

  #tellSpan(span: Span | null): void {
    if (span === null || this.#trackId === null) return
    const [fromMs, toMs] = [Math.round(span.fromMs), Math.round(span.toMs)]
    this.#deps.tell({ fact: 'speech', trackId: this.#trackId, participantId: this.#ownership.owner.participantId, fromMs, toMs })
  }
}
