// Decodes Teams' messages to its own page: roster, sources, video requests, chat, captions, and the end of the call.
import { at, listAt, numberAt, parsed, textAt } from '../browser-meeting/json-fields.ts'
import type { OwnEntry } from '../browser-meeting/meeting-client.ts'
import {
  type ChatLine,
  type ClientMessage,
  changes,
  type Readers,
  type StreamUpdate,
  type UserUpdate,
} from '../browser-meeting/messages.ts'
import { Calls } from './calls.ts'
import { chatText } from './chat-text.ts'
import type { Entry, MediaKind } from './entries.ts'
import { Pictures } from './pictures.ts'
import { captionsIn, dominantIn, type Frame, frameOf, itemsOf } from './wire.ts'

/** One set for each meeting, because rosters arrive as changes. */
export function createReaders(own: OwnEntry): Readers {
  const call = new TeamsCall(own)
  return {
    trouter: (bytes) => call.receiveFrame(frameOf(textOf(bytes))),
    snapshot: (bytes) => call.receiveSnapshot(parsed(bytes)),
    globals: (bytes) => call.receiveGlobals(parsed(bytes)),
    'main-channel': (bytes) => call.receiveItems(itemsOf(bytes)),
    requests: (bytes) => call.receiveRequests(itemsOf(bytes)),
    description: (bytes) => call.receiveDescription(textOf(bytes)),
    chat: (bytes) => chatIn(parsed(bytes)),
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** After this many looks without a call in `window`, the client is one that keeps none there. */
const MOST_VAIN_LOOKS = 5
/** The code for a removal by a participant. */
const REMOVED_CODES = [5000, 5300]
/** For accounts without a name of their own. */
const GUESTS = ['8:teamsvisitor:', '8:guest']

class TeamsCall {
  readonly #own: OwnEntry
  readonly #calls = new Calls()
  readonly #pictures = new Pictures()
  /** The last reported state of the streams. */
  readonly #reported = new Map<string, string>()
  readonly #locals = new Map<string, string>()
  /** A full list says nothing of its call. The client requests it as it enters one, so it belongs to that of the next look at the globals. */
  #snapshot: object | null = null
  #hasLooked = false
  #vainLooks = 0
  #ownId: string | null = null
  /** Where the client does not publish it: entries with the bot's name. */
  readonly #guessed = new Set<string>()
  /** The client publishes the id of its call. */
  #namesCall = false
  /** The call of the last message. */
  #reportedCall: string | null = null
  #muted: ReadonlySet<string> = new Set()

  constructor(own: OwnEntry) {
    this.#own = own
  }

  receiveFrame(frame: Frame | null): ClientMessage | readonly ClientMessage[] | null {
    if (frame?.path.endsWith('/conversationEnd')) return this.#receiveEnd(frame)
    if (!frame?.path.endsWith('/rosterUpdate')) return null
    const ids = this.#update(frame)
    return this.#hasLooked ? this.#withRoom(this.#changes(ids)) : null
  }

  /** The full list, for clients that join late or reconnect. */
  receiveSnapshot(answer: unknown): null {
    const participants = at(answer, 'participants')
    if (typeof participants === 'object') this.#snapshot = participants ?? this.#snapshot
    return null
  }

  /** The client's globals; null where there are none. The bot's own entry is unknown until the first look. */
  receiveGlobals(globals: unknown): readonly ClientMessage[] | null {
    this.#ownId = textAt(globals, 'ownId') || this.#ownId
    const callId = textAt(globals, 'callId')
    this.#namesCall ||= callId !== ''
    this.#muted = new Set(listAt(globals, 'muted').filter((it) => typeof it === 'string'))
    if (globals === null && ++this.#vainLooks < MOST_VAIN_LOOKS) return null
    const isFirst = !this.#hasLooked
    this.#hasLooked = true
    const entered = callId || (isFirst && this.#calls.ids[0])
    const moved = entered ? this.#moveTo(entered) : []
    const listed = this.#snapshot ? this.#calls.roster.replace(this.#snapshot) : []
    this.#snapshot = null
    return this.#withRoom(this.#changes([...new Set([...(isFirst ? this.#calls.roster.ids : moved), ...listed])]))
  }

  receiveItems(items: readonly unknown[]): readonly ClientMessage[] {
    const dominant = items.flatMap(dominantIn)
    const captions = items.flatMap(captionsIn)
    const newLocals = captions.map(({ userId }) => userId).filter((id) => id.endsWith('@local') && !this.#locals.has(id))
    for (const id of newLocals) this.#locals.set(id, `Speaker ${this.#locals.size + 1}`)
    const users = [...new Set(newLocals)].map((id) => this.#localUser(id))
    return [
      ...dominant,
      ...(users.length > 0 ? [changes({ users })] : []),
      ...captions.map((caption): ClientMessage => ({ kind: 'caption', caption })),
    ]
  }

  receiveRequests(items: readonly unknown[]): ClientMessage | null {
    for (const item of items) {
      const info = at(item, 'controlVideoStreaming', 'controlInfo')
      const [sourceId, streamId] = [numberAt(info, 'sourceId'), numberAt(info, 'streamMsid')]
      if (at(item, 'type') === 'sr' && sourceId !== null && streamId !== null) this.#pictures.show(streamId, sourceId)
    }
    return this.#hasLooked ? this.#changes([]) : null
  }

  receiveDescription(sdp: string): ClientMessage | null {
    this.#pictures.describe(sdp)
    this.#calls.roster.connect()
    return this.#hasLooked ? this.#changes([]) : null
  }

  /** Leaving one call for another, and the end of a breakout room, are not the end of the meeting. */
  #receiveEnd({ callId, body }: Frame): ClientMessage | null {
    const [isCurrent, isMeeting] = [this.#calls.isCurrent(callId), this.#calls.isMeeting(callId)]
    if (!(isCurrent || isMeeting) || typeof body !== 'object' || body === null) return null
    const sender = textAt(body, 'sender', 'id')
    const cause = this.#causeOf(sender, numberAt(body, 'subCode') ?? 0)
    const counts = { left: isCurrent && isMeeting, removed: true, ended: isMeeting }
    const by = cause === 'removed' ? textAt(body, 'sender', 'displayName') || null : null
    return counts[cause] ? { kind: 'ended', cause, by } : null
  }

  #causeOf(sender: string, code: number): 'left' | 'removed' | 'ended' {
    if (sender === '') return 'ended'
    if (sender === this.#ownId || this.#guessed.has(sender)) return 'left'
    return REMOVED_CODES.includes(code) ? 'removed' : 'ended'
  }

  /** Rosters of other calls arrive, too. Without globals, the call whose roster has the bot is the bot's own. */
  #update({ callId, body }: Frame): readonly string[] {
    const roster = this.#calls.of(callId)
    const ids = roster.update(at(body, 'participants'))
    if (callId !== null && !this.#namesCall && this.#hasLooked) {
      const isIn = ids.some((id) => this.#isSelf(id, roster.of(id)[0]) && roster.of(id).length > 0)
      if (isIn || this.#calls.current === null) return [...ids, ...this.#moveTo(callId)]
    }
    return this.#calls.isCurrent(callId) ? ids : []
  }

  /** The ids of everybody in the call that the bot leaves, except its own, and in the call that it enters. */
  #moveTo(callId: string): readonly string[] {
    const { roster, current } = this.#calls
    if (callId === current) return []
    const left = roster.ids.filter((id) => !this.#isSelf(id, roster.of(id)[0]))
    this.#calls.enter(callId)
    // Sources may have the same numbers in both calls: all of them are reported again.
    for (const key of this.#reported.keys()) this.#reported.set(key, '')
    return [...new Set([...left, ...this.#calls.roster.ids])]
  }

  /** Reports each move, also from room to room. The rosters carry no name of a room. */
  #withRoom(message: ClientMessage | null): readonly ClientMessage[] {
    const { current } = this.#calls
    const hasMoved = this.#reportedCall !== null && current !== this.#reportedCall
    const room: ClientMessage[] = hasMoved ? [{ kind: 'room', name: this.#calls.isMeeting(current) ? null : '' }] : []
    this.#reportedCall = current
    return message ? [...room, message] : room
  }

  #changes(ids: readonly string[]): ClientMessage | null {
    const streams = this.#streams()
    // A screen is a separate user, which must be known before its stream.
    const sharing = streams.filter(({ userId }) => userId.endsWith(SCREEN)).map(({ userId }) => userId.slice(0, -SCREEN.length))
    const users = this.#users([...new Set([...ids, ...sharing])])
    return users.length + streams.length > 0 ? changes({ users, streams }) : null
  }

  #users(ids: readonly string[]): readonly UserUpdate[] {
    return ids.flatMap((id) => {
      const [entry] = this.#calls.roster.of(id)
      const isSelf = this.#isSelf(id, entry)
      const presence = entry ? 'here' : 'left'
      const user = { id, name: entry?.name ?? null, presence, isSelf, parentId: null, isHost: entry?.isHost ?? null } as const
      const isSharing = this.#calls.roster.of(id).some(({ streams }) => streams.some(isSharedScreen))
      const screen = { ...user, id: `${id}${SCREEN}`, presence: isSharing ? 'here' : 'left', parentId: id, isSelf: false } as const
      return isSelf ? [user] : [user, ...(isSharing || this.#reported.has(`${screen.id} video`) ? [screen] : [])]
    })
  }

  /** By the published id, otherwise by name. */
  #isSelf(id: string, entry: Entry | undefined): boolean {
    if (this.#ownId !== null) return id === this.#ownId
    const isSelf = entry?.name === this.#own.name && GUESTS.some((prefix) => id.startsWith(prefix))
    if (isSelf) this.#guessed.add(id)
    return isSelf
  }

  #localUser(id: string): UserUpdate {
    const name = this.#locals.get(id) ?? null
    return { id, name, presence: 'here', isSelf: false, parentId: null, isHost: null }
  }

  /** Only changed streams. */
  #streams(): readonly StreamUpdate[] {
    const streams = this.#calls.roster.ids.flatMap((id) => MEDIA_KINDS.flatMap((kind) => this.#stream(id, kind) ?? []))
    return streams.filter((update) => {
      const [key, state] = [`${update.userId} ${update.kind}`, JSON.stringify(update)]
      const isNew = this.#reported.get(key) !== state
      this.#reported.set(key, state)
      return isNew
    })
  }

  #stream(id: string, kind: MediaKind): StreamUpdate | null {
    const all = this.#calls.roster.of(id).flatMap(({ streams }) => streams.filter((it) => it.kind === kind))
    const stream = all.find(({ isSent }) => isSent) ?? all[0]
    if (kind === 'audio')
      return stream
        ? { userId: id, kind, streamId: String(stream.sourceId), disabled: stream.isMuted || !stream.isSent || this.#muted.has(id) }
        : null
    const userId = kind === 'screen' ? `${id}${SCREEN}` : id
    // A screen that was never shared is no stream.
    if (!stream && !this.#reported.has(`${userId} video`)) return null
    const streamId = stream?.isSent ? this.#pictures.streamOf(stream.sourceId) : null
    return { userId, kind: 'video', streamId, disabled: !stream?.isSent }
  }
}

const SCREEN = '/screen'
const MEDIA_KINDS: readonly MediaKind[] = ['audio', 'video', 'screen']

function isSharedScreen({ kind, isSent }: Entry['streams'][number]): boolean {
  return kind === 'screen' && isSent
}

/** Messages of the chat service itself have other types. */
const WRITTEN = ['RichText', 'RichText/Html', 'Text', 'RichText/Sms']

function chatIn(batch: unknown): ClientMessage | null {
  const chat = listAt(batch, 'chatServiceBatchEvent').flatMap((event): readonly ChatLine[] => {
    const message = at(event, 'message')
    const text = chatText(textAt(message, 'content'))
    // A URL that ends with the user id.
    const userId = textAt(message, 'from').split('/').at(-1) ?? ''
    if (!WRITTEN.includes(textAt(message, 'messageType')) || userId === '' || text === '') return []
    return [{ id: textAt(message, 'clientMessageId'), userId, name: textAt(message, 'imDisplayName'), text }]
  })
  return chat.length > 0 ? changes({ chat }) : null
}
