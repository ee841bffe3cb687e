// The rooms' WebSocket endpoint, `/room/<id>/socket`: lets pages in, notices dead ones, and keeps one page from drowning the others.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { Hall, type Line } from './hall.ts'
import { type IceServer, LIMITS, type ServerMessage } from './wire.ts'

export type SignallingOptions = {
  readonly now: () => number
  /** Where pages find each other beyond their own network; with none, only direct paths are tried. */
  readonly iceServers?: readonly IceServer[]
  /** Where the service is reached from outside, when its pages come from an origin that the Host header does not show. */
  readonly publicUrl?: () => string
}

export type Signalling = { close(): Promise<void> }

const SOCKET_PATH = /^\/room\/([\w-]{1,64})\/socket$/

const MOST_CONNECTIONS = 2_000
const MOST_MESSAGE_BYTES = 64 * 1024
/** What waits for a page that does not read; more, and it is cut off. */
const MOST_WAITING_BYTES = 1024 * 1024
const SILENT_MS = 3 * LIMITS.tickMs
/** Building a full mesh takes some hundred messages at once, a call after that next to none. */
const BURST = 400
const MESSAGES_PER_SECOND = 40

/** The closing codes by which a browser says that its page goes away, as opposed to a connection that broke. */
const GOODBYES: readonly number[] = [1000, 1001]

export function attachSignalling(server: Server, options: SignallingOptions): Signalling {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_MESSAGE_BYTES, perMessageDeflate: false, clientTracking: false })
  const hall = new Hall(options.now)
  const connections = new Set<Connection>()

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const roomId = SOCKET_PATH.exec(pathOf(request))?.[1]
    if (!roomId) {
      // Another listener may know the path; where there is none, nobody would ever answer.
      if (server.listenerCount('upgrade') === 1) refuse(socket, '404 Not Found')
    } else if (!isOwnPage(request, options.publicUrl?.())) refuse(socket, '403 Forbidden')
    else if (connections.size >= MOST_CONNECTIONS) refuse(socket, '503 Service Unavailable\r\nRetry-After: 5')
    else welcome(roomId, request, socket, head)
  }

  function welcome(roomId: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = open(webSocket, roomId, hall, options.now)
      connections.add(connection)
      webSocket.once('close', () => connections.delete(connection))
      connection.line.send({ kind: 'hello', iceServers: options.iceServers ?? [] })
    })
  }

  const beat = setInterval(() => {
    for (const connection of connections) connection.beat()
    hall.tick()
  }, LIMITS.tickMs)
  beat.unref()
  server.on('upgrade', onUpgrade)

  return {
    async close() {
      clearInterval(beat)
      server.off('upgrade', onUpgrade)
      const closed = [...connections].map((it) => it.end())
      await Promise.all(closed)
    },
  }
}

type Connection = {
  readonly line: Line
  /** Cut off if silent, or without a seat, for too long; otherwise asked for a sign of life. */
  beat(): void
  /** Resolves when it is closed. */
  end(): Promise<void>
}

function open(socket: WebSocket, roomId: string, hall: Hall, now: () => number): Connection {
  const openedAt = now()
  let heardAt = openedAt
  const mayPass = allowance(now)
  const line: Line = { send: (message) => send(socket, message), hangUp: () => socket.close(1000) }

  socket.on('message', (data: RawData, isBinary: boolean) => {
    heardAt = now()
    if (!mayPass()) socket.close(1008, 'too many messages')
    else if (socket.readyState === socket.OPEN) hall.heard(roomId, line, isBinary ? '' : data.toString())
  })
  socket.on('pong', () => {
    heardAt = now()
  })
  // A frame that breaks the protocol or the size limit; `close` follows.
  socket.on('error', () => undefined)
  socket.on('close', (code) => hall.lost(roomId, line, GOODBYES.includes(code) || code === 1008))

  return {
    line,
    beat() {
      const isIdle = !hall.isSeated(line) && now() - openedAt > SILENT_MS
      if (isIdle || now() - heardAt > SILENT_MS) socket.terminate()
      else {
        socket.ping()
        // Pages cannot see a ping, and must notice a dead server too.
        send(socket, { kind: 'tick' })
      }
    },
    end() {
      return new Promise((resolve) => {
        socket.once('close', () => resolve())
        socket.terminate()
      })
    },
  }
}

function send(socket: WebSocket, message: ServerMessage): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MOST_WAITING_BYTES) socket.terminate()
  else socket.send(JSON.stringify(message))
}

/** A bucket that a burst may empty and that fills up again with time. */
function allowance(now: () => number): () => boolean {
  let left = BURST
  let countedAt = now()
  return () => {
    left = Math.min(BURST, left + ((now() - countedAt) * MESSAGES_PER_SECOND) / 1000)
    countedAt = now()
    left -= 1
    return left >= 0
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

/** A page of another site may not use its visitor's browser to get into a room. Programs without an origin may. */
function isOwnPage({ headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { origin, host } = headers
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  return new URL(origin).host === host || (publicUrl !== undefined && URL.parse(publicUrl)?.origin === origin)
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
