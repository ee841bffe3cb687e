// The socket to a caller's server for live events. It reconnects with backoff, and buffers messages meanwhile.
import type { WebSocket } from 'ws'
import { createDial } from '../../kit/websocket-dial.ts'
import { LiveBuffer } from './live-buffer.ts'

type SocketOptions = {
  readonly url: string
  /** For development and tests: allows private addresses. */
  readonly allowPrivate: boolean
  /** The first frame of every connection. */
  readonly hello: string
  readonly random: () => number
  readonly now: () => Date
}

const CONNECT_WITHIN_MS = 10_000
/** The receiver sends only pings and close frames. */
const LARGEST_MESSAGE_BYTES = 64 * 1024
const RETRY_MS = 250
const LONGEST_RETRY_MS = 15_000
/** A connection that lasted this long resets the backoff. */
const STEADY_MS = 5_000
const CLOSE_WITHIN_MS = 2_000
/** Above this, messages wait in the buffer until the receiver reads. */
const MOST_UNREAD_BYTES = 1024 * 1024

export class LiveSocket {
  readonly #options: SocketOptions
  readonly #dial: () => WebSocket
  readonly #buffer: LiveBuffer
  readonly #closed = Promise.withResolvers<void>()
  #socket: WebSocket | null = null
  #retry: NodeJS.Timeout | undefined
  #failures = 0
  /** Infinite until the socket opens, on the monotonic clock. */
  #openedAtMs = Number.POSITIVE_INFINITY
  #isEnding = false

  constructor(options: SocketOptions) {
    this.#options = options
    this.#buffer = new LiveBuffer(options.now)
    const limits = { timeoutMs: CONNECT_WITHIN_MS, largestMessageBytes: LARGEST_MESSAGE_BYTES }
    this.#dial = createDial({ url: options.url, allowPrivate: options.allowPrivate, ...limits })
    this.#connect()
  }

  send(text: string): void {
    this.#buffer.add(text)
    this.#flush()
  }

  /** Closes an open socket at once. One that connects first sends the buffered messages, if it opens in time. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#retry)
    if (!this.#socket) this.#closed.resolve()
    else if (this.#isOpen()) this.#socket.close(1000)
    const late = setTimeout(() => this.#closed.resolve(), CLOSE_WITHIN_MS)
    await this.#closed.promise
    clearTimeout(late)
    this.#socket?.terminate()
  }

  #connect(): void {
    const socket = this.#dial()
    this.#socket = socket
    const late = setTimeout(() => socket.terminate(), CONNECT_WITHIN_MS)
    socket.on('open', () => {
      clearTimeout(late)
      socket.send(this.#options.hello)
      this.#flush()
      this.#openedAtMs = performance.now()
      if (this.#isEnding) socket.close(1000)
    })
    socket.on('ping', (data) => {
      if (socket.bufferedAmount < MOST_UNREAD_BYTES) socket.pong(data)
    })
    // `close` follows every `error`.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(late)
      this.#handleClose()
    })
  }

  #handleClose(): void {
    this.#socket = null
    if (performance.now() - this.#openedAtMs >= STEADY_MS) this.#failures = 0
    this.#openedAtMs = Number.POSITIVE_INFINITY
    if (this.#isEnding) {
      this.#closed.resolve()
      return
    }
    const mostMs = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** this.#failures++)
    // Jitter: bots that lost the same server must not reconnect at the same moment.
    this.#retry = setTimeout(() => this.#connect(), mostMs * (0.5 + this.#options.random() / 2))
  }

  #isOpen(): boolean {
    return this.#socket !== null && this.#socket.readyState === this.#socket.OPEN
  }

  #flush(): void {
    const socket = this.#socket
    if (!socket || !this.#isOpen()) return
    const canSend = (): boolean => socket.bufferedAmount < MOST_UNREAD_BYTES
    this.#buffer.flush((text) => socket.send(text), canSend)
  }
}
