// How a request may arrive: within a time, and not with too many others that have not arrived yet.
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Api } from './deps.ts'

const HEADERS_WITHIN_MS = 15_000
/** How often Node looks for requests that are late. */
const LOOK_EVERY_MS = 1_000
/** Connections of one address. */
const MOST_UNFINISHED = 512

/** Limits to what comes in only: an answer may take any time, and so may a WebSocket. */
export function arrivalLimits(requestTimeoutMs: number) {
  return {
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: Math.min(HEADERS_WITHIN_MS, requestTimeoutMs), connectionsCheckingInterval: LOOK_EVERY_MS },
  }
}

/**
 * Closes new connections of an address that has too many whose first request has not arrived: they hold descriptors that other clients
 * need. Not for use behind a proxy, where every connection has the proxy's address.
 */
export function limitUnfinished(app: Api, requestTimeoutMs: number): void {
  const counts = new Map<string, number>()
  const finishers = new WeakMap<Socket, () => void>()

  app.server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = counts.get(address) ?? 0
    if (count >= MOST_UNFINISHED) {
      socket.destroy()
      return
    }
    counts.set(address, count + 1)
    const finish = (): void => {
      if (!finishers.delete(socket)) return
      clearTimeout(expiry)
      const left = (counts.get(address) ?? 1) - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    }
    // By then the request has arrived, or its connection is cut, or it has become a WebSocket.
    const expiry = setTimeout(finish, requestTimeoutMs + LOOK_EVERY_MS).unref()
    finishers.set(socket, finish)
    socket.once('close', finish)
  })
  const onArrival = async ({ raw }: FastifyRequest): Promise<void> => finishers.get(raw.socket)?.()
  app.addHook('preValidation', onArrival)
  app.addHook('onResponse', onArrival)
}
