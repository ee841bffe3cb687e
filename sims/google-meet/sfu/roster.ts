// The participants of the space and their streams: changes at once, and the whole state for a new visitor or a Sync.
import { type News, type Output, type Status, syncReply, type User } from './messages.ts'
import type { SpaceOptions } from './types.ts'

type Entry = { readonly user: User; readonly left: { readonly atMs: number; readonly status: Status } | null }

export class Roster {
  readonly #options: SpaceOptions
  readonly #notify: (news: News, sequence: number) => void
  readonly #entries = new Map<string, Entry>()
  readonly #outputs = new Map<string, Output>()
  #sequence = 0

  constructor(options: SpaceOptions, notify: (news: News, sequence: number) => void) {
    this.#options = options
    this.#notify = notify
  }

  get sequence(): number {
    return this.#sequence
  }

  put(user: User): void {
    this.#entries.set(user.deviceId, { user, left: null })
    this.#notify({ about: 'user', user }, ++this.#sequence)
  }

  output(output: Output): void {
    this.#outputs.set(`${output.deviceId} ${output.kind}`, output)
    this.#notify({ about: 'output', output }, ++this.#sequence)
  }

  /** The channel reports removals, but departures only if it is configured to. */
  leave(deviceId: string, status: 6 | 7, nowMs: number): void {
    const entry = this.#entries.get(deviceId)
    if (!entry || entry.left) return
    this.#entries.set(deviceId, { user: entry.user, left: { atMs: nowMs, status } })
    for (const kind of ['audio', 'video']) this.#outputs.delete(`${deviceId} ${kind}`)
    if (status === 7 || this.#options.afterLeaving === 'told') {
      this.#notify({ about: 'user', user: { ...entry.user, status } }, ++this.#sequence)
    }
  }

  nameOf(deviceId: string): string {
    return this.#entries.get(deviceId)?.user.name ?? ''
  }

  everything(): readonly News[] {
    const here = [...this.#entries.values()].filter(({ left }) => !left)
    const outputs = [...this.#outputs.values()]
    return [
      ...here.map(({ user }) => ({ about: 'user', user }) as const),
      ...outputs.map((output) => ({ about: 'output', output }) as const),
    ]
  }

  sync(self: string | undefined, nowMs: number): string {
    const { syncLagMs = 0, afterLeaving = 'missing' } = this.#options
    const users = [...this.#entries.values()].flatMap(({ user, left }): User[] => {
      if (!left || nowMs - left.atMs < syncLagMs) return [user]
      return afterLeaving === 'told' ? [{ ...user, status: left.status }] : []
    })
    return syncReply(users, this.#sequence, self)
  }
}
