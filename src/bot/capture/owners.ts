// Whose a source is: the recording knows sources by their tracks, the meeting knows whose the tracks are, and here the two meet.
import type { TrackOwner } from '../../domain/meeting.ts'
import type { TrackKind } from '../../domain/recording.ts'
import type { TrackNote } from './wire.ts'

export class Owners {
  readonly #own: (source: string, participantId: string, kind: TrackKind) => void
  readonly #trackOf = new Map<string, string>()
  #ownerOf: ReadonlyMap<string, TrackOwner> = new Map()

  constructor(own: (source: string, participantId: string, kind: TrackKind) => void) {
    this.#own = own
  }

  /** The recording has a source, and this is its track. */
  note(source: string, { id }: TrackNote): void {
    this.#trackOf.set(source, id)
    this.#match(source)
  }

  forget(source: string): void {
    this.#trackOf.delete(source)
  }

  /** The meeting says whose its tracks are now. */
  learn(owners: readonly TrackOwner[]): void {
    this.#ownerOf = new Map(owners.map((owner) => [owner.trackId, owner]))
    for (const source of this.#trackOf.keys()) this.#match(source)
  }

  /** Null while nobody knows. */
  participantOf(source: string): string | null {
    return this.#ownerOf.get(this.#trackOf.get(source) ?? '')?.participantId ?? null
  }

  #match(source: string): void {
    const owner = this.#ownerOf.get(this.#trackOf.get(source) ?? '')
    if (owner) this.#own(source, owner.participantId, owner.kind)
  }
}
