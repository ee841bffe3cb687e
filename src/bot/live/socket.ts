// A client socket that comes back for as long as the bot lives. What cannot be sent at once is dropped and counted, never kept.

import { createDial } from '../../kit/dial.ts'
import { urlProblem } from '../../kit/outgoing.ts'
import type { Lookup } from '../../kit/outgoing-guard.ts'
import { type Connection, type ConnectionTiming, openConnection } from './connection.ts'
import { gapText, Missed, type Span } from './missed.ts'

type Timing = ConnectionTiming & {
  readonly retryMs: number
  readonly longestRetryMs: number
  /** Only a connection that lasted this long was a success: the next failure is tried again soon. */
  readonly steadyMs: number
}

export type SocketOptions = {
  readonly url: string
  /** For development and tests: private addresses are reachable, and `ws` will do. */
  readonly allowPrivate: boolean
  /** The first frame of every connection. */
  readonly hello: () => string
  /** Text only; nothing binary is expected of a caller's server. */
  readonly onMessage?: (text: string) => void
  /** Why there is no connection, once for every reason in a row. */
  readonly onProblem: (message: string) => void
  /** How long one frame sounds, where frames do. */
  readonly frameMs?: number
  readonly largestMessageBytes?: number
  readonly random?: () => number
  readonly now?: () => number
  readonly lookup?: Lookup
  readonly timing?: Partial<Timing>
}

export type Socket = {
  /** False: dropped and counted. Neither waits nor throws. */
  send(data: Buffer | string): boolean
  /** Counts what was lost before it could be sent: said at once, or when there is a connection. */
  lost(span: Span): void
  /** Bytes that the network has not taken yet. */
  waitingBytes(): number
  end(): Promise<void>
}

const TIMING: Timing = {
  connectMs: 10_000,
  pingMs: 15_000,
  goodbyeMs: 2_000,
  retryMs: 250,
  longestRetryMs: 15_000,
  steadyMs: 5_000,
}
const MOST_WAITING_BYTES = 1024 * 1024
/** A slow receiver gets gaps of some length instead of one after every frame. */
const FEW_WAITING_BYTES = MOST_WAITING_BYTES / 2
const LARGEST_MESSAGE_BYTES = 1024 * 1024

const NOWHERE: Socket = { send: () => false, lost: () => undefined, waitingBytes: () => 0, end: async () => undefined }

/** A URL that nobody may ask for is told as a problem and never tried. */
export function openSocket(options: SocketOptions): Socket {
  const problem = urlProblem(options.url, { schemes: ['wss'], allowPrivate: options.allowPrivate })
  if (problem) {
    options.onProblem(`The URL ${problem}`)
    return NOWHERE
  }
  const socket = new ReturningSocket(options)
  socket.connect()
  return {
    send: (data) => socket.send(data),
    lost: (span) => socket.lost(span),
    waitingBytes: () => socket.waitingBytes,
    end: () => socket.end(),
  }
}

class ReturningSocket {
  readonly #options: SocketOptions
  readonly #timing: Timing
  readonly #dial: ReturnType<typeof createDial>
  readonly #missed = new Missed()
  readonly #now: () => number
  #connection: Connection | null = null
  #retry: NodeJS.Timeout | undefined
  #failures = 0
  #told: string | null = null
  /** It is not left to the next frame: there may be none. */
  #isGapDue = false
  #isCongested = false
  #isEnded = false

  constructor(options: SocketOptions) {
    const { url, allowPrivate, lookup, largestMessageBytes = LARGEST_MESSAGE_BYTES } = options
    this.#options = options
    this.#timing = { ...TIMING, ...options.timing }
    this.#dial = createDial({ url, allowPrivate, timeoutMs: this.#timing.connectMs, largestMessageBytes, ...(lookup && { lookup }) })
    this.#now = options.now ?? Date.now
  }

  get waitingBytes(): number {
    return this.#connection?.waitingBytes ?? 0
  }

  connect(): void {
    this.#isCongested = false
    this.#connection = openConnection({
      dial: this.#dial,
      host: new URL(this.#options.url).host,
      timing: this.#timing,
      onOpen: (connection) => {
        connection.send(this.#options.hello(), () => undefined)
        if (this.#isGapDue) this.#tellMissed(connection)
      },
      onText: (text) => this.#options.onMessage?.(text),
      onClosed: (why, openMs) => this.#closed(why, openMs),
    })
  }

  send(data: Buffer | string): boolean {
    if (this.#isEnded) return false
    const fromMs = this.#now()
    const lost = () => this.#missed.add({ frames: 1, fromMs, toMs: fromMs + (this.#options.frameMs ?? 0) })
    const connection = this.#clearConnection()
    if (connection) {
      this.#tellMissed(connection)
      // What the network took and never delivered cannot be known; what it did not even take is.
      connection.send(data, lost)
    } else lost()
    return connection !== null
  }

  lost(span: Span): void {
    this.#missed.add(span)
    this.#isGapDue = true
    const connection = this.#clearConnection()
    if (connection) this.#tellMissed(connection)
  }

  async end(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#retry)
    if (this.#connection?.isOpen) this.#tellMissed(this.#connection)
    await this.#connection?.close()
  }

  #clearConnection(): Connection | null {
    const connection = this.#connection
    if (!connection?.isOpen) return null
    const isFull = connection.waitingBytes > (this.#isCongested ? FEW_WAITING_BYTES : MOST_WAITING_BYTES)
    if (isFull && !this.#isCongested) this.#options.onProblem(`${new URL(this.#options.url).host} reads too slowly; frames are dropped.`)
    this.#isCongested = isFull
    return isFull ? null : connection
  }

  #tellMissed(connection: Connection): void {
    this.#isGapDue = false
    const span = this.#missed.take()
    if (span) connection.send(gapText(span), () => this.#missed.add(span))
  }

  #closed(why: string, openMs: number): void {
    this.#connection = null
    if (this.#isEnded) return
    if (openMs >= this.#timing.steadyMs) {
      this.#failures = 0
      this.#told = null
    }
    if (why !== this.#told) this.#options.onProblem(why)
    this.#told = why
    const { retryMs, longestRetryMs } = this.#timing
    const mostMs = Math.min(longestRetryMs, retryMs * 2 ** this.#failures++)
    // Between half of it and all of it: many bots that lost one server do not come back in one moment.
    this.#retry = setTimeout(() => this.connect(), mostMs * (0.5 + (this.#options.random ?? Math.random)() / 2))
  }
}
