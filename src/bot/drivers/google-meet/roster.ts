// Who is in the meeting and whose the streams are, from what the meeting tells; where it tells nothing, from what the page shows.
import type { Attendees, MeetingEvent, Participant, TrackOwner } from '../../../domain/meeting.ts'
import { type CaptionLine, type ChatLine, LEFT, type MeetUser, REMOVED, type Told } from './protocol.ts'
import type { SeenPerson } from './screens.ts'
import { Streams } from './streams.ts'

type User = {
  readonly id: string
  readonly name: string
  readonly isHost: boolean
  readonly parentId: string | null
  readonly toldAt: number
}

/** A list that was on its way when somebody came does not know of him. */
const NEW_MS = 10_000
/** Ids of lines and captions that are remembered. */
const MOST_REMEMBERED = 5_000

export class Roster {
  /** The bot's own end, where the meeting told of it. */
  ownEnd: 'left' | 'removed' | null = null
  /** The meeting has told of somebody, so nothing need be read off the page. */
  isTold = false
  readonly #users = new Map<string, User>()
  readonly #streams = new Streams()
  readonly #lines = new Set<string>()
  readonly #captions = new Map<string, number>()
  readonly #emit: (event: MeetingEvent) => void
  readonly #onOwnLine: (text: string) => void
  /** The bot itself. Somebody who comes back after a loss gets another id. */
  readonly #selves = new Set<string>()
  #lastPeople = '[]'
  #lastTracks = '[]'

  /** `onOwnLine`: the meeting has taken a line of the bot's. */
  constructor(emit: (event: MeetingEvent) => void, onOwnLine: (text: string) => void) {
    this.#emit = emit
    this.#onOwnLine = onOwnLine
  }

  at(now: number): Attendees {
    return { others: this.#others(), at: now }
  }

  hear(told: Told, at: number): void {
    if (told.kind === 'voice') this.#hearVoices(told.sources, at)
    else if (told.kind === 'caption') this.#hearCaption(told.caption, at)
    else this.#hearPeople(told, at)
  }

  #hearPeople(told: Extract<Told, { kind: 'changes' | 'everybody' }>, at: number): void {
    if (told.users.length > 0) this.isTold = true
    for (const user of told.users) this.#upsert(user, at)
    if (told.kind === 'everybody') this.#keepOnly(new Set(told.users.map(({ deviceId }) => deviceId)), at)
    if (told.kind === 'changes') for (const output of told.outputs) this.#streams.learn(output)
    this.#tell(at)
    if (told.kind === 'changes') for (const line of told.chat) this.#hearLine(line, at)
  }

  /** What tiles and list show. The meeting's own word, once there is one, is better. */
  see(people: readonly SeenPerson[], at: number): void {
    if (this.isTold) return
    this.#users.clear()
    for (const { id, name, isSelf } of people) {
      if (isSelf) this.#selves.add(id)
      else this.#users.set(id, { id, name, isHost: false, parentId: null, toldAt: at })
    }
    this.#tell(at)
  }

  #upsert({ deviceId: id, name, status, isSelf, parentId, isHost }: MeetUser, at: number): void {
    const isGone = status === LEFT || status === REMOVED
    if (isSelf) this.#selves.add(id)
    if (this.#selves.has(id)) {
      this.#users.delete(id)
      this.ownEnd = isGone ? (status === REMOVED ? 'removed' : 'left') : null
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
      toldAt: at,
    })
  }

  #keepOnly(ids: ReadonlySet<string>, at: number): void {
    for (const { id, toldAt } of [...this.#users.values()]) if (!ids.has(id) && at - toldAt > NEW_MS) this.#drop(id)
  }

  #drop(id: string): void {
    this.#users.delete(id)
    this.#streams.forget(id)
  }

  #hearVoices(sources: readonly number[], at: number): void {
    const owners = sources.map((source) => ({ source, user: this.#personOf(this.#streams.ownerOf('audio', String(source))) }))
    const known = owners.flatMap(({ user }) => user ?? [])
    // Somebody speaks, though nobody knows who: that is no silence.
    const unknown = owners.filter(({ user }) => user === null).map(({ source }) => `csrc:${source}`)
    this.#emit({ kind: 'voice', speakers: [...new Set([...known, ...unknown])], at })
  }

  #hearCaption({ id, deviceId, version, final, text }: CaptionLine, at: number): void {
    if (this.#selves.has(deviceId) || version < (this.#captions.get(id) ?? 0)) return
    this.#captions.set(id, final ? Number.POSITIVE_INFINITY : version)
    if (this.#captions.size > MOST_REMEMBERED) forgetFirst(this.#captions)
    const from = this.#personOf(deviceId) ?? deviceId
    this.#emit({ kind: 'caption', id, from, name: this.#users.get(from)?.name ?? '', text, final, at })
  }

  /** The meeting's own stamp is no clock of ours: a line is from when it came. */
  #hearLine({ id, deviceId, text }: ChatLine, at: number): void {
    if (id !== '' && this.#lines.has(id)) return
    this.#lines.add(id)
    if (this.#lines.size > MOST_REMEMBERED) forgetFirst(this.#lines)
    if (this.#selves.has(deviceId)) this.#onOwnLine(text)
    else this.#emit({ kind: 'chat', from: deviceId, name: this.#users.get(deviceId)?.name ?? '', text, at })
  }

  /** A screen is its presenter's; who is not known, and the bot itself, is nobody. */
  #personOf(deviceId: string | null): string | null {
    const user = deviceId === null ? undefined : this.#users.get(deviceId)
    if (!user) return null
    return user.parentId === null ? user.id : (this.#users.get(user.parentId)?.id ?? null)
  }

  #tell(at: number): void {
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

  /** Of those who are known only: a stream of somebody yet unnamed may turn out to be a screen. */
  #tracks(): readonly TrackOwner[] {
    return this.#streams.all().flatMap(({ kind, streamId, deviceId }) => {
      const participantId = this.#personOf(deviceId)
      if (participantId === null) return []
      if (kind === 'audio') return { trackId: `csrc:${streamId}`, participantId, kind }
      const isScreen = this.#users.get(deviceId)?.parentId !== null
      return { trackId: `stream:${streamId}`, participantId, kind: isScreen ? ('screen' as const) : ('camera' as const) }
    })
  }
}

function forgetFirst(remembered: Map<string, unknown> | Set<string>): void {
  for (const id of remembered.keys()) {
    remembered.delete(id)
    return
  }
}
