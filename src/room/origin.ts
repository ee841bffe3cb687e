// Checks the Origin of a room's socket, so that a page of another site cannot enter a room with its visitor's browser.
import type { IncomingMessage } from 'node:http'
import { isLoopback, plainAddress } from '../kit/addresses.ts'

export type OwnAddresses = {
  /** The setting PUBLIC_URL. */
  readonly publicUrl: string | null
  /** The URL on which the service listens. */
  readonly listeningUrl: string | null
}

/**
 * The Host header proves nothing: with DNS rebinding the attacker's name is in both Origin and Host. Programs other than browsers send
 * no Origin, and have no visitor to abuse.
 */
export function isOwnPage({ headers, socket }: IncomingMessage, { publicUrl, listeningUrl }: OwnAddresses): boolean {
  if (headers.origin === undefined) return true
  const page = URL.parse(headers.origin)
  if (!page) return false
  const own = [publicUrl, listeningUrl, addressedBy(socket)].flatMap((it) => (it === null ? [] : (URL.parse(it)?.origin ?? [])))
  if (own.includes(page.origin)) return true
  // Loopback names cannot be rebound by DNS. The port may differ from ours, for example with a container.
  return publicUrl === null && isLoopback(page.hostname) && page.host === headers.host
}

function addressedBy({ localAddress, localPort }: IncomingMessage['socket']): string | null {
  if (localAddress === undefined) return null
  const address = plainAddress(localAddress)
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
