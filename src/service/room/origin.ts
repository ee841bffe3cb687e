// Which pages may open a room's socket. A page of another site must not use its visitor's browser to get into a room.
import type { IncomingMessage } from 'node:http'
import { isLoopback, plainAddress } from '../../kit/addresses.ts'

export type OwnAddresses = {
  /** PUBLIC_URL, where it is set. */
  readonly publicUrl: string | null
  /** Where the service listens. */
  readonly listeningUrl: string | null
}

/**
 * The Host header proves nothing: a name of the attacker's that leads to this machine is in Origin and Host alike (DNS rebinding).
 * Programs that are no browser send no origin, and have no visitor whom they could use.
 */
export function isOwnPage({ headers, socket }: IncomingMessage, { publicUrl, listeningUrl }: OwnAddresses): boolean {
  if (headers.origin === undefined) return true
  const page = URL.parse(headers.origin)
  if (!page) return false
  const own = [publicUrl, listeningUrl, addressedBy(socket)].flatMap((it) => (it === null ? [] : (URL.parse(it)?.origin ?? [])))
  if (own.includes(page.origin)) return true
  // No DNS server decides where a loopback name leads. The port may be another one than ours: a container's, for example.
  return publicUrl === null && isLoopback(page.hostname) && page.host === headers.host
}

function addressedBy({ localAddress, localPort }: IncomingMessage['socket']): string | null {
  if (localAddress === undefined) return null
  const address = plainAddress(localAddress)
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
