// One room as a value, and everything that can happen in it. No I/O and no clock: an action in, the next room and what to tell whom out.
//
// A person is waiting or inside. The list is in order of entry, so the host is not a fact of its own: it is the first human inside,
// or the first bot while there are only bots. When the host leaves, the next one simply is the first.
import {
  type ChatLine,
  type ClientMessage,
  LIMITS,
  type MediaState,
  type OverReason,
  type PersonView,
  PROBLEMS,
  type Problem,
  type ServerMessage,
} from './wire.ts'

export type Person = {
  readonly id: string
  /** The secret with which a dropped connection takes its seat again. */
  readonly token: string
  readonly name: string
  readonly bot: boolean
  /** A bot of this service, by its token. */
  readonly own: boolean
  readonly place: 'waiting' | 'inside'
  readonly media: MediaState
  readonly since: number
  /** When the connection dropped; null while it stands. */
  readonly goneAt: number | null
}

export type Room = {
  /** New people wait until the host admits them. */
  readonly lobby: boolean
  readonly people: readonly Person[]
  readonly chat: readonly ChatLine[]
  readonly nextLine: number
}

/** What a page may want, with who wants it and when. */
type Wish = Exclude<ClientMessage, { kind: 'join' | 'resume' }> & { readonly person: string; readonly at: number }
type Join = Extract<ClientMessage, { kind: 'join' }> & {
  readonly person: string
  readonly token: string
  readonly own: boolean
  readonly at: number
}

export type Action =
  | Join
  | Wish
  | { readonly kind: 'resume' | 'drop'; readonly person: string; readonly at: number }
  | { readonly kind: 'tick'; readonly at: number }

export type Telling = { readonly to: string; readonly message: ServerMessage }
export type Step = { readonly room: Room; readonly told: readonly Telling[] }

export const EMPTY_ROOM: Room = { lobby: false, people: [], chat: [], nextLine: 1 }

const CHAT_WINDOW_MS = 10_000
const CHAT_LINES_PER_WINDOW = 15

export function act(room: Room, action: Action): Step {
  const move = MOVES[action.kind] as (room: Room, action: Action) => Step
  const { room: next, told } = move(room, action)
  if (next.people === room.people) return { room: next, told }
  const deserted = !next.people.some(isInside)
  // What was said in a meeting is not for whoever uses the same link next.
  const settled = deserted ? { ...next, chat: [] } : next
  return { room: settled, told: [...told, ...rosterFor(settled)] }
}

export function hostOf(room: Room): Person | undefined {
  return room.people.find((it) => isInside(it) && !it.bot) ?? room.people.find(isInside)
}

/** Whose seat this token is. */
export function seatOf(room: Room, token: string): string | undefined {
  return room.people.find((it) => it.token === token)?.id
}

/** A name as it is shown: no control characters, no direction marks, single spaces. Null where nothing fit to show is left. */
export function cleanName(text: string): string | null {
  const name = text.replaceAll(INVISIBLE, ' ').replaceAll(/\s+/g, ' ').trim()
  return name !== '' && [...name].length <= LIMITS.nameLength ? name : null
}

const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
const INVISIBLE_IN_CHAT = /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff]/gu

const isInside = (person: Person): boolean => person.place === 'inside'

type Moves = { readonly [Kind in Action['kind']]: (room: Room, action: Extract<Action, { kind: Kind }>) => Step }

const MOVES: Moves = {
  join(room, { person, token, name: asked, bot, own, lobby, media, at }) {
    const name = cleanName(asked)
    if (!name) return problem(room, person, 'bad_name')
    const leads = bot ? !room.people.some(isInside) : !room.people.some((it) => isInside(it) && !it.bot)
    const place = leads || !room.lobby ? 'inside' : 'waiting'
    if (isFull(room, place, own)) return { room, told: [over(person, 'full')] }

    const newcomer: Person = { id: person, token, name, bot, own, place, media, since: at, goneAt: null }
    const next = { ...room, lobby: room.lobby || (leads && lobby), people: [...room.people, newcomer] }
    return { room: next, told: [seated(next, newcomer)] }
  },

  resume(room, { person }) {
    const who = room.people.find((it) => it.id === person)
    if (!who) return { room, told: [over(person, 'seat_unknown')] }
    return { room: changed(room, person, { goneAt: null }), told: [seated(room, who)] }
  },

  drop: (room, { person, at }) => ({ room: changed(room, person, { goneAt: at }), told: [] }),

  leave: (room, { person }) => without(room, [person], 'left'),

  /** Seats kept for too long are given up. */
  tick(room, { at }) {
    const late = room.people.filter((it) => it.goneAt !== null && it.goneAt + LIMITS.seatMs <= at)
    return late.length === 0
      ? { room, told: [] }
      : without(
          room,
          late.map((it) => it.id),
          'left',
        )
  },

  signal(room, { person, to, signal }) {
    if (!insideById(room, person)) return problem(room, person, 'not_inside')
    // Whoever has just left is no mistake of the sender's.
    if (!insideById(room, to) || to === person) return { room, told: [] }
    return { room, told: [{ to, message: { kind: 'signal', from: person, signal } }] }
  },

  chat(room, { person, text: said, at }) {
    const who = insideById(room, person)
    if (!who) return problem(room, person, 'not_inside')
    const text = said.replaceAll(INVISIBLE_IN_CHAT, '').trim()
    if (text === '' || text.length > LIMITS.chatLength) return problem(room, person, 'bad_chat')
    const recent = room.chat.filter((it) => it.from === person && it.at > at - CHAT_WINDOW_MS)
    if (recent.length >= CHAT_LINES_PER_WINDOW) return problem(room, person, 'too_fast')

    const line: ChatLine = { id: room.nextLine, from: person, name: who.name, text, at }
    const next = { ...room, chat: [...room.chat, line].slice(-LIMITS.chatLines), nextLine: room.nextLine + 1 }
    return { room: next, told: room.people.filter(isInside).map(({ id }) => ({ to: id, message: { kind: 'chat', line } })) }
  },

  media: (room, { person, media }) => ({ room: changed(room, person, { media }), told: [] }),

  admit: (room, { person, whom, at }) =>
    asHost(room, person, () => {
      const guest = room.people.find((it) => it.id === whom && !isInside(it))
      if (!guest) return problem(room, person, 'no_such_person')
      if (isFull(room, 'inside', guest.own)) return problem(room, person, 'room_full')
      const admitted: Person = { ...guest, place: 'inside', since: at }
      const next = { ...room, people: [...room.people.filter((it) => it.id !== whom), admitted] }
      return { room: next, told: [seated(next, admitted)] }
    }),

  refuse: (room, { person, whom }) => asHost(room, person, () => sentAway(room, person, whom, 'waiting')),

  remove: (room, { person, whom }) => asHost(room, person, () => sentAway(room, person, whom, 'inside')),

  end: (room, { person }) =>
    asHost(room, person, () =>
      without(
        room,
        room.people.map((it) => it.id),
        'ended',
      ),
    ),
}

function asHost(room: Room, person: string, then: () => Step): Step {
  return hostOf(room)?.id === person ? then() : problem(room, person, 'not_host')
}

function sentAway(room: Room, host: string, whom: string, place: Person['place']): Step {
  const found = room.people.some((it) => it.id === whom && it.place === place && whom !== host)
  return found ? without(room, [whom], place === 'inside' ? 'removed' : 'refused') : problem(room, host, 'no_such_person')
}

function without(room: Room, ids: readonly string[], reason: OverReason): Step {
  const leaving = room.people.filter((it) => ids.includes(it.id))
  if (leaving.length === 0) return { room, told: [] }
  return {
    room: { ...room, people: room.people.filter((it) => !ids.includes(it.id)) },
    told: leaving.map(({ id }) => over(id, reason)),
  }
}

function changed(room: Room, person: string, facts: Partial<Person>): Room {
  if (!room.people.some((it) => it.id === person)) return room
  return { ...room, people: room.people.map((it) => (it.id === person ? { ...it, ...facts } : it)) }
}

function insideById(room: Room, id: string): Person | undefined {
  return room.people.find((it) => it.id === id && isInside(it))
}

function isFull(room: Room, place: Person['place'], own: boolean): boolean {
  return room.people.filter((it) => it.place === place).length >= LIMITS[place] + (own ? LIMITS.keptForBots : 0)
}

function seated(room: Room, { id, token, place }: Person): Telling {
  return {
    to: id,
    message: place === 'waiting' ? { kind: 'waiting', you: id, token } : { kind: 'entered', you: id, token, chat: room.chat },
  }
}

const over = (to: string, reason: OverReason): Telling => ({ to, message: { kind: 'over', reason } })

function problem(room: Room, to: string, code: Problem): Step {
  return { room, told: [{ to, message: { kind: 'problem', problem: code, detail: PROBLEMS[code] } }] }
}

function rosterFor(room: Room): Telling[] {
  const host = hostOf(room)?.id
  const people = room.people.filter(isInside).map((it) => viewOf(it, host))
  const waiting = room.people.filter((it) => !isInside(it)).map(({ id, name, bot }) => ({ id, name, bot }))
  return people.map(({ id }) => ({ to: id, message: { kind: 'roster', people, waiting: id === host ? waiting : [] } }))
}

function viewOf({ id, name, bot, media, goneAt, since }: Person, host: string | undefined): PersonView {
  return { id, name, host: id === host, bot, media, connected: goneAt === null, enteredAt: since }
}
