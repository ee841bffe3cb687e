// A caller's socket server on loopback: remembers what each connection brought, in order, and misbehaves as it is told.
import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { until } from './until.ts'

type LiveConnection = {
  readonly socket: WebSocket
  /** JSON is parsed, everything else is as it came. */
  readonly received: unknown[]
  readonly frames: Buffer[]
  /** Breaks off without a word. */
  reset(): void
}

/** What an attempt to connect is answered with, counted from 1. */
type Door = (attempt: number) => 'open' | 'silence' | { readonly status: number; readonly location: string }

type LiveServerOptions = {
  readonly door?: Door
  readonly autoPong?: boolean
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer }
}

export type LiveServer = {
  readonly url: string
  readonly port: number
  /** Everybody who came as far as the door, with or without a word. */
  touches(): number
  /** Attempts to open a socket, answered or not. */
  attempts(): number
  /** The connection with this number, counted from 1, once it has brought its greeting: whoever only was let in may not know it yet. */
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
