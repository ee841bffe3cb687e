// What is known of a source: a whole track of the page, or the packets of one CSRC in whichever lane they come.
import { printTrackRef, type TrackRef } from '../../domain/meeting.ts'
import type { TrackNote } from './wire.ts'

/** `id` is for people to read; `ref` says what the source is. */
export type SourceNote = TrackNote & { readonly ref: Exclude<TrackRef, { readonly kind: 'stream' }> }

export function noteOfTrack(note: TrackNote): SourceNote {
  return { ...note, ref: { kind: 'track', id: note.id } }
}

export function noteOfCsrc(lane: SourceNote, csrc: number): SourceNote {
  const ref = { kind: 'csrc', csrc } as const
  return { ...lane, id: printTrackRef(ref), ref }
}
