// Rooms with one source of audio: several people sit in front of devices whose audio the platform merges. Each of them may be
// the speaker of such a source, so the room speaks, under the names of its people.
import type { Participant } from '../../../domain/meeting.ts'
import type { SeenPerson } from './facts.ts'
import type { User, Users } from './users.ts'

type Room = { readonly id: string; readonly people: readonly User[] }

export class MergedRooms {
  readonly #users: Users
  /** The room of each user, as their tile last showed it. */
  readonly #roomOf = new Map<string, string>()

  constructor(users: Users) {
    this.#users = users
  }

  /** The page draws some of the tiles only. A user without a tile stays in the room. */
  see(people: readonly SeenPerson[]): void {
    for (const id of this.#roomOf.keys()) if (!this.#users.get(id)) this.#roomOf.delete(id)
    for (const { id, room, isSelf } of people) {
      if (room === null || isSelf) this.#roomOf.delete(id)
      else this.#roomOf.set(id, `room:${room}`)
    }
  }

  /** The participant's room, or the participant where the audio is one person's. */
  speakerOf(participantId: string): string {
    return this.#rooms().find(({ people }) => people.some(({ id }) => id === participantId))?.id ?? participantId
  }

  /** Each room as a participant. */
  participants(isMicrophoneOn: (userId: string) => boolean): readonly Participant[] {
    return this.#rooms().map(({ id, people }) => ({
      id,
      name: people.map(({ name }) => name).join(', '),
      isHost: false,
      microphoneOn: people.some((it) => isMicrophoneOn(it.id)),
      cameraOn: false,
    }))
  }

  /** A room whose people have left but for one is none. */
  #rooms(): readonly Room[] {
    const members = Map.groupBy(this.#roomOf, ([, room]) => room)
    const rooms = [...members].map(([id, users]) => ({ id, people: users.flatMap(([user]) => this.#users.get(user) ?? []) }))
    return rooms.filter(({ people }) => people.length > 1)
  }
}
