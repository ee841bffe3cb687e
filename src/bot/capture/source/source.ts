// One source of media on its way to the disk: counts its frames, orders and times those of its own track, and applies changes of its owner.
import type { TrackKind } from '../../../domain/recording.ts'
import { type OwnerChange, SourceOwner } from '../attribute/source-owner.ts'
import { type Arrived, AudioTiming, type Timed, VideoTiming } from '../time/source-timing.ts'
import type { WireFrame } from '../wire.ts'
import type { Segment } from '../write/segment.ts'
import { type RecordingState, TrackWriter, type WriterDeps } from '../write/track-writer.ts'
import { AudioSource } from './audio-source.ts'
import type { SourceInfo } from './source-info.ts'
import { KeyFrames, VideoSource } from './video-source.ts'

/** A CSRC mapping may lag the audio by this much, so packets of a CSRC are held. */
const CSRC_DELAY_MS = 750

export type SourceDeps = WriterDeps & {
  readonly nowMs: () => number
  readonly requestKeyFrame: () => void
}

export type SourceHealth = {
  readonly info: SourceInfo
  readonly participantId: string | null
  readonly kind: TrackKind
  readonly bytes: number
  readonly frames: number
  /** Frames that are in no file: the memory was full, their key frame missing, or their owner unknown. */
  readonly dropped: number
  /** Late frames and duplicates. */
  readonly repeated: number
  /** Session time of the last frame's arrival; null before the first. */
  readonly lastFrameMs: number | null
}

export class Source {
  info: SourceInfo
  readonly #deps: SourceDeps
  readonly #owner: SourceOwner
  readonly #writer: TrackWriter
  readonly #keys: KeyFrames
  readonly #timing: AudioTiming | VideoTiming
  readonly #media: AudioSource | VideoSource
  #counts = { bytes: 0, frames: 0 }
  #lastFrameMs: number | null = null

  constructor(deps: SourceDeps, info: SourceInfo, recording: RecordingState) {
    this.#deps = deps
    this.info = info
    const isInTurns = info.ref.kind === 'csrc'
    const ownerDelayMs = isInTurns ? CSRC_DELAY_MS : 0
    this.#owner = new SourceOwner({ participantId: null, kind: info.kind === 'audio' ? 'audio' : 'camera' }, ownerDelayMs)
    this.#writer = new TrackWriter(deps, this.#owner.current, { isInTurns, isMix: info.isMix ?? false, recording })
    this.#keys = new KeyFrames(() => info.kind === 'video' && deps.requestKeyFrame(), deps.nowMs)
    this.#timing = info.kind === 'audio' ? new AudioTiming() : new VideoTiming(info.isSlot ?? false)
    this.#media = info.kind === 'audio' ? new AudioSource(this.#writer, ownerDelayMs) : new VideoSource(this.#writer, this.#keys)
  }

  /** The track that is being written; null before the first frame. */
  get trackId(): string | null {
    return this.#writer.trackId
  }

  /** Session time; -1 before the first frame. */
  get lastFrameMs(): number {
    return this.#lastFrameMs ?? -1
  }

  get segment(): Segment | null {
    return this.#writer.segment
  }

  count(frame: WireFrame): void {
    this.#counts.bytes += frame.payload.byteLength
    this.#counts.frames++
    this.#lastFrameMs = Math.round(this.#deps.nowMs())
  }

  /** Orders and times a frame of the source's own track. A container has no RTP timestamps, so its time is that of its arrival. */
  time(frame: Arrived): readonly Timed[] {
    return frame.kind === 'chunk' ? [{ ...frame, atMs: frame.arrivedMs }] : this.#timing.push(frame)
  }

  write(frame: Timed): void {
    if (frame.kind === 'chunk') this.#writeContainer(frame)
    else if (frame.kind === this.#media.kind) this.#media.write(frame)
    this.#apply(this.#owner.onPacket(frame.atMs))
  }

  /** Writes the frames that wait for later ones. */
  flush(): void {
    for (const frame of this.#timing.restart()) this.write(frame)
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
    this.flush()
    if (this.#media.kind === 'audio') this.#media.flush()
    this.#writer.close(untilMs)
  }

  /** Releases frames that are due without waiting for a next one, which may never come. */
  tick(): void {
    const nowMs = this.#deps.nowMs()
    for (const frame of this.#timing.release(nowMs)) this.write(frame)
    if (this.#media.kind === 'audio') this.#media.tick(nowMs)
    this.#apply(this.#owner.tick(nowMs))
    this.#writer.closeIdle(nowMs)
  }

  health(): SourceHealth {
    const { dropped, repeated } = this.#timing.losses
    return {
      info: this.info,
      ...this.#owner.current,
      ...this.#counts,
      dropped: dropped + this.#writer.dropped + this.#keys.lost,
      repeated,
      lastFrameMs: this.#lastFrameMs,
    }
  }

  #apply(change: OwnerChange | null): void {
    if (!change) return
    if (change.kind === 'changed') this.#split(change.sinceMs)
    this.#writer.setOwner(change)
    if (change.kind === 'changed') this.#keys.restart()
  }

  #split(sinceMs: number): void {
    const waiting = this.#timing.split(this.#deps.nowMs())
    if (this.#media.kind === 'audio') this.#media.split(waiting, sinceMs)
    else for (const frame of waiting) this.write(frame)
  }

  /** A container that the page records itself starts with its own header, so each is a segment. */
  #writeContainer(frame: Timed): void {
    const { atMs, first, payload } = frame
    if (!this.#writer.records(atMs)) {
      this.#keys.isMissing = true
      return
    }
    if (first) this.#writer.close(atMs)
    if (this.#keys.isLost(first)) return
    if (!this.#writer.write(frame, { atMs, durationMs: 0, key: first, payload }, null)) this.#keys.isMissing = true
  }
}
