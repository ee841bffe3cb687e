// The users of a meeting: participants, shared screens, and the bot itself.
import type { SeenPerson } from './facts.ts'
import type { UserUpdate } from './messages.ts'

export type User = {
  readonly id: string
  readonly name: string
  readonly isHost: boolean
  /** The presenter of a shared screen; null for a participant. */
  readonly parentId: string | null
  readonly updatedAt: number
}

/** A full list may have been requested before a participant joined, so it cannot remove one who is this new. */
const NEW_MS = 10_000

export class Users {
  /** The bot's own ids. It gets another one when it rejoins. */
  readonly #own = new Set<string>()
  readonly #others = new Map<string, User>()

  isOwn(id: string): boolean {
    return this.#own.has(id)
  }

  get(id: string): User | undefined {
    return this.#others.get(id)
  }

  participants(): readonly User[] {
    return [...this.#others.values()].filter(({ parentId }) => parentId === null)
  }

  /** A screen belongs to its presenter. Unknown users and the bot itself are no participants. */
  participantOf(userId: string | null): string | null {
    const user = userId === null ? undefined : this.#others.get(userId)
    if (!user) return null
    return user.parentId === null ? user.id : (this.#others.get(user.parentId)?.id ?? null)
  }

  addOwn(id: string): void {
    this.#own.add(id)
    this.#others.delete(id)
  }

  /** Null fields of an update keep their value. */
  upsert({ id, name, parentId, isHost }: UserUpdate, at: number): void {
    const known = this.#others.get(id)
    this.#others.set(id, {
      id,
      name: name ?? known?.name ?? '',
      isHost: isHost ?? known?.isHost ?? false,
      parentId: parentId ?? known?.parentId ?? null,
      updatedAt: at,
    })
  }

  remove(id: string): void {
    this.#others.delete(id)
  }

  /** Users that a full list does not contain. */
  missingFrom(ids: ReadonlySet<string>, at: number): readonly string[] {
    const missing = [...this.#others.values()].filter(({ id, updatedAt }) => !ids.has(id) && at - updatedAt > NEW_MS)
    return missing.map(({ id }) => id)
  }

  /** Replaces all users by those that the page shows. */
  replaceBySeen(people: readonly SeenPerson[], at: number): void {
    this.#others.clear()
    for (const { id, name, isSelf } of people) {
      if (isSelf) this.#own.add(id)
      else this.#others.set(id, { id, name, isHost: false, parentId: null, updatedAt: at })
    }
  }
}
