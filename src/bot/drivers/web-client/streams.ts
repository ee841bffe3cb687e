// The owner of each stream. Owners change: an unmute may give a participant a new source, and another participant the old one.
import type { StreamUpdate } from './messages.ts'

export type Stream = { readonly kind: StreamUpdate['kind']; readonly streamId: string; readonly userId: string }

export class Streams {
  readonly #updates = new Map<string, StreamUpdate>()
  readonly #owners = new Map<string, Stream>()

  /** A participant has one stream of each kind. The last update of a stream counts. */
  learn(update: StreamUpdate): void {
    const { userId, kind, streamId } = update
    const before = this.#updates.get(`${kind} ${userId}`)
    if (before && before.streamId !== streamId) this.#release(before)
    this.#updates.set(`${kind} ${userId}`, update)
    if (streamId !== null) this.#owners.set(`${kind} ${streamId}`, { kind, streamId, userId })
  }

  forget(userId: string): void {
    for (const kind of ['audio', 'video'] as const) {
      const update = this.#updates.get(`${kind} ${userId}`)
      if (update) this.#release(update)
      this.#updates.delete(`${kind} ${userId}`)
    }
  }

  /** Null where its owner is unknown. */
  ownerOf(kind: StreamUpdate['kind'], streamId: string): string | null {
    return this.#owners.get(`${kind} ${streamId}`)?.userId ?? null
  }

  isOn(userId: string, kind: StreamUpdate['kind']): boolean {
    const update = this.#updates.get(`${kind} ${userId}`)
    return update !== undefined && !update.disabled
  }

  all(): readonly Stream[] {
    return [...this.#owners.values()]
  }

  /** Unless it has another owner by now. */
  #release({ userId, kind, streamId }: StreamUpdate): void {
    if (streamId !== null && this.ownerOf(kind, streamId) === userId) this.#owners.delete(`${kind} ${streamId}`)
  }
}
