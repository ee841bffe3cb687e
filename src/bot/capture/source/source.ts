// One source of media on its way to the disk: counts its frames and applies changes of its owner. Order and time are its kind's.
import type { TrackKind } from '../../../domain/recording.ts'
import { type OwnerChange, SourceOwner } from '../attribute/source-owner.ts'
import type { WireFrame } from '../wire.ts'
import type { Segment } from '../write/segment.ts'
import { type RecordingState, TrackWriter, type WriterDeps } from '../write/track-writer.ts'
import { AudioSource } from './audio-source.ts'
import { ContainerSource } from './container-source.ts'
import { KeyFrames } from './key-frames.ts'
import type { SourceNote } from './source-note.ts'
import { VideoSource } from './video-source.ts'

/** A CSRC mapping may lag the audio by this much, so packets of a CSRC are held. */
const CSRC_DELAY_MS = 750

export type SourceDeps = WriterDeps & {
  readonly nowMs: () => number
  readonly requestKeyFrame: () => void
}

export type SourceHealth = {
  readonly note: SourceNote
  readonly participantId: string | null
  readonly kind: TrackKind
  readonly bytes: number
  readonly frames: number
  readonly keyFrames: number
  /** Frames that are in no file: the memory was full, their key frame missing, or their owner unknown. */
  readonly dropped: number
  /** Late frames and duplicates. */
  readonly repeated: number
  /** Session time of the last frame's arrival; null before the first. */
  readonly lastFrameMs: number | null
  readonly speaking: boolean
}

export class Source {
  note: SourceNote
  readonly #deps: SourceDeps
  readonly #owner: SourceOwner
  readonly #writer: TrackWriter
  readonly #keys: KeyFrames
  readonly #media: AudioSource | VideoSource
  readonly #containers: ContainerSource
  #counts = { bytes: 0, frames: 0, keyFrames: 0 }
  #lastFrameMs: number | null = null

  constructor(deps: SourceDeps, note: SourceNote, recording: RecordingState) {
    this.#deps = deps
    this.note = note
    const isInTurns = note.ref.kind === 'csrc'
    const ownerDelayMs = isInTurns ? CSRC_DELAY_MS : 0
    this.#owner = new SourceOwner({ participantId: null, kind: note.kind === 'audio' ? 'audio' : 'camera' }, ownerDelayMs)
    this.#writer = new TrackWriter(deps, this.#owner.current, { isInTurns, isMix: note.isMix ?? false, recording })
    this.#keys = new KeyFrames(() => note.kind === 'video' && deps.requestKeyFrame(), deps.nowMs)
    this.#media =
      note.kind === 'audio'
        ? new AudioSource(this.#writer, ownerDelayMs)
        : new VideoSource(this.#writer, this.#keys, { nowMs: deps.nowMs, isSlot: note.isSlot ?? false })
    this.#containers = new ContainerSource(this.#writer, this.#keys)
  }

  /** The track that is being written; null before the first frame. */
  get trackId(): string | null {
    return this.#writer.trackId
  }

  get segment(): Segment | null {
    return this.#writer.segment
  }

  push(frame: WireFrame, arrivedMs: number): void {
    this.#count(frame)
    if (frame.kind === 'chunk') this.#containers.push(frame, arrivedMs)
    else if (frame.kind === this.#media.kind) this.#media.push(frame, arrivedMs)
    this.#apply(this.#owner.onPacket(arrivedMs))
  }

  /** A packet of a lane, which the lane has ordered and timed. */
  pushTimed(frame: WireFrame, atMs: number): void {
    if (frame.mixes.length === 0) this.#count(frame)
    if (this.#media.kind === 'audio') this.#media.pushTimed(frame, atMs)
    this.#apply(this.#owner.onPacket(atMs))
  }

  /** The first owner also gets the media from before. Another owner gets another track. */
  setOwner(participantId: string | null, kind: TrackKind): void {
    this.#apply(this.#owner.assign({ participantId, kind }, this.#deps.nowMs()))
  }

  pause(atMs: number): void {
    // During a pause sequence numbers may wrap, so the media after it starts a new stream.
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

  /** Releases frames that are due without waiting for a next one, which may never come. */
  tick(): void {
    const nowMs = this.#deps.nowMs()
    this.#media.tick(nowMs)
    this.#apply(this.#owner.tick(nowMs))
    this.#writer.closeIdle(nowMs)
  }

  health(): SourceHealth {
    const { dropped, repeated } = this.#media.losses
    return {
      note: this.note,
      ...this.#owner.current,
      ...this.#counts,
      dropped: dropped + this.#writer.dropped + this.#keys.lost,
      repeated,
      lastFrameMs: this.#lastFrameMs,
      speaking: this.#media.speaking,
    }
  }

  #count(frame: WireFrame): void {
    this.#counts.bytes += frame.payload.byteLength
    this.#counts.frames++
    if (frame.key) this.#counts.keyFrames++
    this.#lastFrameMs = Math.round(this.#deps.nowMs())
  }

  #apply(change: OwnerChange | null): void {
    if (!change) return
    if (change.kind === 'changed') this.#media.split(change.sinceMs)
    this.#writer.setOwner(change)
    if (change.kind === 'changed') this.#keys.restart()
  }
}
