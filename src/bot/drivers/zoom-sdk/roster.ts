// The state of a Zoom meeting, built from the reports of its page.
import type { Attendees, TrackOwner } from '../../../domain/meeting.ts'
import type { ClientRoster, RosterListeners } from '../browser-meeting/meeting-client.ts'
import type { Screen } from '../browser-meeting/page-rules.ts'
import type { Verdict } from '../browser-meeting/patience.ts'
import { SDK_ERRORS, verdictOf } from './errors.ts'
import type { ZoomReport, ZoomTrack, ZoomUser } from './report.ts'

type Report<Kind extends ZoomReport['kind']> = Extract<ZoomReport, { kind: Kind }>
type OwnEnd = NonNullable<ClientRoster['ownEnd']>

const SCREENS: Readonly<Record<Report<'place'>['place'], Screen | null>> = {
  joining: null,
  waiting_for_host: 'early',
  waiting_room: 'waiting',
  inside: 'inside',
}

/** The SDK's `reasonCode` of the bot's own leave. */
const REASONS: Readonly<Record<number, OwnEnd>> = {
  0: 'left',
  1: 'ended',
  2: 'ended',
  3: 'ended',
  4: 'ended',
  5: 'ended',
  6: 'removed',
  7: 'removed',
  8: 'ended',
}
const KICKED_FROM_WAITING_ROOM = 7

/** `<raw id>+CS+…`: the lower ten bits of a raw id number the streams of a user. They are 0 for the camera. */
const STREAM = /^(\d+)\+CS\+/
const STREAM_BITS = 1024
const MOST_REMEMBERED = 5_000
/** The bot stays for so long without the user on whose behalf it has joined. */
const AUTHORISER_AWAY_MS = 600_000
const AUTHORISER_AWAY = 'The user on whose behalf the bot joined has been away for 10 minutes'

export class ZoomRoster implements ClientRoster {
  ownEnd: ClientRoster['ownEnd'] = null
  endMessage: string | null = null
  screen: Screen | null = null
  readonly #emit: RosterListeners[0]
  readonly #onOwnLine: RosterListeners[1]
  /** How long to wait for the user who authorised the token. */
  readonly #patienceMs: number
  #users: readonly ZoomUser[] = []
  #tracks: readonly ZoomTrack[] = []
  #speakers: readonly number[] = []
  readonly #lines = new Set<string>()
  #refused: { readonly code: number; readonly says: string; readonly isRetried: boolean } | null = null
  #absentSince: number | null = null
  /** Of the user who authorised the token. It stays when the user takes another name. */
  #authoriserId: number | null = null
  #awaySince: number | null = null

  constructor(patienceMs: number, ...[emit, onOwnLine]: RosterListeners) {
    this.#patienceMs = patienceMs
    this.#emit = emit
    this.#onOwnLine = onOwnLine
  }

  at(now: number): Attendees {
    const others = this.#users.filter(({ isSelf }) => !isSelf)
    return { others: others.map(({ isSelf: _, id, ...it }) => ({ id: String(id), ...it })), at: now }
  }

  /** The page reports its users, so tiles are not read. A breakout room has users of its own. */
  see(_: unknown, at: number, isInRoom: boolean): void {
    this.#awaySince = isInRoom || this.#isAuthoriserHere() ? null : (this.#awaySince ?? at)
    if (this.#awaySince === null || at - this.#awaySince < AUTHORISER_AWAY_MS || this.ownEnd !== null) return
    this.ownEnd = 'ended'
    this.endMessage = AUTHORISER_AWAY
  }

  /** Also true for a user whom the bot has never found by the name: such a user cannot be missed. */
  #isAuthoriserHere(): boolean {
    return this.#authoriserId === null || this.#users.some(({ id }) => id === this.#authoriserId)
  }

  /** Why the join failed. Null while the authorising user may still join. */
  refusal(now: number): Verdict | null {
    if (!this.#refused) return null
    const { code, says, isRetried } = this.#refused
    if (isRetried && now - (this.#absentSince ?? now) < this.#patienceMs) return null
    const { denied, ...verdict } = verdictOf(code, says)
    return denied ? null : verdict
  }

  receive(report: unknown, at: number): void {
    const it = report as ZoomReport
    if (it.kind === 'place') this.#onPlace(it)
    if (it.kind === 'users') this.#onUsers(it, at)
    if (it.kind === 'tracks') this.#onTracks(it, at)
    if (it.kind === 'speakers') this.#onSpeakers(it.users, at)
    if (it.kind === 'chat') this.#onChat(it, at)
    if (it.kind === 'caption') this.#onCaption(it, at)
    if (it.kind === 'permission') this.#emit({ kind: 'recording_permission', state: it.state, at })
    if (it.kind === 'refused') this.#onRefused(it, at)
    if (it.kind === 'over') this.#onOver(it)
  }

  #onPlace({ place }: Report<'place'>): void {
    this.screen = SCREENS[place]
    if (place !== 'joining') this.#refused = null
  }

  #onRefused({ code, says, isRetried = false }: Report<'refused'>, at: number): void {
    this.#refused = { code, says, isRetried }
    if (isRetried) this.#absentSince ??= at
    this.screen = isRetried ? 'not_started' : verdictOf(code, says).denied ? 'denied' : null
  }

  #onUsers({ users, authoriser = '' }: Report<'users'>, at: number): void {
    const named = users.find(({ name, isSelf }) => !isSelf && name !== '' && name === authoriser)
    this.#authoriserId = named?.id ?? this.#authoriserId
    const before = JSON.stringify([this.at(0), this.#owners()])
    this.#users = users
    if (before === JSON.stringify([this.at(0), this.#owners()])) return
    this.#emit({ kind: 'people', ...this.at(at) })
    this.#emit({ kind: 'tracks', tracks: this.#owners(), at })
    // The SDK reports no silence: a speaker who has left speaks no more.
    if (this.#speakers.some((id) => this.#other(id) === null)) this.#onSpeakers(this.#speakers, at)
  }

  #onSpeakers(users: readonly number[], at: number): void {
    this.#speakers = users.filter((id) => this.#other(id) !== null)
    this.#emit({ kind: 'voice', speakers: this.#speakers.map(String), at })
  }

  #onTracks({ tracks }: Report<'tracks'>, at: number): void {
    this.#tracks = tracks
    this.#emit({ kind: 'tracks', tracks: this.#owners(), at })
  }

  #onChat({ id, from, name, text }: Report<'chat'>, at: number): void {
    if (id !== '' && this.#lines.has(id)) return
    this.#lines.add(id)
    if (this.#lines.size > MOST_REMEMBERED) this.#lines.delete(this.#lines.values().next().value ?? '')
    if (this.#users.some((it) => it.isSelf && it.id === from)) this.#onOwnLine(text)
    else this.#emit({ kind: 'chat', from: String(from), name: this.#nameOf(from) ?? name, text, at })
  }

  #onCaption({ id, from, name, text, final }: Report<'caption'>, at: number): void {
    if (this.#users.some((it) => it.isSelf && it.id === from)) return
    this.#emit({ kind: 'caption', id, from: String(from), name: this.#nameOf(from) ?? name, text, final, at })
  }

  #onOver({ reason, code }: Report<'over'>): void {
    // The client reports a plain leave after the precise end, which must stay.
    if (this.ownEnd !== null && this.ownEnd !== 'left') return
    this.ownEnd = code !== null ? 'ended' : (REASONS[reason ?? 0] ?? 'left')
    this.endMessage = code === null ? null : (SDK_ERRORS[code]?.message ?? null)
    this.screen = reason === KICKED_FROM_WAITING_ROOM ? 'denied' : null
  }

  #nameOf(id: number): string | undefined {
    return this.#users.find((it) => it.id === id)?.name
  }

  #other(id: number): string | null {
    return this.#users.some((it) => it.id === id && !it.isSelf) ? String(id) : null
  }

  /** Skips tracks of unknown users: unattributed is better than wrong. */
  #owners(): readonly TrackOwner[] {
    return this.#tracks.flatMap(({ id, streamId, kind }): TrackOwner[] => {
      const raw = Number(STREAM.exec(streamId)?.[1] ?? Number.NaN)
      const participantId = Number.isSafeInteger(raw) ? this.#other(raw - (raw % STREAM_BITS)) : null
      if (participantId === null) return []
      const shows = raw % STREAM_BITS === 0 ? 'camera' : 'screen'
      return [{ track: { kind: 'track', id }, participantId, kind: kind === 'audio' ? 'audio' : shows }]
    })
  }
}
