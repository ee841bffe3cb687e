// Whose a source is: the recording knows sources by their tracks, the meeting knows whose the tracks are, and here the two meet.
import type { TrackOwner } from '../../domain/meeting.ts'
import type { TrackKind } from '../../domain/recording.ts'
import type { TrackNote } from './wire.ts'

type Own = (source: string, participantId: string | null, kind: TrackKind) => void

export class Owners {
  readonly #own: Own
  readonly #noteOf = new Map<string, TrackNote>()
  #ownerOf: ReadonlyMap<string, TrackOwner> = new Map()

  constructor(own: Own) {
    this.#own = own
  }

  /** The recording has a source, and this is its track. */
  note(source: string, note: TrackNote): void {
    this.#noteOf.set(source, note)
    this.#match(source, note)
  }

  forget(source: string): void {
    this.#noteOf.delete(source)
  }

  /** The meeting says whose its tracks are now. */
  learn(owners: readonly TrackOwner[]): void {
    this.#ownerOf = new Map(owners.map((owner) => [owner.trackId, owner]))
    for (const [source, note] of this.#noteOf) this.#match(source, note)
  }

  /** Null while nobody knows. */
  participantOf(source: string): string | null {
    const note = this.#noteOf.get(source)
    return (note && this.#find(note)?.participantId) ?? null
  }

  #match(source: string, note: TrackNote): void {
    const owner = this.#find(note)
    if (owner) this.#own(source, owner.participantId, owner.kind)
    // The number of somebody who is gone is given to somebody else, sometimes before anybody is told.
    else if (note.id.startsWith('csrc:')) this.#own(source, null, 'audio')
  }

  /** What comes in a media stream is the owner's of the stream; only pictures are told apart in this way. */
  #find({ id, kind, streamId }: TrackNote): TrackOwner | undefined {
    return this.#ownerOf.get(id) ?? (kind === 'video' ? this.#ownerOf.get(`stream:${streamId}`) : undefined)
  }
}
