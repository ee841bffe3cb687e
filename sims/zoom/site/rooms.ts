// The main session and its breakout rooms. Each is a call of its own, with its own people, media and chat.
import { ZoomCall } from '../call/call.ts'
import type { Attendee } from './attendee.ts'
import type { Room } from './room.ts'
import { EVT, type FromServer } from './wire.ts'

const LEVEL = 7

export type RoomEvents = {
  readonly insiders: () => readonly Attendee[]
  /** A scripted person has left the main session. */
  readonly onLeft: (name: string) => void
}

export class Rooms {
  readonly main: Room
  readonly #rooms = new Map<string | null, Room>()
  readonly #events: RoomEvents

  constructor(events: RoomEvents) {
    this.#events = events
    this.main = this.open(null)
  }

  /** The room of this name, which opens now if it is new. */
  open(name: string | null): Room {
    const known = this.#rooms.get(name)
    if (known) return known
    const send = (message: FromServer) => this.#send(room, message)
    const call: ZoomCall = new ZoomCall(
      {
        onRoster: (body) => send({ evt: EVT.roster, body }),
        onStreams: ({ add = [], remove = [] }) => {
          for (const attendee of this.#in(room)) attendee.send({ evt: EVT.streams, body: { add: attendee.received(add), remove } })
        },
        onSpeakers: (speakers) => {
          send({ evt: EVT.speakers, body: Object.fromEntries(speakers.map((userId, at) => [`asn${at + 1}`, userId])) })
          send({ evt: EVT.levels, body: { level: LEVEL } })
        },
        onChat: ({ atMs, ...message }) => send({ evt: EVT.chat, body: { ...message, t: atMs } }),
        onCaption: (body) => send({ evt: EVT.captions, body }),
        onLeft: (person) => name === null && this.#events.onLeft(person),
      },
      this.#rooms.size,
    )
    const room: Room = { name, call }
    this.#rooms.set(name, room)
    return room
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rooms.values()].map(({ call }) => call.close()))
  }

  #send(room: Room, message: FromServer): void {
    for (const attendee of this.#in(room)) attendee.send(message)
  }

  #in(room: Room): readonly Attendee[] {
    return this.#events.insiders().filter((it) => it.room === room)
  }
}
