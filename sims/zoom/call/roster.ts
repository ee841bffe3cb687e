// The participants of a meeting, in the form of roster messages: additions, updates and removals.

/** An entry of the signalling. `dn2` is the name in base64. */
export type RosterEntry = {
  readonly id: number
  readonly dn2: string
  readonly bHost: boolean
  readonly bCoHost: boolean
  readonly bGuest: boolean
  readonly bBotUser: boolean
  readonly muted: boolean
  readonly audio: 'computer' | ''
  readonly bVideoOn: boolean
  readonly bShareOn: boolean
  readonly customerKey: string
  readonly zoomID: string
  /** The user on whose behalf an app has joined. */
  readonly botAuthorizer?: string
}

export type RosterChange = {
  readonly add?: readonly RosterEntry[]
  readonly update?: readonly RosterEntry[]
  /** Keyed by user id. */
  readonly remove?: Readonly<Record<string, unknown>>
}

export class Roster {
  readonly #entries = new Map<number, RosterEntry>()
  readonly #onChange: (change: RosterChange) => void

  constructor(onChange: (change: RosterChange) => void) {
    this.#onChange = onChange
  }

  put(entry: RosterEntry): void {
    const kind = this.#entries.has(entry.id) ? 'update' : 'add'
    this.#entries.set(entry.id, entry)
    this.#onChange({ [kind]: [entry] })
  }

  leave(id: number): void {
    if (this.#entries.delete(id)) this.#onChange({ remove: { [id]: { id } } })
  }

  nameOf(id: number): string {
    return Buffer.from(this.#entries.get(id)?.dn2 ?? '', 'base64').toString()
  }

  entry = (id: number): RosterEntry | undefined => this.#entries.get(id)
  all = (): readonly RosterEntry[] => [...this.#entries.values()]
}

export function encodedName(name: string): string {
  return Buffer.from(name).toString('base64')
}
