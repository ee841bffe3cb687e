// The owner of each stream. Several sources name owners, and they are checked against each other. Owners change: an unmute may give a
// participant a new source, and another participant the old one.
import type { Attribution } from '../../../domain/meeting.ts'
import type { StreamUpdate } from './messages.ts'

type Kind = StreamUpdate['kind']

export type Stream = { readonly kind: Kind; readonly streamId: string; readonly userId: string }

/** In order of trust: the platform's list of streams, a record that names a speaker by user and stream, and the page's tiles. */
const SOURCES = ['list', 'record', 'page'] as const satisfies readonly Attribution[]

type Source = (typeof SOURCES)[number]

type Claim = Stream & { readonly sinceMs: number; readonly seenMs: number }

/** A less trusted source may lag a change by this much. After that a different owner is a contradiction. */
const LAG_MS = 3_000

/** Any other id is that of a track. */
export const isPacketSource = (streamId: string): boolean => /^\d+$/.test(streamId)

export class Streams {
  readonly #updates = new Map<string, StreamUpdate>()
  readonly #claims: Readonly<Record<Source, Map<string, Claim>>> = { list: new Map(), record: new Map(), page: new Map() }

  /** A participant has one stream of each kind in the list. The last update of a stream counts. */
  learn(update: StreamUpdate, at: number): void {
    const { userId, kind, streamId } = update
    const before = this.#updates.get(`${kind} ${userId}`)
    if (before && before.streamId !== streamId) this.#release(before)
    this.#updates.set(`${kind} ${userId}`, update)
    if (streamId !== null) this.#claim('list', { kind, streamId, userId }, at)
  }

  /** A record names this user as the speaker of this audio stream, and so no longer of an earlier one. */
  learnSpeaker(userId: string, streamId: string, at: number): void {
    for (const [key, claim] of this.#claims.record) {
      if (claim.userId === userId && claim.streamId !== streamId) this.#claims.record.delete(key)
    }
    this.#claim('record', { kind: 'audio', streamId, userId }, at)
  }

  /** The audio streams that the page's tiles show now. A stream in several tiles has no owner there. */
  see(people: readonly { readonly id: string; readonly sources: readonly string[] }[], at: number): void {
    const shown = Map.groupBy(
      people.flatMap(({ id, sources }) => [...new Set(sources)].map((streamId) => ({ streamId, userId: id }))),
      ({ streamId }) => streamId,
    )
    for (const key of this.#claims.page.keys()) if (shown.get(key.slice('audio '.length))?.length !== 1) this.#claims.page.delete(key)
    for (const [owner, second] of shown.values()) if (owner && !second) this.#claim('page', { kind: 'audio', ...owner }, at)
  }

  forget(userId: string): void {
    for (const kind of ['audio', 'video'] as const) this.#updates.delete(`${kind} ${userId}`)
    for (const claims of Object.values(this.#claims)) {
      for (const [key, claim] of claims) if (claim.userId === userId) claims.delete(key)
    }
  }

  /** Null where no source names an owner, and where two sources name different ones. */
  ownerOf(kind: Kind, streamId: string): string | null {
    const [first, ...others] = SOURCES.flatMap((source) => this.#claims[source].get(`${kind} ${streamId}`) ?? [])
    if (!first) return null
    const isContradicted = others.some(({ userId, seenMs }) => userId !== first.userId && seenMs - first.sinceMs > LAG_MS)
    return isContradicted ? null : first.userId
  }

  /** How each user is known as the owner of an audio stream: by the most trusted source that says so. Only digits are a source of packets. */
  attributions(): ReadonlyMap<string, Source | 'track' | 'contradicted'> {
    const claims = SOURCES.toReversed().flatMap((source) => [...this.#claims[source].values()].map((it) => ({ ...it, source })))
    const owned = claims
      .filter(({ kind }) => kind === 'audio')
      .map(({ source, userId, streamId }) => ({
        source: isPacketSource(streamId) ? source : ('track' as const),
        userId,
        owner: this.ownerOf('audio', streamId),
      }))
    return new Map([
      ...owned.filter(({ owner }) => owner === null).map(({ userId }) => [userId, 'contradicted'] as const),
      ...owned.filter(({ owner, userId }) => owner === userId).map(({ userId, source }) => [userId, source] as const),
    ])
  }

  isOn(userId: string, kind: Kind): boolean {
    const update = this.#updates.get(`${kind} ${userId}`)
    return update !== undefined && !update.disabled
  }

  all(): readonly Stream[] {
    const claimed = new Map(SOURCES.toReversed().flatMap((source) => [...this.#claims[source]]))
    return [...claimed.values()].flatMap(({ kind, streamId }) => {
      const userId = this.ownerOf(kind, streamId)
      return userId === null ? [] : { kind, streamId, userId }
    })
  }

  #claim(source: Source, stream: Stream, at: number): void {
    const claims = this.#claims[source]
    const key = `${stream.kind} ${stream.streamId}`
    const before = claims.get(key)
    claims.set(key, { ...stream, sinceMs: before?.userId === stream.userId ? before.sinceMs : at, seenMs: at })
  }

  /** The user has another stream by now. Claims of other users stay. */
  #release({ userId, kind, streamId }: StreamUpdate): void {
    const key = `${kind} ${streamId}`
    for (const source of ['list', 'record'] as const) {
      if (this.#claims[source].get(key)?.userId === userId) this.#claims[source].delete(key)
    }
  }
}
