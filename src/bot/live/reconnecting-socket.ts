// A client socket that reconnects for as long as the bot lives. Frames that cannot be sent at once are dropped and counted.

import type { Lookup } from '../../kit/address-guard.ts'
import { urlProblem } from '../../kit/http-client.ts'
import { createDial } from '../../kit/websocket-dial.ts'
import { type Connection, type ConnectionTiming, openConnection } from './connection.ts'
import { gapText, MissedFrames, type Span } from './missed-frames.ts'

type Timing = ConnectionTiming & {
  readonly retryMs: number
  readonly longestRetryMs: number
  /** A connection that lasted this long resets the backoff. */
  readonly steadyMs: number
}

export type SocketOptions = {
  readonly url: string
  /** For development and tests: allows private addresses and `ws`. */
  readonly allowPrivate: boolean
  /** The first frame of every connection. */
  readonly hello: () => string
  /** Text messages only; binary ones are ignored. */
  readonly onMessage?: (text: string) => void
  /** Why there is no connection. A reason that repeats is reported once. */
  readonly onProblem: (message: string) => void
  /** Duration of an audio frame. */
  readonly frameMs?: number
  readonly largestMessageBytes?: number
  readonly random?: () => number
  readonly now?: () => number
  readonly lookup?: Lookup
  readonly timing?: Partial<Timing>
}

export type Socket = {
  /** False if the frame is dropped and counted. Neither waits nor throws. */
  send(data: Buffer | string): boolean
  /** Adds frames lost elsewhere to the gap, and reports it at once or on the next connection. */
  reportLost(span: Span): void
  /** Bytes that the network has not accepted yet. */
  waitingBytes(): number
  end(): Promise<void>
}

const TIMING: Timing = {
  connectMs: 10_000,
  pingMs: 15_000,
  closeMs: 2_000,
  retryMs: 250,
  longestRetryMs: 15_000,
  steadyMs: 5_000,
}
const MOST_WAITING_BYTES = 1024 * 1024
/** Sending resumes below this, so that a slow receiver gets few long gaps instead of many short ones. */
const FEW_WAITING_BYTES = MOST_WAITING_BYTES / 2
const LARGEST_MESSAGE_BYTES = 1024 * 1024

const CLOSED: Socket = { send: () => false, reportLost: () => undefined, waitingBytes: () => 0, end: async () => undefined }

/** A forbidden URL is reported as a problem and never connected to. */
export function openSocket(options: SocketOptions): Socket {
  const problem = urlProblem(options.url, { schemes: ['wss'], allowPrivate: options.allowPrivate })
  if (problem) {
    options.onProblem(`The URL ${problem}`)
    return CLOSED
  }
  const socket = new ReconnectingSocket(options)
  socket.connect()
  return {
    send: (data) => socket.send(data),
    reportLost: (span) => socket.reportLost(span),
    waitingBytes: () => socket.waitingBytes,
    end: () => socket.end(),
  }
}

class ReconnectingSocket {
  readonly #options: SocketOptions
  readonly #timing: Timing
  readonly #dial: ReturnType<typeof createDial>
  readonly #missed = new MissedFrames()
  readonly #now: () => number
  #connection: Connection | null = null
  #retry: NodeJS.Timeout | undefined
  #failures = 0
  #lastProblem: string | null = null
  /** Report the gap without waiting for a next frame, which may never come. */
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
        if (this.#isGapDue) this.#sendGap(connection)
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
      this.#sendGap(connection)
      // Counts frames that the network did not accept. Later losses are unknown.
      connection.send(data, lost)
    } else lost()
    return connection !== null
  }

  reportLost(span: Span): void {
    this.#missed.add(span)
    this.#isGapDue = true
    const connection = this.#clearConnection()
    if (connection) this.#sendGap(connection)
  }

  async end(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#retry)
    if (this.#connection?.isOpen) this.#sendGap(this.#connection)
    await this.#connection?.close()
  }

  #clearConnection(): Connection | null {
    const connection = this.#connection
    if (!connection?.isOpen) return null
    const isFull = connection.waitingBytes > (this.#isCongested ? FEW_WAITING_BYTES : MOST_WAITING_BYTES)
    if (isFull && !this.#isCongested) this.#options.onProblem(`${new URL(this.#options.url).host} reads too slowly, so frames are dropped.`)
    this.#isCongested = isFull
    return isFull ? null : connection
  }

  #sendGap(connection: Connection): void {
    this.#isGapDue = false
    const span = this.#missed.take()
    if (span) connection.send(gapText(span), () => this.#missed.add(span))
  }

  #closed(why: string, openMs: number): void {
    this.#connection = null
    if (this.#isEnded) return
    if (openMs >= this.#timing.steadyMs) {
      this.#failures = 0
      this.#lastProblem = null
    }
    if (why !== this.#lastProblem) this.#options.onProblem(why)
    this.#lastProblem = why
    const { retryMs, longestRetryMs } = this.#timing
    const mostMs = Math.min(longestRetryMs, retryMs * 2 ** this.#failures++)
    // Jitter: bots that lost the same server must not reconnect at the same moment.
    this.#retry = setTimeout(() => this.connect(), mostMs * (0.5 + (this.#options.random ?? Math.random)() / 2))
  }
}
