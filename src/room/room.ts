// One room as a value. `applyAction` is pure: it returns the next room and the messages to send.
//
// A person is waiting or inside. The list is in order of entry. The host is not stored: it is the first human inside, or the first bot
// while there are only bots.
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
  /** The secret with which a disconnected page resumes its seat. */
  readonly token: string
  readonly name: string
  readonly bot: boolean
  /** A bot of this service, proven by its token. */
  readonly own: boolean
  readonly place: 'waiting' | 'inside'
  readonly media: MediaState
  readonly since: number
  /** Null while connected. */
  readonly disconnectedAt: number | null
}

export type Room = {
  /** New people wait until the host admits them. */
  readonly lobby: boolean
  readonly people: readonly Person[]
  readonly chat: readonly ChatLine[]
  readonly nextLine: number
}

/** A message of a page that has a seat. */
type ClientAction = Exclude<ClientMessage, { kind: 'join' | 'resume' }> & { readonly person: string; readonly at: number }
type Join = Extract<ClientMessage, { kind: 'join' }> & {
  readonly person: string
  readonly token: string
  readonly own: boolean
  readonly at: number
}

export type Action =
  | Join
  | ClientAction
  | { readonly kind: 'resume' | 'drop'; readonly person: string; readonly at: number }
  | { readonly kind: 'tick'; readonly at: number }

export type Envelope = { readonly to: string; readonly message: ServerMessage }
export type Step = { readonly room: Room; readonly messages: readonly Envelope[] }

export const EMPTY_ROOM: Room = { lobby: false, people: [], chat: [], nextLine: 1 }

const CHAT_WINDOW_MS = 10_000
const CHAT_LINES_PER_WINDOW = 15

export function applyAction(room: Room, action: Action): Step {
  const move = HANDLERS[action.kind] as (room: Room, action: Action) => Step
  const { room: next, messages } = move(room, action)
  if (next.people === room.people) return { room: next, messages }
  const isEmpty = !next.people.some(isInside)
  // The chat is not shown to the next people who use the same link.
  const settled = isEmpty ? { ...next, chat: [] } : next
  return { room: settled, messages: [...messages, ...rosterFor(settled)] }
}

export function hostOf(room: Room): Person | undefined {
  return room.people.find((it) => isInside(it) && !it.bot) ?? room.people.find(isInside)
}

/** The id of the person who has this token. */
export function seatOf(room: Room, token: string): string | undefined {
  return room.people.find((it) => it.token === token)?.id
}

/** Removes control characters, direction marks and repeated spaces. Null: nothing is left, or the name is too long. */
export function cleanName(text: string): string | null {
  const name = text.replaceAll(INVISIBLE, ' ').replaceAll(/\s+/g, ' ').trim()
  return name !== '' && [...name].length <= LIMITS.nameLength ? name : null
}

const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
const INVISIBLE_IN_CHAT = /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff]/gu

const isInside = (person: Person): boolean => person.place === 'inside'

type Handlers = { readonly [Kind in Action['kind']]: (room: Room, action: Extract<Action, { kind: Kind }>) => Step }

const HANDLERS: Handlers = {
  join(room, { person, token, name: requestedName, bot, own, lobby, media, at }) {
    const name = cleanName(requestedName)
    if (!name) return problem(room, person, 'bad_name')
    const becomesHost = bot ? !room.people.some(isInside) : !room.people.some((it) => isInside(it) && !it.bot)
    const place = becomesHost || !room.lobby ? 'inside' : 'waiting'
    if (isFull(room, place, own)) return { room, messages: [over(person, 'full')] }

    const newcomer: Person = { id: person, token, name, bot, own, place, media, since: at, disconnectedAt: null }
    const next = { ...room, lobby: room.lobby || (becomesHost && lobby), people: [...room.people, newcomer] }
    return { room: next, messages: [seated(next, newcomer)] }
  },

  resume(room, { person }) {
    const sender = room.people.find((it) => it.id === person)
    if (!sender) return { room, messages: [over(person, 'seat_unknown')] }
    return { room: changed(room, person, { disconnectedAt: null }), messages: [seated(room, sender)] }
  },

  drop: (room, { person, at }) => ({ room: changed(room, person, { disconnectedAt: at }), messages: [] }),

  leave: (room, { person }) => withoutPeople(room, (it) => it.id === person, 'left'),

  /** Removes people who have been disconnected for too long. */
  tick: (room, { at }) => withoutPeople(room, (it) => it.disconnectedAt !== null && it.disconnectedAt + LIMITS.seatMs <= at, 'left'),

  signal(room, { person, to, signal }) {
    if (!insideById(room, person)) return problem(room, person, 'not_inside')
    // The receiver may have just left, which is not an error of the sender.
    if (!insideById(room, to) || to === person) return { room, messages: [] }
    return { room, messages: [{ to, message: { kind: 'signal', from: person, signal } }] }
  },

  chat(room, { person, text: rawText, at }) {
    const sender = insideById(room, person)
    if (!sender) return problem(room, person, 'not_inside')
    const text = rawText.replaceAll(INVISIBLE_IN_CHAT, '').trim()
    if (text === '' || text.length > LIMITS.chatLength) return problem(room, person, 'bad_chat')
    const recent = room.chat.filter((it) => it.from === person && it.at > at - CHAT_WINDOW_MS)
    if (recent.length >= CHAT_LINES_PER_WINDOW) return problem(room, person, 'too_fast')

    const line: ChatLine = { id: room.nextLine, from: person, name: sender.name, text, at }
    const next = { ...room, chat: [...room.chat, line].slice(-LIMITS.chatLines), nextLine: room.nextLine + 1 }
    return { room: next, messages: room.people.filter(isInside).map(({ id }) => ({ to: id, message: { kind: 'chat', line } })) }
  },

  media: (room, { person, media }) => ({ room: changed(room, person, { media }), messages: [] }),

  admit: (room, { person, whom, at }) =>
    asHost(room, person, () => {
      const guest = room.people.find((it) => it.id === whom && !isInside(it))
      if (!guest) return problem(room, person, 'no_such_person')
      if (isFull(room, 'inside', guest.own)) return problem(room, person, 'room_full')
      const admitted: Person = { ...guest, place: 'inside', since: at }
      const next = { ...room, people: [...room.people.filter((it) => it.id !== whom), admitted] }
      return { room: next, messages: [seated(next, admitted)] }
    }),

  refuse: (room, { person, whom }) => asHost(room, person, () => dismiss(room, person, whom, 'waiting')),

  remove: (room, { person, whom }) => asHost(room, person, () => dismiss(room, person, whom, 'inside')),

  end: (room, { person }) => asHost(room, person, () => withoutPeople(room, () => true, 'ended')),
}

function asHost(room: Room, person: string, then: () => Step): Step {
  return hostOf(room)?.id === person ? then() : problem(room, person, 'not_host')
}

function dismiss(room: Room, host: string, whom: string, place: Person['place']): Step {
  const found = room.people.some((it) => it.id === whom && it.place === place && whom !== host)
  if (!found) return problem(room, host, 'no_such_person')
  return withoutPeople(room, (it) => it.id === whom, place === 'inside' ? 'removed' : 'refused')
}

function withoutPeople(room: Room, isLeaving: (person: Person) => boolean, reason: OverReason): Step {
  const leaving = room.people.filter(isLeaving)
  if (leaving.length === 0) return { room, messages: [] }
  const people = room.people.filter((it) => !leaving.includes(it))
  return { room: { ...room, people }, messages: leaving.map(({ id }) => over(id, reason)) }
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

function seated(room: Room, { id, token, place }: Person): Envelope {
  return {
    to: id,
    message: place === 'waiting' ? { kind: 'waiting', you: id, token } : { kind: 'entered', you: id, token, chat: room.chat },
  }
}

const over = (to: string, reason: OverReason): Envelope => ({ to, message: { kind: 'over', reason } })

function problem(room: Room, to: string, code: Problem): Step {
  return { room, messages: [{ to, message: { kind: 'problem', problem: code, detail: PROBLEMS[code] } }] }
}

function rosterFor(room: Room): Envelope[] {
  const host = hostOf(room)?.id
  const people = room.people.filter(isInside).map((it) => viewOf(it, host))
  const waiting = room.people.filter((it) => !isInside(it)).map(({ id, name, bot }) => ({ id, name, bot }))
  return people.map(({ id }) => ({ to: id, message: { kind: 'roster', people, waiting: id === host ? waiting : [] } }))
}

function viewOf({ id, name, bot, media, disconnectedAt: goneAt, since }: Person, host: string | undefined): PersonView {
  return { id, name, host: id === host, bot, media, connected: goneAt === null, enteredAt: since }
}
