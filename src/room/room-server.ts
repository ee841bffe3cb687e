// All rooms of this service and the clients connected to them: turns received messages into actions and sends the rooms' messages.
import { randomBytes } from 'node:crypto'
import { filterSignal } from './ice-candidates.ts'
import { readMessage } from './read-message.ts'
import { type Action, applyAction, EMPTY_ROOM, type Envelope, type Room, seatOf } from './room.ts'
import type { Visitor } from './visitor.ts'
import type { ClientMessage, OverReason, ServerMessage } from './wire.ts'

/** The connection of one page. */
export type Client = Pick<Visitor, 'isBot' | 'mayJoin' | 'address'> & {
  send(message: ServerMessage): void
  /** No message follows. */
  close(): void
}

type SentSignal = Extract<ClientMessage, { kind: 'signal' }> & { readonly person: string }

/** Signals queued for a disconnected page. Beyond that the page loses its seat and has to join again. */
const MOST_QUEUED = 200

export class RoomServer {
  readonly #now: () => number
  readonly #rooms = new Map<string, Room>()
  readonly #clients = new Map<string, Client>()
  readonly #seats = new Map<Client, string>()
  readonly #queued = new Map<string, ServerMessage[]>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Handles a text message of a client. */
  receive(roomId: string, client: Client, text: string): void {
    const message = readMessage(text)
    const person = this.#seats.get(client)
    if (message.kind === 'unreadable') reportProblem(client, message.detail)
    else if (message.kind !== 'join' && message.kind !== 'resume') {
      if (!person) reportProblem(client, 'The first message must be join or resume.')
      else if (message.kind === 'signal') this.#signal(roomId, client, { ...message, person })
      else this.#perform(roomId, { ...message, person, at: this.#now() })
    } else if (person) reportProblem(client, 'This connection has already joined: send join or resume only once.')
    else if (message.kind === 'join') this.#join(roomId, client, message)
    else this.#resume(roomId, client, message.token)
  }

  /** With a goodbye the person leaves at once; otherwise the seat is kept for a while. */
  disconnect(roomId: string, client: Client, goodbye: boolean): void {
    const person = this.#seats.get(client)
    if (!person) return
    this.#releaseSeat(client, person)
    this.#perform(roomId, { kind: goodbye ? 'leave' : 'drop', person, at: this.#now() })
  }

  isSeated(client: Client): boolean {
    return this.#seats.has(client)
  }

  tick(): void {
    for (const roomId of [...this.#rooms.keys()]) this.#perform(roomId, { kind: 'tick', at: this.#now() })
  }

  #perform(roomId: string, action: Action): void {
    const { room, messages } = applyAction(this.#rooms.get(roomId) ?? EMPTY_ROOM, action)
    if (room.people.length > 0) this.#rooms.set(roomId, room)
    else this.#rooms.delete(roomId)
    for (const envelope of messages) this.#deliver(roomId, envelope)
  }

  #deliver(roomId: string, { to, message }: Envelope): void {
    const client = this.#clients.get(to)
    client?.send(message)
    if (message.kind === 'over') this.#dismissPerson(to)
    // A page that resumes gets the whole state again, so only signals from other pages have to be queued.
    else if (!client && message.kind === 'signal') this.#enqueue(roomId, to, message)
  }

  #dismissPerson(person: string): void {
    const client = this.#clients.get(person)
    this.#queued.delete(person)
    if (!client) return
    this.#releaseSeat(client, person)
    client.close()
  }

  #enqueue(roomId: string, person: string, message: ServerMessage): void {
    const messages = this.#queued.get(person) ?? []
    this.#queued.set(person, [...messages, message])
    if (messages.length >= MOST_QUEUED) this.#perform(roomId, { kind: 'leave', person, at: this.#now() })
  }

  /** A bot's browser may be inside a private network, and a signal names the addresses to which the browser sends packets. */
  #signal(roomId: string, { isBot, address }: Client, message: SentSignal): void {
    const isToBot = this.#rooms.get(roomId)?.people.some((it) => it.id === message.to && it.own)
    const signal = isToBot && !isBot ? filterSignal(message.signal, address) : message.signal
    if (signal) this.#perform(roomId, { ...message, signal, at: this.#now() })
  }

  #join(roomId: string, client: Client, message: Extract<ClientMessage, { kind: 'join' }>): void {
    if (!client.mayJoin) {
      dismiss(client, 'link_expired')
      return
    }
    const person = `person_${randomBytes(8).toString('hex')}`
    this.#takeSeat(client, person)
    const token = randomBytes(24).toString('base64url')
    this.#perform(roomId, { ...message, person, token, own: client.isBot, at: this.#now() })
    const isInRoom = this.#rooms.get(roomId)?.people.some((it) => it.id === person)
    if (!isInRoom) this.#releaseSeat(client, person)
  }

  #resume(roomId: string, client: Client, token: string): void {
    const person = seatOf(this.#rooms.get(roomId) ?? EMPTY_ROOM, token)
    if (!person) {
      dismiss(client, 'seat_unknown')
      return
    }
    this.#takeSeat(client, person)
    this.#perform(roomId, { kind: 'resume', person, at: this.#now() })
    for (const message of this.#queued.get(person) ?? []) client.send(message)
    this.#queued.delete(person)
  }

  #takeSeat(client: Client, person: string): void {
    const earlier = this.#clients.get(person)
    if (earlier) this.#seats.delete(earlier)
    this.#clients.set(person, client)
    this.#seats.set(client, person)
    earlier?.close()
  }

  #releaseSeat(client: Client, person: string): void {
    this.#seats.delete(client)
    this.#clients.delete(person)
  }
}

function dismiss(client: Client, reason: OverReason): void {
  client.send({ kind: 'over', reason })
  client.close()
}

function reportProblem(client: Client, detail: string): void {
  client.send({ kind: 'problem', problem: 'bad_message', detail })
}
