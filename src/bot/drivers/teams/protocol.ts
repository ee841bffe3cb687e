// Decodes Teams' messages to its own page: roster, sources, video requests, chat, captions, and the end of the call.
import type { ChatLine, ClientMessage, Readers, StreamUpdate, UserUpdate } from '../web-client/messages.ts'
import type { OwnEntry } from '../web-client/web-client.ts'
import { captionsIn } from './captions.ts'
import { chatText } from './chat-text.ts'
import { Entries, type Entry, type MediaKind } from './entries.ts'
import { Pictures } from './pictures.ts'
import { at, type Frame, frameOf, itemsOf, listAt, numberAt, parsed, textAt } from './wire.ts'

/** One set for each call, because rosters arrive as changes. */
export function createReaders(own: OwnEntry): Readers {
  const call = new TeamsCall(own)
  return {
    trouter: (bytes) => call.receiveFrame(frameOf(textOf(bytes))),
    snapshot: (bytes) => call.receiveSnapshot(parsed(textOf(bytes))),
    globals: (bytes) => call.receiveGlobals(parsed(textOf(bytes))),
    'main-channel': (bytes) => call.receiveItems(itemsOf(bytes)),
    requests: (bytes) => call.receiveRequests(itemsOf(bytes)),
    description: (bytes) => call.receiveDescription(textOf(bytes)),
    chat: (bytes) => chatIn(parsed(textOf(bytes))),
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
  readonly #entries = new Entries()
  readonly #pictures = new Pictures()
  /** The last reported state of the streams. */
  readonly #reported = new Map<string, string>()
  readonly #locals = new Map<string, string>()
  /** Rosters from before the client's own call is known. */
  #held: Frame[] = []
  #hasLooked = false
  #vainLooks = 0
  #ownId: string | null = null
  #callId: string | null = null
  #muted: ReadonlySet<string> = new Set()

  constructor(own: OwnEntry) {
    this.#own = own
  }

  receiveFrame(frame: Frame | null): ClientMessage | null {
    if (frame?.path.endsWith('/conversationEnd')) return this.#receiveEnd(frame)
    if (!frame?.path.endsWith('/rosterUpdate')) return null
    if (!this.#hasLooked) this.#held.push(frame)
    return this.#hasLooked ? this.#changes(this.#update(frame)) : null
  }

  /** The full list, for clients that join late or reconnect. */
  receiveSnapshot(answer: unknown): ClientMessage | null {
    const participants = at(answer, 'participants')
    if (typeof participants !== 'object' || participants === null) return null
    const ids = this.#entries.replace(participants)
    return this.#hasLooked ? this.#changes(ids) : null
  }

  /** The client's globals; null where there are none. The bot's own entry is unknown until the first look. */
  receiveGlobals(globals: unknown): ClientMessage | null {
    this.#ownId = textAt(globals, 'ownId') || this.#ownId
    this.#callId = textAt(globals, 'callId') || this.#callId
    this.#muted = new Set(listAt(globals, 'muted').filter((it) => typeof it === 'string'))
    if (globals === null && ++this.#vainLooks < MOST_VAIN_LOOKS) return null
    const isFirst = !this.#hasLooked
    this.#hasLooked = true
    if (isFirst) for (const frame of this.#held.splice(0)) this.#update(frame)
    return this.#changes(isFirst ? this.#entries.ids : [])
  }

  receiveItems(items: readonly unknown[]): readonly ClientMessage[] {
    const captions = items.flatMap(captionsIn)
    const newLocals = captions.map(({ userId }) => userId).filter((id) => id.endsWith('@local') && !this.#locals.has(id))
    for (const id of newLocals) this.#locals.set(id, `Speaker ${this.#locals.size + 1}`)
    const changes = newLocals.length > 0 ? [changesOf({ users: [...new Set(newLocals)].map((id) => this.#localUser(id)) })] : []
    return [...changes, ...captions.map((caption): ClientMessage => ({ kind: 'caption', caption }))]
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
    this.#entries.connect()
    return this.#hasLooked ? this.#changes([]) : null
  }

  #receiveEnd({ callId, body }: Frame): ClientMessage | null {
    if (!this.#isOwn(callId) || typeof body !== 'object' || body === null) return null
    const sender = textAt(body, 'sender', 'id')
    if (sender !== '' && sender === this.#ownId) return { kind: 'ended', cause: 'left', by: null }
    const isRemoved = sender !== '' && REMOVED_CODES.includes(numberAt(body, 'subCode') ?? 0)
    return isRemoved
      ? { kind: 'ended', cause: 'removed', by: textAt(body, 'sender', 'displayName') || null }
      : { kind: 'ended', cause: 'ended', by: null }
  }

  /** Rosters of breakout rooms and of earlier calls arrive, too. */
  #update({ callId, body }: Frame): readonly string[] {
    if (!this.#isOwn(callId)) return []
    this.#callId ??= callId
    return this.#entries.update(at(body, 'participants'))
  }

  #isOwn(callId: string | null): boolean {
    return callId === null || this.#callId === null || callId === this.#callId
  }

  #changes(ids: readonly string[]): ClientMessage | null {
    const streams = this.#streams()
    // A screen is a separate user, which must be known before its stream.
    const sharing = streams.filter(({ userId }) => userId.endsWith(SCREEN)).map(({ userId }) => userId.slice(0, -SCREEN.length))
    const users = this.#users([...new Set([...ids, ...sharing])])
    return users.length + streams.length > 0 ? changesOf({ users, streams }) : null
  }

  #users(ids: readonly string[]): readonly UserUpdate[] {
    return ids.flatMap((id) => {
      const [entry] = this.#entries.of(id)
      const isSelf = this.#isSelf(id, entry)
      const presence = entry ? 'here' : 'left'
      const user = { id, name: entry?.name ?? null, presence, isSelf, parentId: null, isHost: entry?.isHost ?? null } as const
      const isSharing = this.#entries.of(id).some(({ streams }) => streams.some(isSharedScreen))
      const screen = { ...user, id: `${id}${SCREEN}`, presence: isSharing ? 'here' : 'left', parentId: id, isSelf: false } as const
      return isSelf ? [user] : [user, ...(isSharing || this.#reported.has(`${screen.id} video`) ? [screen] : [])]
    })
  }

  /** By the published id, otherwise by name. */
  #isSelf(id: string, entry: Entry | undefined): boolean {
    if (this.#ownId !== null) return id === this.#ownId
    return entry?.name === this.#own.name && GUESTS.some((prefix) => id.startsWith(prefix))
  }

  #localUser(id: string): UserUpdate {
    const name = this.#locals.get(id) ?? null
    return { id, name, presence: 'here', isSelf: false, parentId: null, isHost: null }
  }

  /** Only changed streams. */
  #streams(): readonly StreamUpdate[] {
    return this.#entries.ids
      .flatMap((id) =>
        [this.#stream(id, 'audio'), this.#stream(id, 'video'), this.#stream(id, 'screen')].filter((update) => {
          if (!update) return false
          const [key, state] = [`${update.userId} ${update.kind}`, JSON.stringify(update)]
          if (this.#reported.get(key) === state) return false
          this.#reported.set(key, state)
          return true
        }),
      )
      .flatMap((it) => it ?? [])
  }

  #stream(id: string, kind: MediaKind): StreamUpdate | null {
    const all = this.#entries.of(id).flatMap(({ streams }) => streams.filter((it) => it.kind === kind))
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

function isSharedScreen({ kind, isSent }: Entry['streams'][number]): boolean {
  return kind === 'screen' && isSent
}

function changesOf(parts: { readonly users?: readonly UserUpdate[]; readonly streams?: readonly StreamUpdate[] }): ClientMessage {
  return { kind: 'changes', users: [], streams: [], chat: [], ...parts }
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
  return chat.length > 0 ? { kind: 'changes', users: [], streams: [], chat } : null
}
