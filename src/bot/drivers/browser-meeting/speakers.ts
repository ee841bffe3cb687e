// The current speakers. Packet levels come first. The platform's own messages fill in where a source has no known owner, or where packets
// carry no levels.
import { printTrackRef } from '../../../domain/meeting.ts'
import type { SpeakingUpdate } from './messages.ts'

export class Speakers {
  #sources: readonly number[] = []
  /** At least one packet had a level with voice. */
  hasLevels = false
  readonly #users = new Set<string>()
  /** Users that a message has named as a speaker. */
  readonly named = new Set<string>()
  /** Streams of speakers that a message names by stream only. */
  readonly #streams = new Set<number>()

  setSources(sources: readonly number[]): void {
    this.#sources = sources
    if (sources.length > 0) this.hasLevels = true
  }

  update(updates: readonly SpeakingUpdate[]): void {
    for (const { userId, streamId, speaks } of updates) {
      if (userId !== null && speaks) this.named.add(userId)
      if (userId !== null) setMember(this.#users, userId, speaks)
      else if (streamId !== undefined) setMember(this.#streams, Number(streamId), speaks)
    }
  }

  forget(userId: string): void {
    this.#users.delete(userId)
    this.named.delete(userId)
  }

  /** `ownerOf`: the participant with this source. `isHere`: no screen, and not the bot itself. */
  now(ownerOf: (source: number) => string | null, isHere: (userId: string) => boolean): readonly string[] {
    // A stream is a source, so packets with levels already say whether it speaks.
    const sources = this.hasLevels ? this.#sources : [...this.#streams]
    const owners = sources.map((source) => ({ source, user: ownerOf(source) }))
    const known = new Set(owners.flatMap(({ user }) => user ?? []))
    const unknown = owners.filter(({ user }) => user === null).map(({ source: csrc }) => printTrackRef({ kind: 'csrc', csrc }))
    const isIncomplete = unknown.length > 0 || !this.hasLevels
    const reported = isIncomplete ? [...this.#users].filter((it) => isHere(it) && !known.has(it)) : []
    // A source without a known owner still counts as speech.
    return [...known, ...reported, ...unknown.slice(reported.length)]
  }
}

function setMember<Value>(set: Set<Value>, value: Value, isMember: boolean): void {
  if (isMember) set.add(value)
  else set.delete(value)
}
