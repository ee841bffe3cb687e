// The owner of one source. The driver may learn of a change before or after the media changes.
import type { TrackKind } from '../../../domain/recording.ts'

export type Owner = { readonly participantId: string | null; readonly kind: TrackKind }

export type OwnerChange =
  /** The first owner, who also gets the media from before. */
  | { readonly kind: 'named'; readonly owner: Owner }
  /** Another owner from `sinceMs` on, or an unknown one. */
  | { readonly kind: 'changed'; readonly owner: Owner; readonly sinceMs: number }

/** `leaving`: the driver no longer reports the owner, whose last packets may still arrive. */
type State = { readonly kind: 'settled' } | { readonly kind: 'leaving'; readonly sinceMs: number }

/** Audio that arrives later than this after its owner left is another participant's. */
const LAST_PACKETS_MS = 150

export class SourceOwner {
  readonly #graceMs: number
  #current: Owner
  #state: State = { kind: 'settled' }

  /** `graceMs`: how long a source without an owner waits for the old owner's last packets and for the next owner's name. */
  constructor(owner: Owner, graceMs: number) {
    this.#current = owner
    this.#graceMs = graceMs
  }

  get current(): Owner {
    return this.#current
  }

  assign(owner: Owner, nowMs: number): OwnerChange | null {
    const sinceMs = this.#state.kind === 'leaving' ? this.#state.sinceMs : nowMs
    const isKnown = this.#current.participantId === owner.participantId && this.#current.kind === owner.kind
    const isLeaving = !isKnown && owner.participantId === null && this.#graceMs > 0
    this.#state = isLeaving ? { kind: 'leaving', sinceMs } : { kind: 'settled' }
    return isKnown || isLeaving ? null : this.#change(owner, sinceMs)
  }

  onPacket(atMs: number): OwnerChange | null {
    if (this.#state.kind === 'settled' || atMs <= this.#state.sinceMs + LAST_PACKETS_MS) return null
    return this.#leave(this.#state.sinceMs)
  }

  tick(nowMs: number): OwnerChange | null {
    if (this.#state.kind === 'settled' || nowMs <= this.#state.sinceMs + this.#graceMs) return null
    return this.#leave(nowMs)
  }

  #leave(sinceMs: number): OwnerChange {
    this.#state = { kind: 'settled' }
    return this.#change({ ...this.#current, participantId: null }, sinceMs)
  }

  #change(owner: Owner, sinceMs: number): OwnerChange {
    const isFirst = this.#current.participantId === null && owner.participantId !== null
    this.#current = owner
    return isFirst ? { kind: 'named', owner } : { kind: 'changed', owner, sinceMs }
  }
}
