// One connection to a caller's server. Cuts it when it is late or silent, and reports why it ended.
import type { RawData, WebSocket } from 'ws'
import { NetworkError, toNetworkError } from '../../kit/network-error.ts'

export type ConnectionTiming = { readonly connectMs: number; readonly pingMs: number; readonly closeMs: number }

type ConnectionOptions = {
  readonly dial: () => WebSocket
  /** For messages; the rest of the URL may contain secrets. */
  readonly host: string
  readonly timing: ConnectionTiming
  readonly onOpen: (connection: Connection) => void
  readonly onText: (text: string) => void
  /** Called exactly once. `openMs` is how long the connection was open. */
  readonly onClosed: (why: string, openMs: number) => void
}

export type Connection = {
  readonly isOpen: boolean
  /** Bytes that the network has not accepted yet. */
  readonly waitingBytes: number
  send(data: Buffer | string, onLost: () => void): void
  /** Sends a close frame, and cuts the connection if the server does not answer. Resolves when it is closed. */
  close(): Promise<void>
}

/** A server that sends pings and does not read gets no pongs beyond this. */
const MOST_WAITING_FOR_PONGS = 64 * 1024

export function openConnection({ dial, host, timing, onOpen, onText, onClosed }: ConnectionOptions): Connection {
  const socket = dial()
  let why: string | null = null
  let openedAt: number | null = null
  let hasResponded = true
  let pings: NodeJS.Timeout | undefined

  const cut = (reason: string): void => {
    why ??= reason
    socket.terminate()
  }
  const late = setTimeout(() => cut(`${host} did not answer within ${timing.connectMs} ms.`), timing.connectMs)
  // A server without a sign of life between two pings is silent.
  const ping = (): void => {
    if (hasResponded) socket.ping()
    else cut(`${host} has been silent for too long, so the connection is closed.`)
    hasResponded = false
  }
  const connection: Connection = {
    get isOpen() {
      return socket.readyState === socket.OPEN
    },
    get waitingBytes() {
      return socket.bufferedAmount
    },
    send: (data, onLost) => socket.send(data, (error) => error && onLost()),
    close: () => closeSocket(socket, timing.closeMs),
  }

  socket.on('open', () => {
    clearTimeout(late)
    openedAt = performance.now()
    pings = setInterval(ping, timing.pingMs)
    onOpen(connection)
  })
  socket.on('ping', (data) => {
    hasResponded = true
    if (connection.isOpen && socket.bufferedAmount < MOST_WAITING_FOR_PONGS) socket.pong(data)
  })
  socket.on('pong', () => {
    hasResponded = true
  })
  socket.on('message', (data, isBinary) => {
    hasResponded = true
    if (!isBinary) onText(textOf(data))
  })
  socket.on('error', (error) => {
    why ??= describe(error, host)
  })
  socket.on('close', (code) => {
    clearTimeout(late)
    clearInterval(pings)
    onClosed(why ?? `${host} closed the connection (${code}).`, openedAt === null ? 0 : performance.now() - openedAt)
  })
  return connection
}

function closeSocket(socket: WebSocket, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) return resolve()
    const timer = setTimeout(() => socket.terminate(), withinMs)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    if (socket.readyState === socket.CONNECTING) socket.terminate()
    else socket.close(1000)
  })
}

/** The library gives one Buffer per message by default. */
function textOf(data: RawData): string {
  return (data as Buffer).toString()
}

function describe(error: Error, host: string): string {
  const named = toNetworkError(error, host, null)
  if (named instanceof NetworkError) return named.message
  // The library has the status of the response only in its message.
  const [, status] = /server response: (\d{3})/.exec(error.message) ?? []
  return status ? `${host} answered ${status} instead of opening a WebSocket.` : `${host} sent invalid WebSocket data.`
}
