// Limits on receiving requests: a deadline per request, and a maximum of incomplete first requests per address.
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Api } from '../deps.ts'

const HEADERS_WITHIN_MS = 15_000
/** Interval at which Node checks for requests past their deadline. */
const LOOK_EVERY_MS = 1_000
/** Connections per address whose first request is incomplete. */
const MOST_UNFINISHED = 512

/** Limits the request only. Answers and WebSockets have no deadline. */
export function arrivalLimits(requestTimeoutMs: number) {
  return {
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: Math.min(HEADERS_WITHIN_MS, requestTimeoutMs), connectionsCheckingInterval: LOOK_EVERY_MS },
  }
}

/**
 * Closes new connections of an address that has too many incomplete first requests: they hold file descriptors that other clients need.
 * Not usable behind a proxy, where every connection has the proxy's address.
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
    // By then the request is complete, its connection is closed, or it is a WebSocket.
    const expiry = setTimeout(finish, requestTimeoutMs + LOOK_EVERY_MS).unref()
    finishers.set(socket, finish)
    socket.once('close', finish)
  })
  const onArrival = async ({ raw }: FastifyRequest): Promise<void> => finishers.get(raw.socket)?.()
  app.addHook('preValidation', onArrival)
  app.addHook('onResponse', onArrival)
}
