// What is known of a source: a whole track of the page, or the packets of one CSRC in whichever lane they come.
import { printTrackRef, type TrackRef } from '../../domain/meeting.ts'
import type { TrackNote } from './wire.ts'

/** `id` is for people to read; `ref` says what the source is. */
export type SourceNote = TrackNote & {
  readonly ref: Exclude<TrackRef, { readonly kind: 'stream' }>
  /** Its sound is that of all participants. */
  readonly isMix?: boolean
  /** It shows one participant after the other. */
  readonly isSlot?: boolean
}

/** `isShared`: all participants come in the same few tracks. */
export function noteOfTrack(note: TrackNote, { isShared = false } = {}): SourceNote {
  const shared = note.kind === 'audio' ? { isMix: true } : { isSlot: true }
  return { ...note, ref: { kind: 'track', id: note.id }, ...(isShared && shared) }
}

export function noteOfCsrc(lane: SourceNote, csrc: number): SourceNote {
  const ref = { kind: 'csrc', csrc } as const
  const { isMix: _, ...note } = lane
  return { ...note, id: printTrackRef(ref), ref }
}
