// One connection to a caller's server, from the first attempt to its end: late, silent and broken ones are cut and say why.
import type { RawData, WebSocket } from 'ws'
import { namedError, OutgoingError } from '../../kit/outgoing-error.ts'

export type ConnectionTiming = { readonly connectMs: number; readonly pingMs: number; readonly goodbyeMs: number }

type ConnectionOptions = {
  readonly dial: () => WebSocket
  /** For the words of a problem; the rest of a URL may hold secrets. */
  readonly host: string
  readonly timing: ConnectionTiming
  readonly onOpen: (connection: Connection) => void
  readonly onText: (text: string) => void
  /** Once, whatever happens. `openMs` is how long it was open. */
  readonly onClosed: (why: string, openMs: number) => void
}

export type Connection = {
  readonly isOpen: boolean
  /** Not taken by the network yet. */
  readonly waitingBytes: number
  send(data: Buffer | string, onLost: () => void): void
  /** Says goodbye, and cuts it when nobody answers. Settles when it is closed. */
  close(): Promise<void>
}

/** Somebody who sends pings and reads no answers is given no more of them. */
const MOST_WAITING_FOR_PONGS = 64 * 1024

export function openConnection({ dial, host, timing, onOpen, onText, onClosed }: ConnectionOptions): Connection {
  const socket = dial()
  let why: string | null = null
  let openedAt: number | null = null
  let isHeard = true
  let pings: NodeJS.Timeout | undefined

  const cut = (reason: string): void => {
    why ??= reason
    socket.terminate()
  }
  const late = setTimeout(() => cut(`${host} did not answer within ${timing.connectMs} ms.`), timing.connectMs)
  // Whoever has not answered one ping when the next is due has been silent for two of them at the most.
  const ping = (): void => {
    if (isHeard) socket.ping()
    else cut(`${host} has been silent for too long.`)
    isHeard = false
  }
  const connection: Connection = {
    get isOpen() {
      return socket.readyState === socket.OPEN
    },
    get waitingBytes() {
      return socket.bufferedAmount
    },
    send: (data, onLost) => socket.send(data, (error) => error && onLost()),
    close: () => goodbye(socket, timing.goodbyeMs),
  }

  socket.on('open', () => {
    clearTimeout(late)
    openedAt = performance.now()
    pings = setInterval(ping, timing.pingMs)
    onOpen(connection)
  })
  socket.on('ping', (data) => {
    isHeard = true
    if (connection.isOpen && socket.bufferedAmount < MOST_WAITING_FOR_PONGS) socket.pong(data)
  })
  socket.on('pong', () => {
    isHeard = true
  })
  socket.on('message', (data, isBinary) => {
    isHeard = true
    if (!isBinary) onText(textOf(data))
  })
  socket.on('error', (error) => {
    why ??= wordsOf(error, host)
  })
  socket.on('close', (code) => {
    clearTimeout(late)
    clearInterval(pings)
    onClosed(why ?? `${host} closed the connection (${code}).`, openedAt === null ? 0 : performance.now() - openedAt)
  })
  return connection
}

function goodbye(socket: WebSocket, withinMs: number): Promise<void> {
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

/** The library gives one Buffer per message unless told otherwise. */
function textOf(data: RawData): string {
  return (data as Buffer).toString()
}

function wordsOf(error: Error, host: string): string {
  const named = namedError(error, host, null)
  if (named instanceof OutgoingError) return named.message
  // The library says what the server answered in no other way.
  const [, status] = /server response: (\d{3})/.exec(error.message) ?? []
  return status ? `${host} answered ${status} where a socket was to be opened.` : `${host} does not keep to the rules of WebSockets.`
}
