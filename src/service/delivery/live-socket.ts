// A caller's socket for live events: it comes back when it breaks, keeps a little meanwhile, and counts what it could not keep.
import type { WebSocket } from 'ws'
import { createDial } from '../../kit/dial.ts'

type SocketOptions = {
  readonly url: string
  /** For development and tests: it may lead to this machine. */
  readonly allowPrivate: boolean
  /** The first frame of every connection. */
  readonly hello: string
  readonly random: () => number
  readonly now: () => Date
}

const CONNECT_WITHIN_MS = 10_000
/** Nothing is expected of the other side but pings and its goodbye. */
const LARGEST_MESSAGE_BYTES = 64 * 1024
const RETRY_MS = 250
const LONGEST_RETRY_MS = 15_000
/** Only a connection that lasted this long was a success: the next failure is tried again soon. */
const STEADY_MS = 5_000
const GOODBYE_WITHIN_MS = 2_000
const MOST_KEPT = 256
/** Somebody who does not read gets no more until they do. */
const MOST_UNREAD_BYTES = 1024 * 1024

export class LiveSocket {
  readonly #options: SocketOptions
  readonly #dial: () => WebSocket
  readonly #kept: string[] = []
  readonly #closed = Promise.withResolvers<void>()
  #socket: WebSocket | null = null
  #retry: NodeJS.Timeout | undefined
  #failures = 0
  #openedAt = Number.POSITIVE_INFINITY
  #missed = 0
  #missedSince: Date | null = null
  #isEnding = false

  constructor(options: SocketOptions) {
    this.#options = options
    const limits = { timeoutMs: CONNECT_WITHIN_MS, largestMessageBytes: LARGEST_MESSAGE_BYTES }
    this.#dial = createDial({ url: options.url, allowPrivate: options.allowPrivate, ...limits })
    this.#connect()
  }

  send(text: string): void {
    this.#kept.push(text)
    if (this.#kept.length > MOST_KEPT) {
      this.#kept.shift()
      this.#missed += 1
      this.#missedSince ??= this.#options.now()
    }
    this.#flush()
  }

  /** What is kept is still sent if somebody is there to hear it. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#retry)
    if (!this.#socket) this.#closed.resolve()
    else if (this.#isOpen()) this.#socket.close(1000)
    const late = setTimeout(() => this.#closed.resolve(), GOODBYE_WITHIN_MS)
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
      this.#openedAt = performance.now()
      if (this.#isEnding) socket.close(1000)
    })
    socket.on('ping', (data) => {
      if (socket.bufferedAmount < MOST_UNREAD_BYTES) socket.pong(data)
    })
    // `close` follows every `error`.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(late)
      this.#comeBack()
    })
  }

  #comeBack(): void {
    this.#socket = null
    if (performance.now() - this.#openedAt >= STEADY_MS) this.#failures = 0
    // Until it is open again it has not lasted.
    this.#openedAt = Number.POSITIVE_INFINITY
    if (this.#isEnding) {
      this.#closed.resolve()
      return
    }
    const mostMs = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** this.#failures++)
    // Between half of it and all of it: many bots that lost one server do not come back in one moment.
    this.#retry = setTimeout(() => this.#connect(), mostMs * (0.5 + this.#options.random() / 2))
  }

  #isOpen(): boolean {
    return this.#socket !== null && this.#socket.readyState === this.#socket.OPEN
  }

  #flush(): void {
    const socket = this.#socket
    if (!socket || !this.#isOpen()) return
    if (this.#missed > 0) {
      const [from, to] = [this.#missedSince?.toISOString(), this.#options.now().toISOString()]
      socket.send(JSON.stringify({ type: 'gap', frames: this.#missed, from, to }))
      this.#missed = 0
      this.#missedSince = null
    }
    while (this.#kept.length > 0 && socket.bufferedAmount < MOST_UNREAD_BYTES) socket.send(this.#kept.shift() ?? '')
  }
}
