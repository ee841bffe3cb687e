// All rooms of this service, and who sits at which line: turns what comes down a line into actions, and delivers what the rooms tell.
import { randomBytes } from 'node:crypto'
import { guarded } from './candidates.ts'
import { readMessage } from './read-message.ts'
import { type Action, act, EMPTY_ROOM, type Room, seatOf, type Telling } from './rooms.ts'
import type { Visitor } from './visitor.ts'
import type { ClientMessage, OverReason, ServerMessage } from './wire.ts'

/** One page's connection. */
export type Line = Pick<Visitor, 'isBot' | 'mayJoin' | 'address'> & {
  send(message: ServerMessage): void
  /** Nothing is said on it any more. */
  hangUp(): void
}

type SentSignal = Extract<ClientMessage, { kind: 'signal' }> & { readonly person: string }

/** Signals kept for a dropped seat. More than that, and the seat is given up: the page then joins anew. */
const MOST_KEPT = 200

export class Hall {
  readonly #now: () => number
  readonly #rooms = new Map<string, Room>()
  readonly #lines = new Map<string, Line>()
  readonly #seats = new Map<Line, string>()
  readonly #kept = new Map<string, ServerMessage[]>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Text that came down this line from a page of that room. */
  heard(roomId: string, line: Line, text: string): void {
    const message = readMessage(text)
    const person = this.#seats.get(line)
    if (message.kind === 'unreadable') complain(line, message.detail)
    else if (message.kind !== 'join' && message.kind !== 'resume') {
      if (!person) complain(line, 'The first message must be join or resume.')
      else if (message.kind === 'signal') this.#signal(roomId, line, { ...message, person })
      else this.#perform(roomId, { ...message, person, at: this.#now() })
    } else if (person) complain(line, 'This connection has a seat already.')
    else if (message.kind === 'join') this.#join(roomId, line, message)
    else this.#resume(roomId, line, message.token)
  }

  /** The line is gone; with a goodbye its person leaves at once, without one the seat is kept. */
  lost(roomId: string, line: Line, goodbye: boolean): void {
    const person = this.#seats.get(line)
    if (!person) return
    this.#unseat(line, person)
    this.#perform(roomId, { kind: goodbye ? 'leave' : 'drop', person, at: this.#now() })
  }

  isSeated(line: Line): boolean {
    return this.#seats.has(line)
  }

  tick(): void {
    for (const roomId of [...this.#rooms.keys()]) this.#perform(roomId, { kind: 'tick', at: this.#now() })
  }

  #perform(roomId: string, action: Action): void {
    const { room, told } = act(this.#rooms.get(roomId) ?? EMPTY_ROOM, action)
    if (room.people.length > 0) this.#rooms.set(roomId, room)
    else this.#rooms.delete(roomId)
    for (const telling of told) this.#deliver(roomId, telling)
  }

  #deliver(roomId: string, { to, message }: Telling): void {
    const line = this.#lines.get(to)
    line?.send(message)
    if (message.kind === 'over') this.#release(to)
    // A page that resumes is told everything anew, except what another page wanted of it.
    else if (!line && message.kind === 'signal') this.#keep(roomId, to, message)
  }

  #release(person: string): void {
    const line = this.#lines.get(person)
    this.#kept.delete(person)
    if (!line) return
    this.#unseat(line, person)
    line.hangUp()
  }

  #keep(roomId: string, person: string, message: ServerMessage): void {
    const messages = this.#kept.get(person) ?? []
    this.#kept.set(person, [...messages, message])
    if (messages.length >= MOST_KEPT) this.#perform(roomId, { kind: 'leave', person, at: this.#now() })
  }

  /** A bot's browser is on the inside of a network, and a stranger's signal says where it sends packets. */
  #signal(roomId: string, { isBot, address }: Line, message: SentSignal): void {
    const isToBot = this.#rooms.get(roomId)?.people.some((it) => it.id === message.to && it.own)
    const signal = isToBot && !isBot ? guarded(message.signal, address) : message.signal
    if (signal) this.#perform(roomId, { ...message, signal, at: this.#now() })
  }

  #join(roomId: string, line: Line, message: Extract<ClientMessage, { kind: 'join' }>): void {
    if (!line.mayJoin) {
      dismiss(line, 'link_expired')
      return
    }
    const person = `person_${randomBytes(8).toString('hex')}`
    this.#sit(line, person)
    const token = randomBytes(24).toString('base64url')
    this.#perform(roomId, { ...message, person, token, own: line.isBot, at: this.#now() })
    const isInRoom = this.#rooms.get(roomId)?.people.some((it) => it.id === person)
    if (!isInRoom) this.#unseat(line, person)
  }

  #resume(roomId: string, line: Line, token: string): void {
    const person = seatOf(this.#rooms.get(roomId) ?? EMPTY_ROOM, token)
    if (!person) {
      dismiss(line, 'seat_unknown')
      return
    }
    this.#sit(line, person)
    this.#perform(roomId, { kind: 'resume', person, at: this.#now() })
    for (const message of this.#kept.get(person) ?? []) line.send(message)
    this.#kept.delete(person)
  }

  #sit(line: Line, person: string): void {
    const earlier = this.#lines.get(person)
    if (earlier) this.#seats.delete(earlier)
    this.#lines.set(person, line)
    this.#seats.set(line, person)
    earlier?.hangUp()
  }

  #unseat(line: Line, person: string): void {
    this.#seats.delete(line)
    this.#lines.delete(person)
  }
}

function dismiss(line: Line, reason: OverReason): void {
  line.send({ kind: 'over', reason })
  line.hangUp()
}

function complain(line: Line, detail: string): void {
  line.send({ kind: 'problem', problem: 'bad_message', detail })
}
