// Decodes Zoom's messages to its own page: people and speakers from signalling, streams from tracks, chat and captions from the page.
import { at, listAt, parsed, textAt } from '../browser-meeting/json-fields.ts'
import type { OwnEntry } from '../browser-meeting/meeting-client.ts'
import {
  type ChatLine,
  type ClientMessage,
  changes,
  type Readers,
  type StreamUpdate,
  type UserUpdate,
} from '../browser-meeting/messages.ts'
import { Captions } from './captions.ts'
import { idOf, isScreen, personOf, STREAM } from './participant-ids.ts'

export const LONGEST_NAME = 64

export function createReaders(own: OwnEntry): Readers {
  const call = new ZoomCall(own.name.slice(0, LONGEST_NAME).trim())
  return {
    signalling: (bytes) => call.receiveSignal(parsed(bytes)),
    tracks: (bytes) => call.receiveTrack(parsed(bytes)),
    chat: (bytes) => call.receiveLines(parsed(bytes)),
    captions: (bytes) => call.receiveCaptions(parsed(bytes)),
  }
}

const SCREEN = '/screen'
/** The deepest wrapper of a message. Opcodes differ between builds, so fields are found by name. */
const DEEPEST = 4
const SPEAKER = /^asn\d+$/

class ZoomCall {
  readonly #ownName: string
  #ownId: string | null = null
  /** Everybody with the bot's own name, the bot itself included. */
  readonly #namesakes = new Set<string>()
  #speakers: ReadonlySet<string> = new Set()
  /** Learnt from the first message that names speakers: it differs from build to build. */
  #speakersOpcode: unknown
  readonly #captions = new Captions()
  readonly #listed = new Set<string>()
  /** The page has joined again, in this room or another one: the next list is complete. */
  #isRelisted = false

  constructor(ownName: string) {
    this.#ownName = ownName
  }

  receiveSignal(message: unknown): readonly ClientMessage[] {
    const bodies = objectsIn(message, DEEPEST)
    const hasJoined = bodies.some(isJoinAnswer)
    this.#isRelisted ||= hasJoined
    const users = bodies.flatMap((body) => [
      ...this.#missingFrom(body),
      ...listAt(body, 'add').flatMap((it) => this.#user(it, 'here') ?? []),
      ...listAt(body, 'update').flatMap((it) => this.#user(it, null) ?? []),
      ...idsIn(at(body, 'remove')).flatMap((id) => this.#gone(id) ?? []),
    ])
    const speaking = hasJoined ? {} : this.#speakersIn(message, bodies)
    const captions = bodies.flatMap((body) => this.#captions.receiveSignal(body) ?? [])
    return [...(users.length > 0 ? [changes({ users })] : []), ...(speaking ? [this.#speaking(speaking)] : []), ...captions]
  }

  /** Silence is a message of the same opcode without a speaker. */
  #speakersIn(message: unknown, bodies: readonly object[]): object | undefined {
    const named = bodies.find((body) => Object.keys(body).some((name) => SPEAKER.test(name)))
    const opcode = at(message, 'evt')
    if (named) this.#speakersOpcode = opcode
    return named ?? (opcode !== undefined && opcode === this.#speakersOpcode ? {} : undefined)
  }

  /** Null: its stream names no participant. */
  receiveTrack(track: unknown): ClientMessage | null {
    const [id, kind, streamId] = [textAt(track, 'id'), textAt(track, 'kind'), textAt(track, 'streamId')]
    const raw = STREAM.exec(streamId)?.[1]
    if (raw === undefined) return null
    const userId = personOf(raw)
    if (kind === 'audio') return changes({ streams: [{ userId, kind, streamId: id, disabled: false }] })
    const screen = isScreen(raw) ? screenOf(`${userId}${SCREEN}`) : null
    const picture: StreamUpdate = { userId: screen?.id ?? userId, kind: 'video', streamId, disabled: false }
    return changes({ users: screen ? [screen] : [], streams: [picture] })
  }

  /** The page shows all lines, and each is reported once. Equal lines of one person are counted. */
  receiveLines(lines: unknown): ClientMessage | null {
    const counts = new Map<string, number>()
    const chat = listAt(lines).flatMap((line): readonly ChatLine[] => {
      const [sender, name, text] = [idOf(at(line, 'userId')), textAt(line, 'name'), textAt(line, 'text')]
      if (sender === null || !text) return []
      const count = counts.get(`${sender} ${text}`) ?? 0
      counts.set(`${sender} ${text}`, count + 1)
      return [{ id: `${sender} ${count} ${text}`, userId: sender, text, ...(name && { name }) }]
    })
    return chat.length > 0 ? changes({ chat }) : null
  }

  receiveCaptions(texts: unknown): readonly ClientMessage[] {
    const [speaker = null] = [...this.#speakers].filter((id) => id !== this.#ownId)
    return this.#captions.receivePage(
      listAt(texts).filter((it) => typeof it === 'string'),
      speaker,
    )
  }

  /** Those who are not in the first list after the page has joined again. */
  #missingFrom(body: object): readonly UserUpdate[] {
    const added = at(body, 'add')
    if (!this.#isRelisted || !Array.isArray(added)) return []
    this.#isRelisted = false
    const here = new Set(added.map((it) => idOf(at(it, 'id'))))
    return [...this.#listed].filter((id) => !here.has(id) && id !== this.#ownId).flatMap((id) => this.#gone(id) ?? [])
  }

  #user(entry: unknown, presence: UserUpdate['presence']): UserUpdate | null {
    const id = idOf(at(entry, 'id'))
    if (id === null) return null
    const name = nameIn(entry)
    this.#listed.add(id)
    if (name === this.#ownName) this.#namesakes.add(id)
    // The first of that name: signalling names the bot as soon as it is in.
    if (name === this.#ownName) this.#ownId ??= id
    return { id, name, presence, isSelf: id === this.#ownId, parentId: null, isHost: null }
  }

  /** Null for the bot itself: the page shows how its stay ended. An earlier session of the same bot may leave after the new one came in. */
  #gone(id: string): UserUpdate | null {
    this.#namesakes.delete(id)
    this.#listed.delete(id)
    if (id !== this.#ownId) return { id, name: null, presence: 'left', isSelf: false, parentId: null, isHost: null }
    const [next = null] = this.#namesakes
    this.#ownId = next
    return next === null ? null : { id: next, name: null, presence: null, isSelf: true, parentId: null, isHost: null }
  }

  #speaking(body: object): ClientMessage {
    const named = Object.entries(body).flatMap(([name, value]) => (SPEAKER.test(name) ? (idOf(value) ?? []) : []))
    const now = new Set(named)
    const ended = [...this.#speakers].filter((userId) => !now.has(userId))
    this.#speakers = now
    const users = [...ended.map((userId) => ({ userId, speaks: false })), ...[...now].map((userId) => ({ userId, speaks: true }))]
    return { kind: 'speaking', users }
  }
}

/** Sent whenever the page has joined. Its fields are guessed. */
function isJoinAnswer(body: object): boolean {
  return at(body, 'res') === 0 && idOf(at(body, 'userID')) !== null
}

/** The ids in a map, or in a list of entries. */
function idsIn(removed: unknown): readonly string[] {
  if (typeof removed !== 'object' || removed === null) return []
  const ids = Array.isArray(removed) ? removed.map((it) => idOf(at(it, 'id')) ?? idOf(it)) : Object.keys(removed).map(idOf)
  return ids.flatMap((id) => id ?? [])
}

function screenOf(userId: string): UserUpdate {
  return { id: userId, name: null, presence: 'here', isSelf: false, parentId: userId.slice(0, -SCREEN.length), isHost: null }
}

/** `dn2` is base64. */
function nameIn(entry: unknown): string | null {
  const packed = textAt(entry, 'dn2')
  if (!packed) return null
  const name = Buffer.from(packed, 'base64').toString('utf8').trim()
  return name || null
}

function objectsIn(value: unknown, depth: number): readonly object[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return []
  return [value, ...Object.values(value).flatMap((inner) => objectsIn(inner, depth - 1))]
}
