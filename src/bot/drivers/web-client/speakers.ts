// Who speaks, from two sources: the packets that are heard, and what the platform says. The packets count. The platform is asked where they
// leave something open: a source whose owner nobody has named, or a call in which no packet tells its loudness.
import { printTrackRef } from '../../../domain/meeting.ts'
import type { SpeakingUpdate } from './messages.ts'

export class Speakers {
  #sources: readonly number[] = []
  /** A source has been heard. */
  hasHeard = false
  readonly #told = new Set<string>()

  hear(sources: readonly number[]): void {
    this.#sources = sources
    if (sources.length > 0) this.hasHeard = true
  }

  tell(updates: readonly SpeakingUpdate[]): void {
    for (const { userId, speaks } of updates) {
      if (speaks) this.#told.add(userId)
      else this.#told.delete(userId)
    }
  }

  forget(userId: string): void {
    this.#told.delete(userId)
  }

  /** `ownerOf`: the participant whose source this is. `isHere`: no screen, and not the bot itself. */
  now(ownerOf: (source: number) => string | null, isHere: (userId: string) => boolean): readonly string[] {
    const owners = this.#sources.map((source) => ({ source, user: ownerOf(source) }))
    const known = new Set(owners.flatMap(({ user }) => user ?? []))
    const unknown = owners.filter(({ user }) => user === null).map(({ source: csrc }) => printTrackRef({ kind: 'csrc', csrc }))
    const isOpen = unknown.length > 0 || !this.hasHeard
    const told = isOpen ? [...this.#told].filter((it) => isHere(it) && !known.has(it)) : []
    // A source without a known owner still breaks the silence.
    return [...known, ...told, ...unknown.slice(told.length)]
  }
}
