// The owner of each source: the page announces sources, the driver learns owners, and here the two are matched.
import { printTrackRef, type TrackOwner, type TrackRef } from '../../domain/meeting.ts'
import type { TrackKind } from '../../domain/recording.ts'
import type { SourceNote } from './source-note.ts'

type Own = (source: string, participantId: string | null, kind: TrackKind) => void

export class Owners {
  readonly #own: Own
  readonly #notes = new Map<string, SourceNote>()
  #owners: ReadonlyMap<string, TrackOwner> = new Map()

  constructor(own: Own) {
    this.#own = own
  }

  /** A source appeared, or more is known about it. */
  note(source: string, note: SourceNote): void {
    this.#notes.set(source, note)
    this.#match(source, note)
  }

  forget(source: string): void {
    this.#notes.delete(source)
  }

  /** The owners of all tracks, as the driver knows them now. */
  learn(owners: readonly TrackOwner[]): void {
    this.#owners = new Map(owners.map((owner) => [printTrackRef(owner.track), owner]))
    for (const [source, note] of this.#notes) this.#match(source, note)
  }

  /** Null while the owner is unknown. */
  participantOf(source: string): string | null {
    const note = this.#notes.get(source)
    return (note && this.#find(note)?.participantId) ?? null
  }

  #match(source: string, note: SourceNote): void {
    const owner = this.#find(note)
    if (owner) this.#own(source, owner.participantId, owner.kind)
    // The CSRC of a participant who left is assigned to another one, sometimes before the driver learns of it. A track keeps its owner.
    else if (note.ref.kind === 'csrc') this.#own(source, null, 'audio')
  }

  #find(note: SourceNote): TrackOwner | undefined {
    return refsOf(note)
      .map((ref) => this.#owners.get(printTrackRef(ref)))
      .find((owner) => owner !== undefined)
  }
}

/** A lane's media stream does not tell whose audio is in it, so only video is matched by its stream. */
function refsOf({ ref, kind, streamId }: SourceNote): readonly TrackRef[] {
  return kind === 'video' ? [ref, { kind: 'stream', id: streamId }] : [ref]
}
