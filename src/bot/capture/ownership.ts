// Whose a source is, as the meeting says it: a little sooner or later than it is so.
import type { TrackKind } from '../../domain/recording.ts'

export type Owner = { readonly participantId: string | null; readonly kind: TrackKind }

/** Somebody else has it, since then. */
export type Change = { readonly owner: Owner; readonly sinceMs: number }

/** Whoever is heard so long after they are said to be gone is somebody else. */
const GONE_MS = 150

export class Ownership {
  owner: Owner
  readonly #patienceMs: number
  /** Since when the owner is said to be gone, and nobody is said to have come in their place. */
  #goneMs: number | null = null

  /** `patienceMs`: so long the last words of who is said to be gone are waited for, and the name of who comes in their place. */
  constructor(owner: Owner, patienceMs: number) {
    this.owner = owner
    this.#patienceMs = patienceMs
  }

  told(owner: Owner, nowMs: number): Change | null {
    const sinceMs = this.#goneMs ?? nowMs
    const isKnown = this.owner.participantId === owner.participantId && this.owner.kind === owner.kind
    this.#goneMs = !isKnown && owner.participantId === null && this.#patienceMs > 0 ? sinceMs : null
    return isKnown || this.#goneMs !== null ? null : { owner, sinceMs }
  }

  heard(atMs: number): Change | null {
    return this.#goneMs !== null && atMs > this.#goneMs + GONE_MS ? this.#leave(this.#goneMs) : null
  }

  tick(nowMs: number): Change | null {
    return this.#goneMs !== null && nowMs > this.#goneMs + this.#patienceMs ? this.#leave(nowMs) : null
  }

  #leave(sinceMs: number): Change {
    this.#goneMs = null
    return { owner: { ...this.owner, participantId: null }, sinceMs }
  }
}
