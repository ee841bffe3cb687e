// Reads the state that the room's page publishes and page/start.ts reports.
import type { Attendees, Participant, TrackOwner } from '../../../domain/meeting.ts'
import type { TrackKind } from '../../../domain/recording.ts'
import type { ClientRoster, RosterListeners } from '../browser-meeting/meeting-client.ts'

type Person = {
  readonly id: string
  readonly name: string
  readonly host: boolean
  readonly media: { readonly microphone: boolean; readonly camera: boolean }
}

/** The serialisable part of the published state. */
type Snapshot = {
  readonly phase: 'prejoin' | 'joining' | 'waiting' | 'inside' | 'over'
  readonly ending: 'ended' | 'removed' | 'refused' | 'full' | 'left' | 'link_expired' | 'lost' | null
  readonly self: { readonly id: string } | null
  readonly people: readonly Person[]
  readonly speaking: readonly string[]
  readonly tracks: readonly { readonly id: string; readonly person: string; readonly kind: 'microphone' | 'camera' | 'screen' }[]
}

type Change = {
  readonly kind: string
  readonly line?: { readonly from: string; readonly name: string; readonly text: string; readonly at: number }
  readonly snapshot: Snapshot
}

const ENDINGS: Readonly<Record<NonNullable<Snapshot['ending']>, 'ended' | 'removed' | 'lost'>> = {
  ended: 'ended',
  left: 'ended',
  refused: 'ended',
  full: 'ended',
  removed: 'removed',
  lost: 'lost',
  link_expired: 'lost',
}

export class RoomRoster implements ClientRoster {
  ownEnd: 'ended' | 'removed' | 'lost' | null = null
  screen: 'waiting' | 'inside' | null = null
  /** The last list from inside the call. Outside, the page shows no participants although they have not left. */
  #others: readonly Person[] = []
  readonly #emit: RosterListeners[0]
  readonly #onOwnLine: RosterListeners[1]

  constructor(...[emit, onOwnLine]: RosterListeners) {
    this.#emit = emit
    this.#onOwnLine = onOwnLine
  }

  at(now: number): Attendees {
    return { others: this.#others.map(participant), at: now }
  }

  /** The published state already contains the tiles. */
  see(): void {}

  receive(report: unknown, at: number): void {
    const { kind, line, snapshot } = report as Change
    const { phase, ending, people, speaking, tracks } = snapshot
    const self = snapshot.self?.id
    const isInside = self !== undefined && phase === 'inside'
    this.screen = phase === 'waiting' || isInside ? phase : null
    if (isInside) this.#others = people.filter(({ id }) => id !== self)
    if (kind === 'track' || kind === 'people') this.#emit({ kind: 'tracks', tracks: tracks.map(owner), at })
    if (kind === 'people' && isInside) this.#emit({ kind: 'people', ...this.at(at) })
    if (kind === 'speaking') this.#emit({ kind: 'voice', speakers: speaking.filter((id) => id !== self), at })
    if (line) this.#receiveLine(line, self)
    if (phase === 'over') this.ownEnd = ENDINGS[ending ?? 'lost']
  }

  #receiveLine({ from, name, text, at }: NonNullable<Change['line']>, self: string | undefined): void {
    if (from === self) this.#onOwnLine(text)
    else this.#emit({ kind: 'chat', from, name, text, at })
  }
}

const KINDS: Readonly<Record<Snapshot['tracks'][number]['kind'], TrackKind>> = { microphone: 'audio', camera: 'camera', screen: 'screen' }

function owner({ id, person, kind }: Snapshot['tracks'][number]): TrackOwner {
  return { track: { kind: 'track', id }, participantId: person, kind: KINDS[kind] }
}

function participant({ id, name, host, media }: Person): Participant {
  return { id, name, isHost: host, microphoneOn: media.microphone, cameraOn: media.camera }
}
