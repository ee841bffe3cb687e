// The meeting and its breakout rooms. Each is a call of its own, with its own id, roster, media and chat.
import { randomUUID } from 'node:crypto'
import { TeamsCall } from '../call/call.ts'
import type { RosterUpdate } from '../call/roster.ts'
import type { CallOptions, ChatMessage } from '../call/types.ts'
import type { Attendee } from './attendee.ts'
import type { Room } from './room.ts'
import { rosterFrame } from './trouter.ts'
import { FRAME_PATHS } from './wire.ts'

export class Rooms {
  readonly meeting: Room
  readonly #rooms = new Map<string, Room>()
  readonly #options: CallOptions
  readonly #insiders: () => readonly Attendee[]

  constructor(options: CallOptions, insiders: () => readonly Attendee[]) {
    this.#options = options
    this.#insiders = insiders
    this.meeting = this.open('')
  }

  /** The room of this name, which opens now if it is new. */
  open(name: string): Room {
    const known = this.#rooms.get(name)
    if (known) return known
    const call: TeamsCall = new TeamsCall(this.#options, {
      onRoster: (update) => this.#onRoster(room, update),
      onChat: (message) => this.#onChat(room, message),
    })
    const room: Room = { name, callId: randomUUID(), call }
    this.#rooms.set(name, room)
    return room
  }

  /** The organizer wants the attendee in this room. */
  invite(attendee: Attendee, name: string): void {
    const room = this.open(name)
    attendee.invited = room
    const body = { kind: 'room', name, callId: room.callId }
    attendee.trouter.send({ path: FRAME_PATHS.progress, body, packing: 'packed', callId: this.meeting.callId })
  }

  /** The attendee has hung up in its call, and is in the room to which it was invited. */
  move(attendee: Attendee, callBehind: 'held' | 'ended'): void {
    const { room, invited, facts, trouter } = attendee
    if (!invited) return
    attendee.goTo(invited)
    const sender = room === this.meeting ? { sender: { id: facts.id, displayName: facts.name } } : {}
    const body = { subCode: 0, ...sender }
    if (callBehind === 'ended') trouter.send({ path: FRAME_PATHS.conversationEnd, body, packing: 'packed', callId: room.callId })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#rooms.values()].map(({ call }) => call.close()))
  }

  /** The call of the meeting is on hold for a page in a breakout room, and its roster still arrives. */
  #onRoster(room: Room, update: RosterUpdate): void {
    for (const attendee of this.#insiders())
      if (room === this.meeting || attendee.room === room) attendee.trouter.send(rosterFrame(update, room.callId))
  }

  #onChat(room: Room, message: ChatMessage): void {
    for (const attendee of this.#insiders()) if (attendee.room === room) attendee.receiveChat(message)
  }
}
