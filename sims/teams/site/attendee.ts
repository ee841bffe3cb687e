// A browser that has knocked: its state, its socket, its chat stream, and its entry in the roster.
import { randomUUID } from 'node:crypto'
import type { MediaStream, RosterEntry } from '../call/roster.ts'
import type { ChatMessage } from '../call/types.ts'
import { type Frame, Trouter } from './trouter.ts'
import type { AttendeeState } from './wire.ts'

export type Standing = 'knocking' | 'waiting' | 'not_started' | 'inside' | 'out'

export type AttendeeFacts = {
  readonly id: string
  readonly name: string
  readonly suspected: boolean
  /** The token of the Bot Identification Program; null if the link has none. */
  readonly token: string | null
  readonly sources: { readonly audio: number; readonly video: number }
}

export type ChatStream = { readonly send: (message: ChatMessage) => void; readonly cut: () => void }

export class Attendee {
  readonly facts: AttendeeFacts
  readonly atMs = Date.now()
  readonly trouter = new Trouter()
  standing: Standing = 'knocking'
  state: AttendeeState | null = null
  readonly #endpointId = randomUUID()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #waitingChat: ChatMessage[] = []
  #chat: ChatStream | null = null
  /** Repeated when the page returns after a network failure. */
  #last: Frame | null = null

  constructor(facts: AttendeeFacts) {
    this.facts = facts
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

  rosterEntry(): RosterEntry {
    const { id, name, sources } = this.facts
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
