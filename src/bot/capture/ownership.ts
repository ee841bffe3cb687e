// The owner of one source. The driver learns of a change a little before or after the media shows it.
import type { TrackKind } from '../../domain/recording.ts'

export type Owner = { readonly participantId: string | null; readonly kind: TrackKind }

export type OwnerChange =
  /** The first owner: media from before is theirs too. */
  | { readonly kind: 'named'; readonly owner: Owner }
  /** Another owner since then, or an unknown one. */
  | { readonly kind: 'changed'; readonly owner: Owner; readonly sinceMs: number }

/** `leaving`: the driver no longer knows the owner, and their last packets may be on the way. */
type State = { readonly kind: 'settled' } | { readonly kind: 'leaving'; readonly sinceMs: number }

/** Audio so long after its owner left is another participant's. */
const LAST_PACKETS_MS = 150

export class Ownership {
  readonly #patienceMs: number
  #owner: Owner
  #state: State = { kind: 'settled' }

  /** `patienceMs`: so long a source that lost its owner waits for their last packets, and for the name of the next owner. */
  constructor(owner: Owner, patienceMs: number) {
    this.#owner = owner
    this.#patienceMs = patienceMs
  }

  get owner(): Owner {
    return this.#owner
  }

  assign(owner: Owner, nowMs: number): OwnerChange | null {
    const sinceMs = this.#state.kind === 'leaving' ? this.#state.sinceMs : nowMs
    const isKnown = this.#owner.participantId === owner.participantId && this.#owner.kind === owner.kind
    const isLeaving = !isKnown && owner.participantId === null && this.#patienceMs > 0
    this.#state = isLeaving ? { kind: 'leaving', sinceMs } : { kind: 'settled' }
    return isKnown || isLeaving ? null : this.#change(owner, sinceMs)
  }

  onPacket(atMs: number): OwnerChange | null {
    if (this.#state.kind === 'settled' || atMs <= this.#state.sinceMs + LAST_PACKETS_MS) return null
    return this.#leave(this.#state.sinceMs)
  }

  tick(nowMs: number): OwnerChange | null {
    if (this.#state.kind === 'settled' || nowMs <= this.#state.sinceMs + this.#patienceMs) return null
    return this.#leave(nowMs)
  }

  #leave(sinceMs: number): OwnerChange {
    this.#state = { kind: 'settled' }
    return this.#change({ ...this.#owner, participantId: null }, sinceMs)
  }

  #change(owner: Owner, sinceMs: number): OwnerChange {
    const isFirst = this.#owner.participantId === null && owner.participantId !== null
    this.#owner = owner
    return isFirst ? { kind: 'named', owner } : { kind: 'changed', owner, sinceMs }
  }
}
