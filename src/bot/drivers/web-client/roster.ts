// Participants and owners of streams, from the platform's messages; where there are none, from what the page shows.
import type { Attendees, MeetingEvent, Participant, TrackOwner } from '../../../domain/meeting.ts'
import type { SeenPerson } from './facts.ts'
import type { CaptionLine, ChatLine, ClientMessage, Readers, UserUpdate } from './messages.ts'
import { readReport } from './read-report.ts'
import { Speakers } from './speakers.ts'
import { Streams } from './streams.ts'
import type { ClientRoster, RosterListeners } from './web-client.ts'

type User = {
  readonly id: string
  readonly name: string
  readonly isHost: boolean
  readonly parentId: string | null
  readonly updatedAt: number
}

/** A list that was under way when a participant joined does not know of them. */
const NEW_MS = 10_000
/** Ids of lines and captions that are remembered. */
const MOST_REMEMBERED = 5_000

export class Roster implements ClientRoster {
  ownEnd: ClientRoster['ownEnd'] = null
  removedBy: string | null = null
  /** The platform has sent users, so the tiles of the page are not read. */
  #hasUsers = false
  readonly #users = new Map<string, User>()
  readonly #streams = new Streams()
  readonly #speakers = new Speakers()
  readonly #lines = new Set<string>()
  readonly #captions = new Map<string, number>()
  readonly #readers: Readers
  readonly #emit: (event: MeetingEvent) => void
  readonly #onOwnLine: (text: string) => void
  /** The bot itself. It gets another id when it comes back after a loss. */
  readonly #selves = new Set<string>()
  #lastPeople = '[]'
  #lastTracks = '[]'

  constructor(readers: Readers, ...[emit, onOwnLine]: RosterListeners) {
    this.#readers = readers
    this.#emit = emit
    this.#onOwnLine = onOwnLine
  }

  at(now: number): Attendees {
    return { others: this.#others(), at: now }
  }

  receive(report: unknown, at: number): void {
    for (const message of readReport(report, this.#readers)) this.apply(message, at)
  }

  apply(message: ClientMessage, at: number): void {
    if (message.kind === 'voice') this.#speakers.hear(message.sources)
    if (message.kind === 'speaking') this.#speakers.tell(message.users)
    if (message.kind === 'voice' || message.kind === 'speaking') this.#emitVoices(at)
    else if (message.kind === 'caption') this.#receiveCaption(message.caption, at)
    else if (message.kind === 'ended') [this.ownEnd, this.removedBy] = [message.how, message.by]
    else this.#receiveUsers(message, at)
  }

  #receiveUsers(message: Extract<ClientMessage, { kind: 'changes' | 'everybody' }>, at: number): void {
    if (message.users.length > 0) this.#hasUsers = true
    for (const user of message.users) this.#upsert(user, at)
    if (message.kind === 'everybody') this.#keepOnly(new Set(message.users.map(({ id }) => id)), at)
    if (message.kind === 'changes') for (const stream of message.streams) this.#streams.learn(stream)
    this.#emitChanges(at)
    if (message.kind === 'changes') for (const line of message.chat) this.#receiveLine(line, at)
  }

  /** What tiles and list show. The platform's own messages, once there are any, are better. */
  see(people: readonly SeenPerson[], at: number): void {
    if (this.#hasUsers) return
    this.#users.clear()
    for (const { id, name, isSelf } of people) {
      if (isSelf) this.#selves.add(id)
      else this.#users.set(id, { id, name, isHost: false, parentId: null, updatedAt: at })
    }
    this.#emitChanges(at)
  }

  #upsert({ id, name, presence, isSelf, parentId, isHost }: UserUpdate, at: number): void {
    const isGone = presence === 'left' || presence === 'removed'
    if (isSelf) this.#selves.add(id)
    if (this.#selves.has(id)) {
      this.#users.delete(id)
      this.ownEnd = isGone ? presence : null
      return
    }
    if (isGone) {
      this.#drop(id)
      return
    }
    const known = this.#users.get(id)
    this.#users.set(id, {
      id,
      name: name ?? known?.name ?? '',
      isHost: isHost ?? known?.isHost ?? false,
      parentId: parentId ?? known?.parentId ?? null,
      updatedAt: at,
    })
  }

  #keepOnly(ids: ReadonlySet<string>, at: number): void {
    for (const { id, updatedAt } of [...this.#users.values()]) if (!ids.has(id) && at - updatedAt > NEW_MS) this.#drop(id)
  }

  #drop(id: string): void {
    this.#users.delete(id)
    this.#streams.forget(id)
    this.#speakers.forget(id)
  }

  #emitVoices(at: number): void {
    const ownerOf = (source: number) => this.#participantOf(this.#streams.ownerOf('audio', String(source)))
    const speakers = this.#speakers.now(ownerOf, (userId) => this.#participantOf(userId) === userId)
    this.#emit({ kind: 'voice', speakers, at })
  }

  #receiveCaption({ id, userId, version, final, text, spoken }: CaptionLine, at: number): void {
    if (this.#selves.has(userId) || version < (this.#captions.get(id) ?? 0)) return
    this.#captions.set(id, final ? Number.POSITIVE_INFINITY : version)
    if (this.#captions.size > MOST_REMEMBERED) forgetFirst(this.#captions)
    const from = this.#participantOf(userId) ?? userId
    // Packets tell better who speaks, where they tell it at all.
    const span = spoken && !this.#speakers.hasHeard && { spoken }
    if (span) this.#emit({ kind: 'voice', speakers: [from], at })
    this.#emit({ kind: 'caption', id, from, name: this.#users.get(from)?.name ?? '', text, final, at, ...span })
    if (span) this.#emit({ kind: 'voice', speakers: [], at })
  }

  /** The platform's time stamp is another clock: a line is dated by its arrival. */
  #receiveLine({ id, userId, name, text }: ChatLine, at: number): void {
    if (id !== '' && this.#lines.has(id)) return
    this.#lines.add(id)
    if (this.#lines.size > MOST_REMEMBERED) forgetFirst(this.#lines)
    if (this.#selves.has(userId)) this.#onOwnLine(text)
    else this.#emit({ kind: 'chat', from: userId, name: this.#users.get(userId)?.name ?? name ?? '', text, at })
  }

  /** A screen belongs to its presenter. Unknown users and the bot itself are no participants. */
  #participantOf(userId: string | null): string | null {
    const user = userId === null ? undefined : this.#users.get(userId)
    if (!user) return null
    return user.parentId === null ? user.id : (this.#users.get(user.parentId)?.id ?? null)
  }

  #emitChanges(at: number): void {
    const others = JSON.stringify(this.#others())
    if (others !== this.#lastPeople) this.#emit({ kind: 'people', ...this.at(at) })
    this.#lastPeople = others
    const tracks = this.#tracks()
    const all = JSON.stringify(tracks)
    if (all !== this.#lastTracks) this.#emit({ kind: 'tracks', tracks, at })
    this.#lastTracks = all
  }

  #others(): readonly Participant[] {
    const people = [...this.#users.values()].filter(({ parentId }) => parentId === null)
    return people.map(({ id, name, isHost }) => ({
      ...{ id, name, isHost },
      microphoneOn: this.#streams.isOn(id, 'audio'),
      cameraOn: this.#streams.isOn(id, 'video'),
    }))
  }

  /** Of known users only: a stream of a user without a name may turn out to be a screen. */
  #tracks(): readonly TrackOwner[] {
    return this.#streams.all().flatMap(({ kind, streamId, userId }) => {
      const participantId = this.#participantOf(userId)
      if (participantId === null) return []
      if (kind === 'audio') return { track: { kind: 'csrc' as const, csrc: Number(streamId) }, participantId, kind }
      const isScreen = this.#users.get(userId)?.parentId !== null
      return { track: { kind: 'stream' as const, id: streamId }, participantId, kind: isScreen ? ('screen' as const) : ('camera' as const) }
    })
  }
}

function forgetFirst(remembered: Map<string, unknown> | Set<string>): void {
  for (const id of remembered.keys()) {
    remembered.delete(id)
    return
  }
}
