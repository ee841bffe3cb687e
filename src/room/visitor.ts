// Reads the upgrade request of a room's socket: its room, role and address, or the reason to refuse it.
import type { IncomingMessage } from 'node:http'
import { clientAddress, networkOf, provenAddress } from '../kit/addresses.ts'
import { isOwnPage } from './origin.ts'
import { type Admission, tokenIn } from './room-access.ts'

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
  readonly admit?: (roomId: string, token: string | null) => Admission
  /** The setting PUBLIC_URL. */
  readonly publicUrl?: string | undefined
  /** The URL on which the service listens. */
  readonly listeningUrl?: () => string
  /** True: client addresses are read from X-Forwarded-For. */
  readonly trustProxy?: boolean
}

const SOCKET_PATH = /^\/room\/([\w-]{1,64})\/socket$/

export function readVisitor(request: IncomingMessage, options: VisitorOptions): Visitor | { readonly kind: 'unknown' | 'forbidden' } {
  const { admit = () => 'guest', publicUrl = null, listeningUrl = () => null, trustProxy = false } = options
  const url = request.url ?? ''
  const roomId = SOCKET_PATH.exec(url.split('?', 1)[0] ?? '')?.[1]
  if (roomId === undefined) return { kind: 'unknown' }
  const admission = admit(roomId, tokenIn(url))
  if (admission === 'absent') return { kind: 'unknown' }
  if (admission === 'refused' || !isOwnPage(request, { publicUrl, listeningUrl: listeningUrl() })) return { kind: 'forbidden' }
  return {
    ...{ kind: 'visitor', roomId, isBot: admission === 'bot', mayJoin: admission !== 'expired' },
    address: provenAddress(request, trustProxy),
    network: networkOf(clientAddress(request, trustProxy)),
  }
}
