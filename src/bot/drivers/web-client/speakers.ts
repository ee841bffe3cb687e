// The current speakers. Packet levels come first. The platform's own messages fill in where a source has no known owner, or where packets
// carry no levels.
import { printTrackRef } from '../../../domain/meeting.ts'
import type { SpeakingUpdate } from './messages.ts'

export class Speakers {
  #sources: readonly number[] = []
  /** At least one packet had a level with voice. */
  hasLevels = false
  readonly #reported = new Set<string>()

  setSources(sources: readonly number[]): void {
    this.#sources = sources
    if (sources.length > 0) this.hasLevels = true
  }

  update(updates: readonly SpeakingUpdate[]): void {
    for (const { userId, speaks } of updates) {
      if (speaks) this.#reported.add(userId)
      else this.#reported.delete(userId)
    }
  }

  forget(userId: string): void {
    this.#reported.delete(userId)
  }

  /** `ownerOf`: the participant with this source. `isHere`: no screen, and not the bot itself. */
  now(ownerOf: (source: number) => string | null, isHere: (userId: string) => boolean): readonly string[] {
    const owners = this.#sources.map((source) => ({ source, user: ownerOf(source) }))
    const known = new Set(owners.flatMap(({ user }) => user ?? []))
    const unknown = owners.filter(({ user }) => user === null).map(({ source: csrc }) => printTrackRef({ kind: 'csrc', csrc }))
    const isIncomplete = unknown.length > 0 || !this.hasLevels
    const reported = isIncomplete ? [...this.#reported].filter((it) => isHere(it) && !known.has(it)) : []
    // A source without a known owner still counts as speech.
    return [...known, ...reported, ...unknown.slice(reported.length)]
  }
}
