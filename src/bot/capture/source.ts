// One source of media on its way to tracks and segments: counts what comes, knows the owner, and leaves order and time to its kind.
import type { TrackKind } from '../../domain/recording.ts'
import { AudioSource } from './audio-source.ts'
import { KeyFrames } from './key-frames.ts'
import { type OwnerChange, Ownership } from './ownership.ts'
import type { Segment } from './segment.ts'
import type { SourceNote } from './source-note.ts'
import { type RecordingState, TrackWriter, type WriterDeps } from './track-writer.ts'
import { VideoSource } from './video-source.ts'
import type { WireFrame } from './wire.ts'

/** A CSRC mapping may lag the audio by this much, so packets of a CSRC are held. */
const CSRC_DELAY_MS = 750

export type SourceDeps = WriterDeps & {
  readonly nowMs: () => number
  readonly askKeyFrame: () => void
}

export type SourceHealth = {
  readonly note: SourceNote
  readonly participantId: string | null
  readonly kind: TrackKind
  readonly bytes: number
  readonly frames: number
  readonly keyFrames: number
  /** Frames that are in no file: memory was full, their key frame was missing, or their owner unknown. */
  readonly dropped: number
  /** Late frames and duplicates. */
  readonly repeated: number
  /** Session time of the last arrival, null before the first. */
  readonly lastFrameMs: number | null
  readonly speaking: boolean
}

export class Source {
  note: SourceNote
  readonly #deps: SourceDeps
  readonly #ownership: Ownership
  readonly #writer: TrackWriter
  readonly #keys: KeyFrames
  readonly #media: AudioSource | VideoSource
  #counts = { bytes: 0, frames: 0, keyFrames: 0 }
  #lastFrameMs: number | null = null

  constructor(deps: SourceDeps, note: SourceNote, recording: RecordingState) {
    this.#deps = deps
    this.note = note
    const isInTurns = note.ref.kind === 'csrc'
    const ownerDelayMs = isInTurns ? CSRC_DELAY_MS : 0
    this.#ownership = new Ownership({ participantId: null, kind: note.kind === 'audio' ? 'audio' : 'camera' }, ownerDelayMs)
    this.#writer = new TrackWriter(deps, this.#ownership.owner, { isInTurns, isMix: note.isMix ?? false, recording })
    this.#keys = new KeyFrames(() => note.kind === 'video' && deps.askKeyFrame(), deps.nowMs)
    this.#media =
      note.kind === 'audio'
        ? new AudioSource(this.#writer, ownerDelayMs)
        : new VideoSource(this.#writer, this.#keys, { nowMs: deps.nowMs, isSlot: note.isSlot ?? false })
  }

  /** Of the track that is being written; null before the first frame. */
  get trackId(): string | null {
    return this.#writer.trackId
  }

  get segment(): Segment | null {
    return this.#writer.segment
  }

  take(frame: WireFrame, arrivedMs: number): void {
    this.#count(frame)
    if (frame.kind === 'chunk') this.#chunk(frame, arrivedMs)
    else if (frame.kind === this.#media.kind) this.#media.take(frame, arrivedMs)
    this.#apply(this.#ownership.onPacket(arrivedMs))
  }

  /** A packet of a lane, which has been ordered and timed with the lane. */
  takeTimed(frame: WireFrame, atMs: number): void {
    if (frame.mixes.length === 0) this.#count(frame)
    if (this.#media.kind === 'audio') this.#media.takeTimed(frame, atMs)
    this.#apply(this.#ownership.onPacket(atMs))
  }

  /** Media that came before its owner was known is theirs too; media of another owner is another track. */
  own(participantId: string | null, kind: TrackKind): void {
    this.#apply(this.#ownership.assign({ participantId, kind }, this.#deps.nowMs()))
  }

  pause(atMs: number): void {
    // During a pause a sender's sequence numbers may come full circle: the end is also a new start.
    this.end(atMs)
    this.#writer.setRecording({ kind: 'paused' })
  }

  resume(atMs: number): void {
    this.#writer.setRecording({ kind: 'recording', fromMs: atMs })
    this.#keys.restart()
  }

  end(untilMs?: number): void {
    this.#media.flush()
    this.#writer.close(untilMs)
  }

  /** For everything that must not wait for a next frame, which may never come. */
  tick(): void {
    const nowMs = this.#deps.nowMs()
    this.#media.tick(nowMs)
    this.#apply(this.#ownership.tick(nowMs))
    this.#writer.closeIdle(nowMs)
  }

  health(): SourceHealth {
    const { dropped, repeated } = this.#media.losses
    const losses = { dropped: dropped + this.#writer.dropped + this.#keys.lost, repeated }
    const now = { lastFrameMs: this.#lastFrameMs, speaking: this.#media.speaking }
    return { note: this.note, ...this.#ownership.owner, ...this.#counts, ...losses, ...now }
  }

  #count(frame: WireFrame): void {
    this.#counts.bytes += frame.payload.byteLength
    this.#counts.frames++
    if (frame.key) this.#counts.keyFrames++
    this.#lastFrameMs = Math.round(this.#deps.nowMs())
  }

  /** Containers that the page writes itself start whole, so each is a segment. */
  #chunk(frame: WireFrame, arrivedMs: number): void {
    if (!this.#writer.records(arrivedMs)) {
      this.#keys.isMissing = true
      return
    }
    if (frame.first) this.#writer.close(arrivedMs)
    if (this.#keys.isLost(frame.first)) return
    const written = { atMs: arrivedMs, durationMs: 0, key: frame.first, payload: frame.payload }
    if (!this.#writer.write(frame, written, null)) this.#keys.isMissing = true
  }

  #apply(change: OwnerChange | null): void {
    if (!change) return
    if (change.kind === 'changed') this.#media.split(change.sinceMs)
    this.#writer.own(change)
    if (change.kind === 'changed') this.#keys.restart()
  }
}
