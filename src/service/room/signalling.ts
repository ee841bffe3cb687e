// The rooms' WebSocket endpoint, `/room/<id>/socket`: lets pages in, notices dead ones, and keeps one page from drowning the others.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { Hall, type Line } from './hall.ts'
import { type Occupant, placeFor } from './places.ts'
import { type EntranceOptions, readVisitor, type Visitor } from './visitor.ts'
import { type IceServer, LIMITS, type ServerMessage } from './wire.ts'

export type SignallingOptions = EntranceOptions & {
  readonly now: () => number
  /** Where pages find each other beyond their own network; with none, only direct paths are tried. */
  readonly iceServers?: readonly IceServer[]
}

export type Signalling = { close(): Promise<void> }

const MOST_MESSAGE_BYTES = 64 * 1024
/** What waits for a page that does not read; more, and it is cut off. */
const MOST_WAITING_BYTES = 1024 * 1024
const SILENT_MS = 3 * LIMITS.tickMs
/** Building a full mesh takes some hundred messages at once, a call after that next to none. */
const BURST = 400
const MESSAGES_PER_SECOND = 40
/** By then a socket that does not join has made room. */
const RETRY_AFTER_SECONDS = Math.ceil(SILENT_MS / 1000)

/** The closing codes by which a browser says that its page goes away, as opposed to a connection that broke. */
const GOODBYES: readonly number[] = [1000, 1001]

export function attachSignalling(server: Server, options: SignallingOptions): Signalling {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_MESSAGE_BYTES, perMessageDeflate: false, clientTracking: false })
  const hall = new Hall(options.now)
  const connections = new Set<Connection>()

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const visitor = readVisitor(request, options)
    if (visitor.kind === 'visitor') seat(visitor, request, socket, head)
    else if (visitor.kind === 'forbidden') refuse(socket, '403 Forbidden')
    // Another listener may know the path; where there is none, the request would stay unanswered.
    else if (server.listenerCount('upgrade') === 1) refuse(socket, '404 Not Found')
  }

  function seat(visitor: Visitor, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const place = placeFor(visitor, connections)
    if (place.kind === 'instead') drop(place.of)
    if (place.kind === 'refused') refuse(socket, place.status)
    else welcome(visitor, request, socket, head)
  }

  function drop(connection: Connection): void {
    connections.delete(connection)
    connection.cut()
  }

  function welcome(visitor: Visitor, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = open(webSocket, visitor, hall, options.now)
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

type Connection = Occupant & {
  readonly line: Line
  /** Cut off if silent, or without a seat, for too long; otherwise asked for a sign of life. */
  beat(): void
  cut(): void
  /** Resolves when it is closed. */
  end(): Promise<void>
}

function open(socket: WebSocket, visitor: Visitor, hall: Hall, now: () => number): Connection {
  const { roomId, isBot, mayJoin, address, network } = visitor
  const openedAt = now()
  let heardAt = openedAt
  const mayPass = allowance(now)
  const line: Line = { isBot, mayJoin, address, send: (message) => send(socket, message), hangUp: () => socket.close(1000) }

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
    ...{ line, network, isBot },
    isSeated: () => hall.isSeated(line),
    cut: () => socket.terminate(),
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

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy())
  const retry = /^(429|503) /.test(status) ? `Retry-After: ${RETRY_AFTER_SECONDS}\r\n` : ''
  socket.end(`HTTP/1.1 ${status}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}
