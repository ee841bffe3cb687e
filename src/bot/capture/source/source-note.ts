// Describes a source: a whole track of the page, or the packets of one CSRC in any lane.
import { printTrackRef, type TrackRef } from '../../../domain/meeting.ts'
import type { TrackNote } from '../wire.ts'

/** `ref` identifies the source; `id` is for logs. */
export type SourceNote = TrackNote & {
  readonly ref: Exclude<TrackRef, { readonly kind: 'stream' }>
  /** The source carries the sound of all participants. */
  readonly isMix?: boolean
  /** The source shows one participant after another. */
  readonly isSlot?: boolean
}

/** `isShared`: all participants share a few tracks. */
export function noteOfTrack(note: TrackNote, { isShared = false } = {}): SourceNote {
  const shared = note.kind === 'audio' ? { isMix: true } : { isSlot: true }
  return { ...note, ref: { kind: 'track', id: note.id }, ...(isShared && shared) }
}

export function noteOfCsrc(lane: SourceNote, csrc: number): SourceNote {
  const ref = { kind: 'csrc', csrc } as const
  const { isMix: _, ...note } = lane
  return { ...note, id: printTrackRef(ref), ref }
}
