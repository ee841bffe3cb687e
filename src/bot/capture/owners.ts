// The one list of sources and their owners: the page announces sources, the driver learns owners, and here the two are matched.
import { printTrackRef, type TrackOwner, type TrackRef } from '../../domain/meeting.ts'
import type { TrackKind } from '../../domain/recording.ts'
import type { Owner } from './ownership.ts'
import type { SourceNote } from './source-note.ts'

type Own = (source: string, participantId: string | null, kind: TrackKind) => void
/** `owner` is null while the driver has never named one. */
type Known = { readonly note: SourceNote; readonly owner: Owner | null }

const UNKNOWN: Owner = { participantId: null, kind: 'audio' }

export class Owners {
  readonly #own: Own
  readonly #sources = new Map<string, Known>()
  #owners: ReadonlyMap<string, TrackOwner> = new Map()

  /** `own` is called when a source is matched with an owner, also with the one it has. */
  constructor(own: Own) {
    this.#own = own
  }

  get sources(): ReadonlyMap<string, Known> {
    return this.#sources
  }

  /** A source appeared, or more is known about it. */
  note(source: string, note: SourceNote): void {
    this.#match(source, note)
  }

  forget(source: string): void {
    this.#sources.delete(source)
  }

  /** The owners of all tracks, as the driver knows them now. */
  learn(owners: readonly TrackOwner[]): void {
    this.#owners = new Map(owners.map((owner) => [printTrackRef(owner.track), owner]))
    for (const [source, { note }] of [...this.#sources]) this.#match(source, note)
  }

  /** Null while the owner is unknown. */
  participantOf(source: string): string | null {
    return this.#sources.get(source)?.owner?.participantId ?? null
  }

  #match(source: string, note: SourceNote): void {
    // The CSRC of a participant who left is assigned to another one, sometimes before the driver learns of it. A track keeps its owner.
    const found: Owner | undefined = this.#find(note) ?? (note.ref.kind === 'csrc' ? UNKNOWN : undefined)
    this.#sources.set(source, { note, owner: found ?? this.#sources.get(source)?.owner ?? null })
    if (found) this.#own(source, found.participantId, found.kind)
  }

  #find(note: SourceNote): TrackOwner | undefined {
    return refsOf(note)
      .map((ref) => this.#owners.get(printTrackRef(ref)))
      .find((owner) => owner !== undefined)
  }
}

/** A lane's media stream carries the audio of several participants, so only video is matched by its stream. */
function refsOf({ ref, kind, streamId }: SourceNote): readonly TrackRef[] {
  return kind === 'video' ? [ref, { kind: 'stream', id: streamId }] : [ref]
}
