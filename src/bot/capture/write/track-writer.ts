// Writes the frames of one source: a track for each owner, in segments of at most ten seconds, except while the recording is paused.
import type { ManifestFact } from '../../../domain/recording.ts'
import type { Owner, OwnerChange } from '../attribute/source-owner.ts'
import { OPUS_CHANNELS, OPUS_RATE } from '../codec.ts'
import type { Span } from '../source/speech-detector.ts'
import type { WireFrame } from '../wire.ts'
import type { MemoryBudget } from './growing-file.ts'
import { Segment, type SegmentFrame } from './segment.ts'

export const LONGEST_SEGMENT_MS = 10_000
const SILENT_MS = 2_000

export type WriterDeps = {
  readonly folder: string
  readonly budget: MemoryBudget
  readonly append: (fact: ManifestFact) => void
  readonly newTrackId: () => string
  readonly closing: (segment: Segment, untilMs: number | undefined) => void
}

export type RecordingState = { readonly kind: 'paused' } | { readonly kind: 'recording'; readonly fromMs: number }

type WriterOptions = {
  /** The meeting sends the source only while its owner is among the loudest. */
  readonly isInTurns: boolean
  /** The source carries all participants at once. */
  readonly isMix: boolean
  readonly recording: RecordingState
}

type Track = { readonly id: string; segments: number }
type State =
  /** No frame of this owner has been written. */
  | { readonly kind: 'new' }
  | { readonly kind: 'between segments'; readonly track: Track }
  | { readonly kind: 'writing'; readonly track: Track; readonly segment: Segment; lastMs: number }

export class TrackWriter {
  /** Frames dropped because the memory was full. */
  dropped = 0
  readonly #deps: WriterDeps
  readonly #shape: Pick<WriterOptions, 'isInTurns' | 'isMix'>
  #owner: Owner
  #recording: RecordingState
  #state: State = { kind: 'new' }

  constructor(deps: WriterDeps, owner: Owner, { recording, ...shape }: WriterOptions) {
    this.#deps = deps
    this.#owner = owner
    this.#shape = shape
    this.#recording = recording
  }

  get segment(): Segment | null {
    return this.#state.kind === 'writing' ? this.#state.segment : null
  }

  get trackId(): string | null {
    return this.#state.kind === 'new' ? null : this.#state.track.id
  }

  /** Time of the last frame in the open segment. */
  get lastMs(): number | null {
    return this.#state.kind === 'writing' ? this.#state.lastMs : null
  }

  records(atMs: number): boolean {
    return this.#recording.kind === 'recording' && atMs >= this.#recording.fromMs
  }

  setRecording(recording: RecordingState): void {
    this.#recording = recording
  }

  /** Opens the track without writing to it: all speech of its owner may be in a mix. */
  announce(frame: WireFrame): void {
    if (this.#state.kind === 'new') this.#state = { kind: 'between segments', track: this.#openTrack(frame) }
  }

  /** False if the memory is full. */
  write(frame: WireFrame, written: SegmentFrame, codecPrivate: Uint8Array | null): boolean {
    const state = this.#state.kind === 'writing' ? this.#state : this.#open(frame, written, codecPrivate)
    state.lastMs = written.atMs
    const isWritten = state.segment.append(written)
    if (!isWritten) this.dropped++
    return isWritten
  }

  /** `untilMs` is the time of the next frame, or of the end of the recording. */
  close(untilMs: number | undefined): void {
    if (this.#state.kind !== 'writing') return
    this.#deps.closing(this.#state.segment, untilMs)
    this.#state = { kind: 'between segments', track: this.#state.track }
  }

  /** Closes the file of a source that is silent or a camera that is off. */
  closeIdle(nowMs: number): void {
    const isIdle = nowMs - (this.lastMs ?? nowMs) > SILENT_MS
    if (isIdle && this.segment && this.segment.ageMs(nowMs) > LONGEST_SEGMENT_MS) this.close(undefined)
  }

  setOwner(change: OwnerChange): void {
    const { participantId, kind } = change.owner
    if (change.kind === 'changed') {
      this.close(undefined)
      this.#state = { kind: 'new' }
    } else if (this.#state.kind !== 'new' && participantId !== null)
      this.#deps.append({ fact: 'owner', trackId: this.#state.track.id, participantId, kind })
    this.#owner = change.owner
  }

  speech(span: Span | null): void {
    if (span === null || this.#state.kind === 'new') return
    const { track } = this.#state
    const [fromMs, toMs] = [Math.round(span.fromMs), Math.round(span.toMs)]
    this.#deps.append({ fact: 'speech', trackId: track.id, participantId: this.#owner.participantId, fromMs, toMs })
  }

  #open(frame: WireFrame, { atMs, key }: SegmentFrame, codecPrivate: Uint8Array | null): Extract<State, { kind: 'writing' }> {
    const track = this.#state.kind === 'new' ? this.#openTrack(frame) : this.#state.track
    const { codec, width, height } = frame
    const place = { trackId: track.id, index: track.segments++, startMs: Math.round(atMs) }
    const segment = new Segment(this.#deps.folder, this.#deps.budget, { ...place, codec, width, height, continues: !key, codecPrivate })
    this.#deps.append(segment.opened)
    const state = { kind: 'writing', track, segment, lastMs: atMs } as const
    this.#state = state
    return state
  }

  #openTrack({ codec, width, height, kind }: WireFrame): Track {
    const id = this.#deps.newTrackId()
    const shape = kind === 'audio' ? { sampleRate: OPUS_RATE, channels: OPUS_CHANNELS } : { width, height }
    const { isInTurns, isMix } = this.#shape
    const sent = { ...(isInTurns && { inTurns: true as const }), ...(isMix && { mix: true as const }) }
    this.#deps.append({ fact: 'track', trackId: id, ...this.#owner, codec, ...(kind === 'chunk' ? {} : shape), ...sent })
    return { id, segments: 0 }
  }
}
