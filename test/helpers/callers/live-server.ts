// A caller's WebSocket server on loopback: records the messages of each connection in order, and can misbehave.
import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { until } from '../until.ts'

type LiveConnection = {
  readonly socket: WebSocket
  /** JSON is parsed, anything else is kept as received. */
  readonly received: unknown[]
  readonly frames: Buffer[]
  /** Drops the connection without a close frame. */
  reset(): void
}

/** The answer to a connection attempt, counted from 1. */
type Door = (attempt: number) => 'open' | 'silence' | { readonly status: number; readonly location: string }

type LiveServerOptions = {
  readonly door?: Door
  readonly autoPong?: boolean
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer }
}

export type LiveServer = {
  readonly url: string
  readonly port: number
  /** Every accepted connection, with or without messages. */
  touches(): number
  /** Attempts to open a socket, answered or not. */
  attempts(): number
  /** The connection with this number, counted from 1, once its greeting has arrived. Before that, the client may not know that it is open. */
  connection(number: number, deadlineMs?: number): Promise<LiveConnection>
  close(): Promise<void>
}

export async function startLiveServer({ door = () => 'open', autoPong = true, tls }: LiveServerOptions = {}): Promise<LiveServer> {
  const server: Server = tls ? createHttpsServer(tls) : createHttpServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, autoPong, maxPayload: 64 * 1024 * 1024 })
  const connections: ReturnType<typeof remember>[] = []
  const open = new Set<Socket>()
  let [touches, attempts] = [0, 0]
  server.on('connection', (socket: Socket) => {
    touches++
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('upgrade', (request, socket, head) => {
    attempts++
    const answer = door(attempts)
    if (answer === 'open') sockets.handleUpgrade(request, socket, head, (it) => connections.push(remember(it, request.socket)))
    else if (answer !== 'silence')
      socket.end(`HTTP/1.1 ${answer.status} Elsewhere\r\nLocation: ${answer.location}\r\nContent-Length: 0\r\n\r\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'wss' : 'ws'}://${tls ? 'localhost' : '127.0.0.1'}:${port}/live`,
    port,
    touches: () => touches,
    attempts: () => attempts,
    connection: (number, deadlineMs) => until(`connection ${number}`, () => connections[number - 1]?.greeted(), deadlineMs),
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function remember(socket: WebSocket, line: Socket) {
  const received: unknown[] = []
  const frames: Buffer[] = []
  socket.on('error', () => undefined)
  socket.on('message', (data, isBinary) => {
    const bytes = data as Buffer
    received.push(isBinary ? bytes : parsed(bytes.toString()))
    if (isBinary) frames.push(bytes)
  })
  const connection: LiveConnection = { socket, received, frames, reset: () => line.resetAndDestroy() }
  return { greeted: () => (received.length > 0 ? connection : null) }
}

function parsed(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text
}
