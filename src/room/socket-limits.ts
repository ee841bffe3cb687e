// Limits on the sockets of all rooms: per address, tighter for sockets without a seat, and separate for bots.

export type CountedSocket = {
  /** The client's IP address, or the network prefix that one customer usually has. */
  readonly network: string
  /** A bot of this service, proven by its token. */
  readonly isBot: boolean
  isSeated(): boolean
}

export type Decision<Held extends CountedSocket> =
  | { readonly kind: 'accept' }
  /** Accept the new socket after closing this one, which had enough time to join. */
  | { readonly kind: 'replace'; readonly of: Held }
  | { readonly kind: 'refused'; readonly status: string }

export const SOCKET_LIMITS = {
  guests: 2_000,
  /** Low, because a page joins as soon as its socket is open. */
  unseated: 400,
  /** Enough for an office behind one address: a dozen full rooms. */
  perAddress: 100,
  unseatedPerAddress: 20,
  /** Counted separately, so that guests cannot block bots. */
  bots: 5_000,
} as const

/** `held` is in order of connection. */
export function decideSocket<Held extends CountedSocket>(
  newcomer: Pick<CountedSocket, 'network' | 'isBot'>,
  held: Iterable<Held>,
): Decision<Held> {
  const all = [...held]
  if (newcomer.isBot) return all.filter((it) => it.isBot).length < SOCKET_LIMITS.bots ? { kind: 'accept' } : FULL
  const guests = all.filter((it) => !it.isBot)
  const sameNetwork = guests.filter((it) => it.network === newcomer.network)
  if (sameNetwork.length >= SOCKET_LIMITS.perAddress) return TOO_MANY
  if (sameNetwork.filter((it) => !it.isSeated()).length >= SOCKET_LIMITS.unseatedPerAddress) return TOO_MANY

  const unseated = guests.filter((it) => !it.isSeated())
  if (guests.length < SOCKET_LIMITS.guests && unseated.length < SOCKET_LIMITS.unseated) return { kind: 'accept' }
  const [oldest] = unseated
  return oldest ? { kind: 'replace', of: oldest } : FULL
}

const FULL = { kind: 'refused', status: '503 Service Unavailable' } as const
const TOO_MANY = { kind: 'refused', status: '429 Too Many Requests' } as const
