// How many sockets the rooms take: bounded for each address, more tightly before a seat is taken, and apart from those of bots.

export type Occupant = {
  /** Its address, or the network of it that one customer has. */
  readonly network: string
  /** A bot of this service, which strangers cannot claim to be. */
  readonly isBot: boolean
  isSeated(): boolean
}

export type Verdict<Held extends Occupant> =
  | { readonly kind: 'welcome' }
  /** There is room when this one is closed: it has had its time to join. */
  | { readonly kind: 'instead'; readonly of: Held }
  | { readonly kind: 'refused'; readonly status: string }

export const PLACES = {
  strangers: 2_000,
  /** A page joins as soon as its socket is open. */
  unseated: 400,
  /** An office behind one address: a dozen full rooms. */
  perAddress: 100,
  unseatedPerAddress: 20,
  /** Counted for themselves, so that strangers cannot take them. */
  bots: 5_000,
} as const

/** `held` is in the order in which they came. */
export function placeFor<Held extends Occupant>(newcomer: Pick<Occupant, 'network' | 'isBot'>, held: Iterable<Held>): Verdict<Held> {
  const all = [...held]
  if (newcomer.isBot) return all.filter((it) => it.isBot).length < PLACES.bots ? { kind: 'welcome' } : FULL
  const strangers = all.filter((it) => !it.isBot)
  const neighbours = strangers.filter((it) => it.network === newcomer.network)
  if (neighbours.length >= PLACES.perAddress) return TOO_MANY
  if (neighbours.filter((it) => !it.isSeated()).length >= PLACES.unseatedPerAddress) return TOO_MANY

  const unseated = strangers.filter((it) => !it.isSeated())
  if (strangers.length < PLACES.strangers && unseated.length < PLACES.unseated) return { kind: 'welcome' }
  const [oldest] = unseated
  return oldest ? { kind: 'instead', of: oldest } : FULL
}

const FULL = { kind: 'refused', status: '503 Service Unavailable' } as const
const TOO_MANY = { kind: 'refused', status: '429 Too Many Requests' } as const
