// The rooms' WebSocket endpoint `/room/<id>/socket`: accepts pages, detects dead connections and limits the rate of messages.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { type Client, RoomServer } from './room-server.ts'
import { type CountedSocket, decideSocket } from './socket-limits.ts'
import { readVisitor, type Visitor, type VisitorOptions } from './visitor.ts'
import { type IceServer, LIMITS, type ServerMessage } from './wire.ts'

export type SignallingOptions = VisitorOptions & {
  readonly now: () => number
  /** STUN and TURN servers. Without them only direct paths are tried. */
  readonly iceServers?: readonly IceServer[]
}

export type Signalling = { close(): Promise<void> }

const MOST_MESSAGE_BYTES = 64 * 1024
/** Send buffer limit of a page that does not read. Beyond it the connection is terminated. */
const MOST_WAITING_BYTES = 1024 * 1024
const SILENT_MS = 3 * LIMITS.tickMs
/** Building a full mesh takes some hundred messages at once; after that a call needs almost none. */
const BURST = 400
const MESSAGES_PER_SECOND = 40
/** By then a socket without a seat has been terminated. */
const RETRY_AFTER_SECONDS = Math.ceil(SILENT_MS / 1000)

/** The close codes of a page that goes away, as opposed to a broken connection. */
const GOODBYE_CODES: readonly number[] = [1000, 1001]

export function attachSignalling(server: Server, options: SignallingOptions): Signalling {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_MESSAGE_BYTES, perMessageDeflate: false, clientTracking: false })
  const rooms = new RoomServer(options.now)
  const connections = new Set<Connection>()

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const visitor = readVisitor(request, options)
    if (visitor.kind === 'visitor') seat(visitor, request, socket, head)
    else if (visitor.kind === 'forbidden') refuse(socket, '403 Forbidden')
    // Another upgrade listener may handle the path. Without one, the request would never be answered.
    else if (server.listenerCount('upgrade') === 1) refuse(socket, '404 Not Found')
  }

  function seat(visitor: Visitor, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const decision = decideSocket(visitor, connections)
    if (decision.kind === 'replace') drop(decision.of)
    if (decision.kind === 'refused') refuse(socket, decision.status)
    else accept(visitor, request, socket, head)
  }

  function drop(connection: Connection): void {
    connections.delete(connection)
    connection.terminate()
  }

  function accept(visitor: Visitor, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = open(webSocket, visitor, rooms, options.now)
      connections.add(connection)
      webSocket.once('close', () => connections.delete(connection))
      connection.client.send({ kind: 'hello', iceServers: options.iceServers ?? [] })
    })
  }

  const beat = setInterval(() => {
    for (const connection of connections) connection.beat()
    rooms.tick()
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

type Connection = CountedSocket & {
  readonly client: Client
  /** Terminates a connection that is silent or without a seat for too long. Otherwise pings it. */
  beat(): void
  terminate(): void
  /** Resolves when the connection is closed. */
  end(): Promise<void>
}

function open(socket: WebSocket, visitor: Visitor, rooms: RoomServer, now: () => number): Connection {
  const { roomId, isBot, mayJoin, address, network } = visitor
  const openedAt = now()
  let lastMessageAt = openedAt
  const mayReceive = createRateLimit(now)
  const client: Client = { isBot, mayJoin, address, send: (message) => send(socket, message), close: () => socket.close(1000) }

  socket.on('message', (data: RawData, isBinary: boolean) => {
    lastMessageAt = now()
    if (!mayReceive()) socket.close(1008, 'too many messages')
    else if (socket.readyState === socket.OPEN) rooms.receive(roomId, client, isBinary ? '' : data.toString())
  })
  socket.on('pong', () => {
    lastMessageAt = now()
  })
  // A frame that violates the protocol or the size limit. `close` follows.
  socket.on('error', () => undefined)
  socket.on('close', (code) => rooms.disconnect(roomId, client, GOODBYE_CODES.includes(code) || code === 1008))

  return {
    client,
    network,
    isBot,
    isSeated: () => rooms.isSeated(client),
    terminate: () => socket.terminate(),
    beat() {
      const isIdle = !rooms.isSeated(client) && now() - openedAt > SILENT_MS
      if (isIdle || now() - lastMessageAt > SILENT_MS) socket.terminate()
      else {
        socket.ping()
        // Page code cannot see pings and must also detect a dead server.
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

/** A token bucket. */
function createRateLimit(now: () => number): () => boolean {
  let tokens = BURST
  let refilledAt = now()
  return () => {
    tokens = Math.min(BURST, tokens + ((now() - refilledAt) * MESSAGES_PER_SECOND) / 1000)
    refilledAt = now()
    tokens -= 1
    return tokens >= 0
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy())
  const retry = /^(429|503) /.test(status) ? `Retry-After: ${RETRY_AFTER_SECONDS}\r\n` : ''
  socket.end(`HTTP/1.1 ${status}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}
