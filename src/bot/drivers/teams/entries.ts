// The roster of a Teams call: entries by key, each with the streams of its endpoints. One account may have several entries.
import { at, listAt, numberAt, textAt } from '../browser-meeting/json-fields.ts'

export type MediaKind = 'audio' | 'video' | 'screen'
type MediaStream = { readonly kind: MediaKind; readonly sourceId: number; readonly isSent: boolean; readonly isMuted: boolean }
export type Entry = { readonly id: string; readonly name: string; readonly isHost: boolean; readonly streams: readonly MediaStream[] }

const KINDS: Readonly<Record<string, MediaKind>> = { audio: 'audio', video: 'video', 'applicationsharing-video': 'screen' }
const SENT = ['sendrecv', 'sendonly']

export class Entries {
  readonly #entries = new Map<string, Entry>()
  /** Keys of entries that changed since the connection began. */
  readonly #isNew = new Set<string>()

  /** Applies the changes, and returns the ids of changed accounts. */
  update(participants: unknown): readonly string[] {
    const ids = Object.entries(Object(participants)).flatMap(([key, entry]) => this.#put(key, entry) ?? [])
    return [...new Set(ids)]
  }

  /** A connection begins: earlier entries may be stale. */
  connect(): void {
    this.#isNew.clear()
  }

  /** Applies the full list, which may lack only entries added meanwhile. Returns the ids of changed accounts. */
  replace(participants: unknown): readonly string[] {
    const keys = new Set(Object.keys(Object(participants)))
    const gone = [...this.#entries].filter(([key]) => !keys.has(key) && !this.#isNew.has(key))
    for (const [key] of gone) this.#entries.delete(key)
    return [...new Set([...gone.map(([, { id }]) => id), ...this.update(participants)])]
  }

  get ids(): readonly string[] {
    return [...new Set([...this.#entries.values()].map(({ id }) => id))]
  }

  /** Every entry of an account; empty after it has left. */
  of(id: string): readonly Entry[] {
    return [...this.#entries.values()].filter((it) => it.id === id)
  }

  /** The account id of an entry; null where it has none. An entry without a name is not a participant yet. */
  #put(key: string, entry: unknown): string | null {
    const known = this.#entries.get(key)
    const id = textAt(entry, 'details', 'id') || known?.id
    const name = textAt(entry, 'details', 'displayName') || known?.name
    if (!id) return null
    const state = at(entry, 'state')
    // An account in the lobby is no participant.
    if (state !== undefined && state !== 'active') this.#entries.delete(key)
    else if (name) {
      this.#isNew.add(key)
      const role = textAt(entry, 'meetingRole')
      const endpoints = at(entry, 'endpoints')
      this.#entries.set(key, {
        id,
        name,
        isHost: role === '' ? (known?.isHost ?? false) : role === 'organizer',
        streams: endpoints === undefined ? (known?.streams ?? []) : streamsIn(endpoints),
      })
    }
    return id
  }
}

function streamsIn(endpoints: unknown): readonly MediaStream[] {
  return Object.values(Object(endpoints)).flatMap((endpoint) =>
    listAt(endpoint, 'call', 'mediaStreams').flatMap((stream) => {
      const kind = Object.hasOwn(KINDS, textAt(stream, 'type')) ? KINDS[textAt(stream, 'type')] : undefined
      const sourceId = numberAt(stream, 'sourceId')
      if (!kind || sourceId === null) return []
      return { kind, sourceId, isSent: SENT.includes(textAt(stream, 'direction')), isMuted: at(stream, 'serverMuted') === true }
    }),
  )
}
