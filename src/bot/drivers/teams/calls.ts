// The rosters of every call that reaches the client: the meeting, breakout rooms, and earlier calls. The bot is in one of them.
import { Entries } from './entries.ts'

/** More than a meeting has breakout rooms. */
const MOST_CALLS = 100

export class Calls {
  readonly #rosters = new Map<string, Entries>()
  /** The first call of the bot. A breakout room is a call of its own, and the meeting's call waits meanwhile. */
  #meeting: string | null = null
  /** The call of the bot; null while unknown. */
  #current: string | null = null

  get current(): string | null {
    return this.#current
  }

  /** The roster of the call of the bot. */
  get roster(): Entries {
    return this.of(this.#current)
  }

  of(callId: string | null): Entries {
    const key = callId ?? this.#current ?? ''
    const known = this.#rosters.get(key)
    if (known) return known
    const roster = new Entries()
    this.#rosters.set(key, roster)
    const [oldest] = [...this.#rosters.keys()].filter((it) => it !== this.#current && it !== this.#meeting)
    if (this.#rosters.size > MOST_CALLS && oldest !== undefined) this.#rosters.delete(oldest)
    return roster
  }

  /** The calls with a roster, in the order of their first frames. */
  get ids(): readonly string[] {
    return [...this.#rosters.keys()].filter((id) => id !== '')
  }

  isCurrent(callId: string | null): boolean {
    return callId === null || this.#current === null || callId === this.#current
  }

  isMeeting(callId: string | null): boolean {
    return callId === null || this.#meeting === null || callId === this.#meeting
  }

  enter(callId: string): void {
    const unnamed = this.#current === null && this.#rosters.get('')
    if (unnamed && !this.#rosters.has(callId)) this.#rosters.set(callId, unnamed)
    this.#current = callId
    this.#meeting ??= callId
  }
}
