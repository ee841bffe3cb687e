/// <reference lib="dom" />
// Participants of the call, from changes on the socket and from the snapshot. Entries without a name are ignored.
import { boot } from './boot.ts'

export type MediaStreamEntry = {
  readonly type: 'audio' | 'video' | 'applicationsharing-video'
  readonly sourceId: number
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly'
  readonly serverMuted?: boolean
}
type Endpoints = Readonly<Record<string, { readonly call?: { readonly mediaStreams?: readonly MediaStreamEntry[] } }>>
type Entry = {
  readonly details?: { readonly id: string; readonly displayName?: string }
  readonly state: 'active' | 'inactive'
  readonly meetingRole: 'organizer' | 'presenter' | 'attendee'
  readonly endpoints?: Endpoints
}

export type Participant = {
  readonly id: string
  readonly displayName: string
  readonly meetingRole: Entry['meetingRole']
  readonly endpoints: readonly { readonly endpointId: string; readonly mediaStreams: readonly MediaStreamEntry[] }[]
}

export class Roster {
  readonly ownId: string
  readonly #participants = new Map<string, Participant>()
  readonly #onChange: () => void

  constructor(ownId: string, onChange: () => void) {
    this.ownId = ownId
    this.#onChange = onChange
  }

  update(body: unknown): void {
    const { participants } = body as { readonly participants: Readonly<Record<string, Entry>> }
    for (const [key, { details, state, meetingRole, endpoints = {} }] of Object.entries(participants)) {
      if (state === 'inactive') this.#participants.delete(key)
      else if (details?.displayName)
        this.#participants.set(key, {
          id: details.id,
          displayName: details.displayName,
          meetingRole,
          endpoints: Object.entries(endpoints).map(([endpointId, { call }]) => ({ endpointId, mediaStreams: call?.mediaStreams ?? [] })),
        })
    }
    this.#onChange()
  }

  /** Each person once, even with several keys. */
  people(): readonly Participant[] {
    return [...new Map([...this.#participants.values()].map((it) => [it.id, it])).values()]
  }

  everything(): readonly Participant[] {
    return [...this.#participants.values()]
  }

  others(): readonly Participant[] {
    return this.people().filter(({ id }) => id !== this.ownId)
  }

  nameOf(id: string): string {
    return this.people().find((it) => it.id === id)?.displayName ?? boot.texts.unknownUser
  }
}

export function streamOf({ endpoints }: Participant, type: MediaStreamEntry['type']): MediaStreamEntry | undefined {
  return endpoints.flatMap(({ mediaStreams }) => mediaStreams).find((it) => it.type === type)
}

/** The stream of this type, if it is sent. */
export function sentSource(participant: Participant, type: MediaStreamEntry['type']): number | null {
  const stream = streamOf(participant, type)
  return stream && stream.direction !== 'recvonly' ? stream.sourceId : null
}

export function isMuted(participant: Participant): boolean {
  return streamOf(participant, 'audio')?.serverMuted ?? true
}

/** The suffixes behind the names of external people. */
export function suffixOf({ id }: Participant): string {
  if (id.startsWith('8:teamsvisitor:')) return ' (Unverified)'
  if (id.startsWith('8:guest:')) return ' (Guest)'
  return id.startsWith('8:live:') ? ' (External)' : ''
}
