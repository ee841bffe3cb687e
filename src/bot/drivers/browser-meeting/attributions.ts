// What names each participant as the owner of their audio. Participants who stay keep the last answer.
import type { Attribution } from '../../../domain/meeting.ts'
import type { Speakers } from './speakers.ts'
import type { Streams } from './streams.ts'

export class Attributions {
  readonly #streams: Streams
  readonly #speakers: Speakers
  /** By participant. */
  readonly #known = new Map<string, Attribution>()
  /** Users with a caption that also dates their speech. */
  readonly #captioned = new Set<string>()

  constructor(streams: Streams, speakers: Speakers) {
    this.#streams = streams
    this.#speakers = speakers
  }

  addCaption(userId: string): void {
    this.#captioned.add(userId)
  }

  forget(userId: string): void {
    this.#captioned.delete(userId)
    this.#known.delete(userId)
  }

  /** `speakerOf`: the participant who speaks by this user's source; null for users who are none. */
  learn(speakerOf: (userId: string) => string | null): void {
    for (const [user, by] of this.#byTrust()) {
      const id = speakerOf(user)
      if (id !== null) this.#known.set(id, by)
    }
  }

  all(): ReadonlyMap<string, Attribution> {
    return this.#known
  }

  /** The most trusted last. A source names nothing where packets have none, though the platform lists it. */
  #byTrust(): readonly (readonly [string, Attribution])[] {
    const streams = [...this.#streams.attributions()]
    const platform = [...this.#speakers.named].map((user) => [user, 'platform'] as const)
    const captions = [...this.#captioned].map((user) => [user, 'captions'] as const)
    return this.#speakers.hasLevels ? [...captions, ...platform, ...streams] : [...streams, ...platform, ...captions]
  }
}
