// A source of media, and the sink through which its frames pass from step to step.
import { printTrackRef, type TrackRef } from '../../../domain/meeting.ts'
import type { TrackInfo, WireFrame } from '../wire.ts'

/** A whole track of the page, or the packets of one CSRC in any lane. `ref` identifies the source; `id` is for logs. */
export type SourceInfo = TrackInfo & {
  readonly ref: Exclude<TrackRef, { readonly kind: 'stream' }>
  /** The source carries the sound of all participants. */
  readonly isMix?: boolean
  /** The source shows one participant after another. */
  readonly isSlot?: boolean
}

/** The lane of a packet, and its place there. */
export type LanePlace = {
  readonly track: string
  /** Continues from speaker to speaker, as the RTP timestamp does. */
  readonly sequence: number | null
  /** The sources of the participants that the packet mixes; empty if it has the sound of one, or of an unknown one. */
  readonly speakers: readonly string[]
}

export type FrameSink = {
  /** For a new source, and when the info of a known one changes. */
  track(source: string, info: SourceInfo): void
  /** A frame as it arrived. `lane` is null for frames of a track that one source has alone. */
  frame(source: string, frame: WireFrame, arrivedMs: number, lane?: LanePlace | null): void
  trackEnded(source: string): void
}

export function infoOfTrack(info: TrackInfo): SourceInfo {
  return { ...info, ref: { kind: 'track', id: info.id } }
}

export function infoOfCsrc(lane: SourceInfo, csrc: number): SourceInfo {
  const ref = { kind: 'csrc', csrc } as const
  const { isMix: _, ...info } = lane
  return { ...info, id: printTrackRef(ref), ref }
}
