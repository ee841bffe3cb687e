// Reads the request for a room's socket: who comes from where, or with which HTTP status it is refused.
import type { IncomingMessage } from 'node:http'
import { clientAddress, networkOf, provenAddress } from '../../kit/addresses.ts'
import { type Admission, tokenIn } from './door.ts'
import { isOwnPage } from './origin.ts'

export type Visitor = {
  readonly kind: 'visitor'
  readonly roomId: string
  /** A bot of this service. */
  readonly isBot: boolean
  /** False where the link has expired: it takes a seat again, and no new one. */
  readonly mayJoin: boolean
  /** Where it comes from; null where that is not certain. */
  readonly address: string | null
  /** What sockets are counted by. */
  readonly network: string
}

export type EntranceOptions = {
  /** Who may enter; without it every room is open. */
  readonly admit?: (roomId: string, token: string | null) => Admission
  /** PUBLIC_URL, where it is set. */
  readonly publicUrl?: string | undefined
  /** Where the service listens, once it does. */
  readonly listeningUrl?: () => string
  /** Client addresses are read from X-Forwarded-For. */
  readonly trustProxy?: boolean
}

const SOCKET_PATH = /^\/room\/([\w-]{1,64})\/socket$/

export function readVisitor(request: IncomingMessage, options: EntranceOptions): Visitor | { readonly kind: 'unknown' | 'forbidden' } {
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
