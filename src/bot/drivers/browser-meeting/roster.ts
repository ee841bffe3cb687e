// Participants and stream owners, from the platform's messages, or from the page's tiles while there are none.
import type { Attendees, MeetingEvent, Participant, TrackOwner, TrackRef } from '../../../domain/meeting.ts'
import { Attributions } from './attributions.ts'
import { Dominance, type Span } from './dominance.ts'
import type { SeenPerson } from './facts.ts'
import type { ClientRoster, OwnEntry, ReportedRoom, RosterListeners, Traffic } from './meeting-client.ts'
import { MergedRooms } from './merged-rooms.ts'
import type { CaptionLine, ChatLine, ClientMessage, Readers, UserUpdate } from './messages.ts'
import { readReport } from './read-report.ts'
import { Speakers } from './speakers.ts'
import { isPacketSource, Streams } from './streams.ts'
import { Users } from './users.ts'

/** The number of remembered ids of chat messages, and of captions. */
const MOST_REMEMBERED = 5_000

/** What reads the state of a platform's meeting: its published state, or its messages. */
export type Readable = {
  readonly published?: { readonly createRoster: (...listeners: RosterListeners) => ClientRoster }
  readonly traffic?: Pick<Traffic, 'createReaders'>
}

export function rosterOf({ published, traffic }: Readable, { name }: OwnEntry, ...listeners: RosterListeners): ClientRoster {
  return published?.createRoster(...listeners) ?? new Roster(traffic?.createReaders({ name }) ?? {}, ...listeners)
}

type Handlers = { readonly [Kind in ClientMessage['kind']]: (message: Extract<ClientMessage, { kind: Kind }>, at: number) => void }

export class Roster implements ClientRoster {
  ownEnd: ClientRoster['ownEnd'] = null
  removedBy: string | null = null
  room: ReportedRoom | null = null
  /** The platform has sent users, so the page's tiles are ignored. */
  #hasUsers = false
  readonly #users = new Users()
  readonly #rooms = new MergedRooms(this.#users)
  readonly #streams = new Streams()
  readonly #speakers = new Speakers()
  readonly #dominance = new Dominance({
    ownerOf: (source) => this.#users.participantOf(this.#streams.ownerOf('audio', source)),
    unmuted: () => this.#users.participants().flatMap(({ id }) => (this.#streams.isOn(id, 'audio') ? id : [])),
    onSpoken: (id, spoken) => this.#receiveSpoken(id, spoken),
  })
  readonly #chatIds = new Set<string>()
  /** The newest version of each caption; infinite once it is final. */
  readonly #captionVersions = new Map<string, number>()
  readonly #attributions = new Attributions(this.#streams, this.#speakers)
  readonly #readers: Readers
  readonly #emit: (event: MeetingEvent) => void
  readonly #onOwnLine: (text: string) => void
  #lastPeople = '[[],[]]'
  #lastTracks = '[]'

  readonly #handlers: Handlers = {
    changes: ({ users, streams, chat }, at) => {
      this.#updateUsers(users, at)
      for (const stream of streams) this.#streams.learn(stream, at)
      this.#emitChanges(at)
      for (const line of chat) this.#receiveLine(line, at)
    },
    everybody: ({ users }, at) => {
      this.#updateUsers(users, at)
      for (const id of this.#users.missingFrom(new Set(users.map(({ id }) => id)), at)) this.#drop(id)
      this.#emitChanges(at)
    },
    ended: ({ cause, by }) => {
      this.ownEnd = cause
      this.removedBy = by
    },
    room: ({ name }, at) => {
      this.room = { name, sinceMs: at }
      this.#dominance.reset(at)
    },
    dominant: ({ streamId }, at) => {
      this.#dominance.setSource(streamId, at)
      if (!this.#speakers.hasLevels) this.#emitVoices(at)
    },
    sound: ({ isAudible, agoMs }, at) => {
      this.#dominance.setSound(isAudible, at - agoMs)
      if (!this.#speakers.hasLevels) this.#emitVoices(at)
    },
    caption: ({ caption }, at) => this.#receiveCaption(caption, at),
    speaking: ({ users }, at) => {
      this.#speakers.update(users)
      for (const { userId, streamId } of users)
        if (userId !== null && streamId !== undefined) this.#streams.learnSpeaker(userId, streamId, at)
      this.#emitChanges(at)
      this.#emitVoices(at)
    },
    voice: ({ sources }, at) => {
      this.#speakers.setSources(sources)
      this.#emitVoices(at)
    },
  }

  constructor(readers: Readers, ...[emit, onOwnLine]: RosterListeners) {
    this.#readers = readers
    this.#emit = emit
    this.#onOwnLine = onOwnLine
  }

  get needsCaptions(): boolean {
    return this.#dominance.needsCaptions && !this.#speakers.hasLevels
  }

  at(now: number): Attendees {
    return { others: this.#others(), attributions: Object.fromEntries(this.#attributions.all()), at: now }
  }

  receive(report: unknown, at: number): void {
    for (const message of readReport(report, this.#readers)) this.apply(message, at)
  }

  apply<Kind extends ClientMessage['kind']>(message: Extract<ClientMessage, { kind: Kind }>, at: number): void {
    this.#handlers[message.kind as Kind](message, at)
  }

  see(people: readonly SeenPerson[], at: number): void {
    if (!this.#hasUsers) this.#users.replaceBySeen(people, at)
    this.#streams.see(people, at)
    this.#rooms.see(people)
    this.#emitChanges(at)
  }

  #updateUsers(users: readonly UserUpdate[], at: number): void {
    if (users.length > 0) this.#hasUsers = true
    for (const user of users) this.#updateUser(user, at)
  }

  #updateUser(user: UserUpdate, at: number): void {
    const { id, presence, isSelf } = user
    const ended = presence === 'left' || presence === 'removed' ? presence : null
    if (isSelf || this.#users.isOwn(id)) {
      this.#users.addOwn(id)
      this.ownEnd = ended
    } else if (ended) this.#drop(id)
    else this.#users.upsert(user, at)
  }

  #drop(id: string): void {
    this.#users.remove(id)
    this.#streams.forget(id)
    this.#speakers.forget(id)
    this.#attributions.forget(id)
  }

  #emitVoices(at: number): void {
    const ownerOf = (source: number) => this.#users.participantOf(this.#streams.ownerOf('audio', String(source)))
    const speakers = this.#speakers.now(ownerOf, (userId) => this.#users.participantOf(userId) === userId)
    const dominant = this.#speakers.hasLevels ? null : this.#dominance.speaker
    const all = dominant === null ? speakers : [...speakers, dominant]
    this.#emit({ kind: 'voice', speakers: [...new Set(all.map((it) => this.#rooms.speakerOf(it)))], at })
  }

  /** Packet levels are more exact. */
  #receiveSpoken(id: string, spoken: Span): void {
    if (this.#speakers.hasLevels) return
    this.#speakers.named.add(id)
    this.#emit({ kind: 'spoken', from: this.#rooms.speakerOf(id), spoken })
  }

  #receiveCaption({ id, userId, version, final, text, spoken }: CaptionLine, at: number): void {
    if (this.#users.isOwn(userId) || version < (this.#captionVersions.get(id) ?? 0)) return
    this.#captionVersions.set(id, final ? Number.POSITIVE_INFINITY : version)
    if (this.#captionVersions.size > MOST_REMEMBERED) forgetFirst(this.#captionVersions)
    const from = this.#rooms.speakerOf(this.#users.participantOf(userId) ?? userId)
    // Captions name the speakers only in a call without levels.
    const span = spoken && !this.#speakers.hasLevels && { spoken }
    if (span) this.#attributions.addCaption(userId)
    if (span) this.#emit({ kind: 'voice', speakers: [from], at })
    this.#emit({ kind: 'caption', id, from, name: this.#nameOf(from), text, final, at, ...span })
    if (span) this.#emit({ kind: 'voice', speakers: [], at })
  }

  /** Dated by arrival: the platform's timestamp is from another clock. */
  #receiveLine({ id, userId, name, text }: ChatLine, at: number): void {
    if (id !== '' && this.#chatIds.has(id)) return
    this.#chatIds.add(id)
    if (this.#chatIds.size > MOST_REMEMBERED) forgetFirst(this.#chatIds)
    if (this.#users.isOwn(userId)) this.#onOwnLine(text)
    else this.#emit({ kind: 'chat', from: userId, name: this.#users.get(userId)?.name ?? name ?? '', text, at })
  }

  #emitChanges(at: number): void {
    this.#dominance.advance(at)
    this.#attributions.learn((user) => this.#speakerOf(user))
    const others = JSON.stringify([this.#others(), [...this.#attributions.all()]])
    if (others !== this.#lastPeople) this.#emit({ kind: 'people', ...this.at(at) })
    this.#lastPeople = others
    const tracks = this.#tracks()
    const all = JSON.stringify(tracks)
    if (all !== this.#lastTracks) this.#emit({ kind: 'tracks', tracks, at })
    this.#lastTracks = all
  }

  /** The audio of a merged room belongs to the room. */
  #speakerOf(userId: string): string | null {
    const participantId = this.#users.participantOf(userId)
    return participantId === null ? null : this.#rooms.speakerOf(participantId)
  }

  #nameOf(participantId: string): string {
    return this.#others().find(({ id }) => id === participantId)?.name ?? ''
  }

  #others(): readonly Participant[] {
    const people = this.#users.participants().map(({ id, name, isHost }) => ({
      id,
      name,
      isHost,
      microphoneOn: this.#streams.isOn(id, 'audio'),
      cameraOn: this.#streams.isOn(id, 'video'),
    }))
    return [...people, ...this.#rooms.participants((id) => this.#streams.isOn(id, 'audio'))]
  }

  /** Lists tracks of known users only: the stream of an unknown user may be a screen. */
  #tracks(): readonly TrackOwner[] {
    return this.#streams.all().flatMap(({ kind, streamId, userId }) => {
      const participantId = this.#users.participantOf(userId)
      if (participantId === null) return []
      if (kind === 'audio') return { track: audioRef(streamId), participantId: this.#rooms.speakerOf(participantId), kind }
      const isScreen = this.#users.get(userId)?.parentId !== null
      return { track: { kind: 'stream' as const, id: streamId }, participantId, kind: isScreen ? ('screen' as const) : ('camera' as const) }
    })
  }
}

function audioRef(streamId: string): TrackRef {
  return isPacketSource(streamId) ? { kind: 'csrc', csrc: Number(streamId) } : { kind: 'track', id: streamId }
}

function forgetFirst(remembered: Map<string, unknown> | Set<string>): void {
  for (const id of remembered.keys()) {
    remembered.delete(id)
    return
  }
}
