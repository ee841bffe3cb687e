// Matches the sources that the page announces with the owners that the driver reports. This is the only list of both.
import { printTrackRef, type TrackOwner, type TrackRef } from '../../../domain/meeting.ts'
import type { TrackKind } from '../../../domain/recording.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { Owner } from './source-owner.ts'

type OnOwner = (source: string, participantId: string | null, kind: TrackKind) => void
/** `owner` is null until the driver names one. */
type Known = { readonly info: SourceInfo; readonly owner: Owner | null }

const UNKNOWN: Owner = { participantId: null, kind: 'audio' }

export class OwnerMatcher {
  readonly #onOwner: OnOwner
  readonly #sources = new Map<string, Known>()
  #owners: ReadonlyMap<string, TrackOwner> = new Map()

  /** `onOwner` is called on every match, also when the owner is the same as before. */
  constructor(onOwner: OnOwner) {
    this.#onOwner = onOwner
  }

  get sources(): ReadonlyMap<string, Known> {
    return this.#sources
  }

  removeSource(source: string): void {
    this.#sources.delete(source)
  }

  /** The owners of all tracks, as the driver knows them now. */
  setOwners(owners: readonly TrackOwner[]): void {
    this.#owners = new Map(owners.map((owner) => [printTrackRef(owner.track), owner]))
    for (const [source, { info }] of [...this.#sources]) this.addSource(source, info)
  }

  /** Null while the owner is unknown. */
  participantOf(source: string): string | null {
    return this.#sources.get(source)?.owner?.participantId ?? null
  }

  /** For a new source, and when the info of a known one or the owners change. */
  addSource(source: string, info: SourceInfo): void {
    // An SFU assigns the CSRC of a participant who left to another one, sometimes before the driver learns of it. A track keeps its owner.
    const found: Owner | undefined = this.#find(info) ?? (info.ref.kind === 'csrc' ? UNKNOWN : undefined)
    this.#sources.set(source, { info, owner: found ?? this.#sources.get(source)?.owner ?? null })
    if (found) this.#onOwner(source, found.participantId, found.kind)
  }

  #find(info: SourceInfo): TrackOwner | undefined {
    return refsOf(info)
      .map((ref) => this.#owners.get(printTrackRef(ref)))
      .find((owner) => owner !== undefined)
  }
}

/** A lane's media stream carries several participants, so only video is matched by its stream. */
function refsOf({ ref, kind, streamId }: SourceInfo): readonly TrackRef[] {
  return kind === 'video' ? [ref, { kind: 'stream', id: streamId }] : [ref]
}
