// A browser that has knocked: its state, its socket, its chat stream, and its entry in the roster.
import { randomUUID } from 'node:crypto'
import type { MediaStream, RosterEntry } from '../call/roster.ts'
import type { ChatMessage } from '../call/types.ts'
import type { Waiting } from './control.ts'
import type { Room } from './room.ts'
import { type Frame, rosterFrame, Trouter } from './trouter.ts'
import type { AttendeeState } from './wire.ts'

export type Standing = 'knocking' | 'waiting' | 'not_started' | 'inside' | 'out'

export type AttendeeFacts = {
  readonly id: string
  readonly name: string
  /** A bot that has identified itself with a valid token. */
  readonly known: boolean
  readonly suspected: boolean
  /** The token of the Bot Identification Program; null if the link has none. */
  readonly token: string | null
}

export type ChatStream = { readonly send: (message: ChatMessage) => void; readonly cut: () => void }

export class Attendee {
  readonly facts: AttendeeFacts
  readonly atMs = Date.now()
  readonly trouter = new Trouter()
  standing: Standing = 'knocking'
  state: AttendeeState | null = null
  /** Where it is, and where the organizer wants it to be. */
  room: Room
  invited: Room | null = null
  #sources: { readonly audio: number; readonly video: number }
  readonly #endpointId = randomUUID()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #waitingChat: ChatMessage[] = []
  #chat: ChatStream | null = null
  /** Repeated when the page returns after a network failure. */
  #last: Frame | null = null

  constructor(facts: AttendeeFacts, room: Room) {
    this.facts = facts
    this.room = room
    this.#sources = sourcesIn(room)
  }

  /** Sources belong to a call. */
  goTo(room: Room): void {
    this.room = room
    this.state = null
    this.invited = null
    this.#sources = sourcesIn(room)
  }

  after(delayMs: number, act: () => void): void {
    this.#timers.push(setTimeout(act, delayMs))
  }

  move(standing: Standing, frame: Frame | null): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
    this.standing = standing
    if (!frame) return
    this.#last = frame
    this.trouter.send(frame)
  }

  repeatLast(): void {
    if (this.#last) this.trouter.send(this.#last)
  }

  /** All people of its call. Sent again with the media, because a client may not have known its call before. */
  sendRoster(): void {
    this.trouter.send(rosterFrame(this.room.call.roster.snapshot(), this.room.callId))
  }

  receiveChat(message: ChatMessage): void {
    if (this.#chat) this.#chat.send(message)
    else this.#waitingChat.push(message)
  }

  openChat(stream: ChatStream): void {
    this.#chat = stream
    for (const message of this.#waitingChat.splice(0)) stream.send(message)
  }

  /** An old stream that the page has replaced closes without effect. */
  closeChat(stream: ChatStream): void {
    if (this.#chat === stream) this.#chat = null
  }

  /** As when a network fails. */
  cut(): void {
    const chat = this.#chat
    this.#chat = null
    chat?.cut()
    this.trouter.cut()
  }

  /** As the host sees it. */
  seen(): Waiting {
    return { ...this.facts, atMs: this.atMs, room: this.room.name }
  }

  rosterEntry(): RosterEntry {
    const { id, name } = this.facts
    const sources = this.#sources
    const mediaStreams: MediaStream[] = [
      { type: 'audio', sourceId: sources.audio, direction: 'sendrecv', serverMuted: !this.state?.microphone },
      { type: 'video', sourceId: sources.video, direction: this.state?.camera ? 'sendrecv' : 'recvonly' },
    ]
    return {
      details: { id, displayName: name },
      state: 'active',
      meetingRole: 'attendee',
      endpoints: { [this.#endpointId]: { call: { mediaStreams } } },
    }
  }
}

function sourcesIn({ call }: Room): { readonly audio: number; readonly video: number } {
  return { audio: call.newSource(), video: call.newSource() }
}
