// One WebSocket connection. Cuts it when the peer is late or silent, and reports once why it ended.
import type { WebSocket } from 'ws'
import { readBody } from './http-client.ts'
import { NetworkError, toNetworkError } from './network-error.ts'

export type ConnectionTiming = { readonly connectMs: number; readonly pingMs: number; readonly closeMs: number }

export type ConnectionEnd =
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  /** The peer gave an HTTP response and opened no WebSocket. `body` is its beginning. */
  | { readonly kind: 'refused'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'late' }
  | { readonly kind: 'silent' }

type ConnectionOptions = {
  readonly timing: ConnectionTiming
  readonly onOpen: () => void
  /** Text messages only; binary ones are ignored. */
  readonly onText: (text: string) => void
  /** The peer sent a message, a ping or a pong. */
  readonly onAlive?: () => void
  /** Called once, unless `terminate` was. `openMs` is how long the connection was open. */
  readonly onClosed: (end: ConnectionEnd, openMs: number) => void
}

/** A peer that sends pings and does not read gets no pongs beyond this. */
const MOST_WAITING_FOR_PONGS = 64 * 1024
const MOST_REFUSAL_BYTES = 4 * 1024

export class Connection {
  readonly #socket: WebSocket
  readonly #options: ConnectionOptions
  readonly #late: NodeJS.Timeout
  #pings: NodeJS.Timeout | undefined
  #isAlive = true
  #openedAt: number | null = null
  #end: ConnectionEnd | null = null

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#late = setTimeout(() => this.#cut({ kind: 'late' }), options.timing.connectMs)
    socket.on('open', () => this.#opened())
    socket.on('ping', (data) => {
      this.#showLife()
      if (this.isOpen && socket.bufferedAmount < MOST_WAITING_FOR_PONGS) socket.pong(data)
    })
    socket.on('pong', () => this.#showLife())
    socket.on('message', (data, isBinary) => {
      this.#showLife()
      // The library gives one Buffer per message by default.
      if (!isBinary) options.onText((data as Buffer).toString())
    })
    socket.on('unexpected-response', async (_, response) => {
      clearTimeout(this.#late)
      const limits = { keptBytes: Number.POSITIVE_INFINITY, readBytes: MOST_REFUSAL_BYTES, optionalBodyMs: options.timing.connectMs }
      const { bytes } = await readBody(response, limits)
      this.#cut({ kind: 'refused', status: response.statusCode ?? 0, body: bytes.toString() })
    })
    socket.on('error', (error) => {
      this.#end ??= { kind: 'failed', error }
    })
    socket.on('close', (code, reason) => {
      this.#stopTimers()
      const openMs = this.#openedAt === null ? 0 : performance.now() - this.#openedAt
      options.onClosed(this.#end ?? { kind: 'closed', code, reason: reason.toString() }, openMs)
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Bytes that the network has not accepted yet. */
  get waitingBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** `onDone` gets an error if the network did not accept the message. */
  send(data: Uint8Array | string, onDone: (error?: Error) => void = () => undefined): void {
    this.#socket.send(data, onDone)
  }

  /** Sends a close frame, and cuts the connection if that takes too long. Resolves when it is closed. */
  close({ afterOpening = false } = {}): Promise<void> {
    const socket = this.#socket
    return new Promise((resolve) => {
      if (socket.readyState === socket.CLOSED) return resolve()
      const timer = setTimeout(() => socket.terminate(), this.#options.timing.closeMs)
      socket.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      if (socket.readyState !== socket.CONNECTING) socket.close(1000)
      else if (afterOpening) socket.once('open', () => socket.close(1000))
      else socket.terminate()
    })
  }

  /** Cuts the connection. No function of the options is called after it. */
  terminate(): void {
    this.#stopTimers()
    this.#socket.removeAllListeners()
    // The library emits an error if the connection is not open yet.
    this.#socket.on('error', () => undefined)
    this.#socket.terminate()
  }

  #opened(): void {
    const { timing, onOpen } = this.#options
    clearTimeout(this.#late)
    this.#openedAt = performance.now()
    this.#pings = setInterval(() => this.#ping(), timing.pingMs)
    onOpen()
  }

  /** A peer without a sign of life between two pings is silent. */
  #ping(): void {
    if (this.#isAlive) this.#socket.ping()
    else this.#cut({ kind: 'silent' })
    this.#isAlive = false
  }

  #showLife(): void {
    this.#isAlive = true
    this.#options.onAlive?.()
  }

  #cut(why: ConnectionEnd): void {
    this.#end ??= why
    this.#socket.terminate()
  }

  #stopTimers(): void {
    clearTimeout(this.#late)
    clearInterval(this.#pings)
  }
}

/** The end as a sentence. It names only the host of the URL, because the rest may contain secrets. */
export function describeEnd(end: ConnectionEnd, host: string, { connectMs }: ConnectionTiming): string {
  if (end.kind === 'closed') return `${host} closed the connection (${end.code}).`
  if (end.kind === 'refused') return `${host} answered ${end.status} instead of opening a WebSocket.`
  if (end.kind === 'late') return `${host} did not answer within ${connectMs} ms.`
  if (end.kind === 'silent') return `${host} has been silent for too long, so the connection is closed.`
  const named = toNetworkError(end.error, host, null)
  return named instanceof NetworkError ? named.message : `${host} sent invalid WebSocket data.`
}
