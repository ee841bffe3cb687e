// Participants of the call, in the shape of `rosterUpdate`: changes for subscribers, snapshots on request.
import type { MeetingRole } from './types.ts'

export type MediaStream = {
  readonly type: 'audio' | 'video' | 'applicationsharing-video'
  readonly sourceId: number
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly'
  readonly serverMuted?: boolean
}

export type RosterEntry = {
  readonly details: { readonly id: string; readonly displayName: string }
  readonly state: 'active' | 'inactive'
  readonly meetingRole: MeetingRole
  readonly endpoints: Readonly<Record<string, { readonly call: { readonly mediaStreams: readonly MediaStream[] } }>>
}

/** Not keyed by user id, because one account may be in the list twice. */
export type RosterUpdate = { readonly participants: Readonly<Record<string, RosterEntry>> }

export class Roster {
  readonly #entries = new Map<string, RosterEntry>()
  readonly #onChange: (update: RosterUpdate) => void

  constructor(onChange: (update: RosterUpdate) => void) {
    this.#onChange = onChange
  }

  put(key: string, entry: RosterEntry): void {
    this.#entries.set(key, entry)
    this.#onChange({ participants: { [key]: entry } })
  }

  /** The change reports it once. Later snapshots omit the entry. */
  leave(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#onChange({ participants: { [key]: { ...entry, state: 'inactive', endpoints: {} } } })
  }

  nameOf(id: string): string {
    return [...this.#entries.values()].find(({ details }) => details.id === id)?.details.displayName ?? ''
  }

  snapshot(): RosterUpdate {
    return { participants: Object.fromEntries(this.#entries) }
  }
}
