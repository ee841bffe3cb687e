// Reads the upgrade request of a room's socket: its room, role and address, or the reason to refuse it.
import type { IncomingMessage } from 'node:http'
import { clientAddress, isLoopback, networkOf, plainAddress, provenAddress } from '../kit/addresses.ts'
import { type RoomAccess, tokenIn } from './room-access.ts'

export type Visitor = {
  readonly kind: 'visitor'
  readonly roomId: string
  /** A bot of this service. */
  readonly isBot: boolean
  /** False: the link has expired, so the page may only resume its seat. */
  readonly mayJoin: boolean
  /** The client's IP address; null if it is not certain. */
  readonly address: string | null
  /** The network prefix by which sockets are counted. */
  readonly network: string
}

export type VisitorOptions = {
  /** Without it every room is open. */
  readonly admit?: RoomAccess['admit']
  /** The setting PUBLIC_URL. */
  readonly publicUrl?: string | undefined
  /** The URL on which the service listens. */
  readonly listeningUrl?: () => string
  /** True: client addresses are read from X-Forwarded-For. */
  readonly trustProxy?: boolean
}

const SOCKET_PATH = /^\/room\/([\w-]{1,64})\/socket$/

export function readVisitor(request: IncomingMessage, options: VisitorOptions): Visitor | { readonly kind: 'unknown' | 'forbidden' } {
  const { admit = () => 'guest', trustProxy = false } = options
  const url = request.url ?? ''
  const roomId = SOCKET_PATH.exec(url.split('?', 1)[0] ?? '')?.[1]
  if (roomId === undefined) return { kind: 'unknown' }
  const admission = admit(roomId, tokenIn(url))
  if (admission === 'absent') return { kind: 'unknown' }
  if (admission === 'refused' || !isOwnPage(request, options)) return { kind: 'forbidden' }
  return {
    kind: 'visitor',
    roomId,
    isBot: admission === 'bot',
    mayJoin: admission !== 'expired',
    address: provenAddress(request, trustProxy),
    network: networkOf(clientAddress(request, trustProxy)),
  }
}

/**
 * A page of another site cannot enter a room with its visitor's browser. The Host header proves nothing: with DNS rebinding the
 * attacker's name is in both Origin and Host. Programs other than browsers send no Origin, and have no visitor to abuse.
 */
function isOwnPage({ headers, socket }: IncomingMessage, { publicUrl, listeningUrl }: VisitorOptions): boolean {
  if (headers.origin === undefined) return true
  const page = URL.parse(headers.origin)
  if (!page) return false
  const own = [publicUrl, listeningUrl?.(), addressedBy(socket)].flatMap((it) => (it === undefined ? [] : (URL.parse(it)?.origin ?? [])))
  if (own.includes(page.origin)) return true
  // Loopback names cannot be rebound by DNS. The port may differ from ours, for example with a container.
  return publicUrl === undefined && isLoopback(page.hostname) && page.host === headers.host
}

function addressedBy({ localAddress, localPort }: IncomingMessage['socket']): string | undefined {
  if (localAddress === undefined) return undefined
  const address = plainAddress(localAddress)
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
