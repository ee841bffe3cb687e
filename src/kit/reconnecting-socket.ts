// A client socket that reconnects until it is ended. Messages that find no connection wait or are dropped, and dropped ones are counted.
import type { Lookup } from './address-guard.ts'
import { urlProblem } from './http-client.ts'
import { type Backoff, backoffMs } from './retry.ts'
import { Connection, type ConnectionEnd, type ConnectionTiming, describeEnd } from './websocket-connection.ts'
import { createDial } from './websocket-dial.ts'

/** Frames that could not be sent. */
type Span = { readonly frames: number; readonly fromMs: number; readonly toMs: number }

export type SocketOptions = {
  readonly url: string
  /** For development and tests: allows private addresses and `ws`. */
  readonly allowPrivate: boolean
  /** The first frame of every connection. */
  readonly hello: () => string
  /** Text messages only; binary ones are ignored. */
  readonly onMessage?: (text: string) => void
  /** Why there is no connection. A reason that repeats is reported once. */
  readonly onProblem?: (message: string) => void
  /** So many frames wait while they cannot be sent, and older ones are dropped. Default: 0. */
  readonly mostWaiting?: number
  /** Duration of an audio frame. */
  readonly frameMs?: number
  readonly largestMessageBytes?: number
  readonly random?: () => number
  readonly now?: () => number
  readonly lookup?: Lookup
  readonly retry?: Backoff
  readonly timing?: Partial<ConnectionTiming>
}

export type Socket = {
  /** Neither waits nor throws. False if a frame was dropped and counted: this one, or the oldest of those that wait. */
  send(data: Buffer | string): boolean
  /** Adds frames lost elsewhere to the gap, and reports it at once or on the next connection. */
  reportLost(span: Span): void
  /** Bytes that the network has not accepted yet. */
  waitingBytes(): number
  /** Closes the connection. One that is being opened first sends the frames that wait. */
  end(): Promise<void>
}

const TIMING: ConnectionTiming = { connectMs: 10_000, pingMs: 15_000, closeMs: 2_000 }
const RETRY: Backoff = { firstMs: 250, longestMs: 15_000 }
/** A connection that lasted this long resets the backoff. */
const STEADY_MS = 5_000
const MOST_WAITING_BYTES = 1024 * 1024
/** Sending resumes below this, so that a slow receiver gets few long gaps instead of many short ones. */
const FEW_WAITING_BYTES = MOST_WAITING_BYTES / 2
const LARGEST_MESSAGE_BYTES = 1024 * 1024

const CLOSED: Socket = { send: () => false, reportLost: () => undefined, waitingBytes: () => 0, end: async () => undefined }

/** A URL that the address guard forbids is reported as a problem and never connected to. */
export function openSocket(options: SocketOptions): Socket {
  const { url, allowPrivate } = options
  const problem = urlProblem(url, { schemes: ['wss'], allowPrivate })
  if (!problem) return new ReconnectingSocket(options)
  options.onProblem?.(`The URL ${problem}`)
  return CLOSED
}

type Frame = { readonly data: Buffer | string; readonly span: Span }

class ReconnectingSocket implements Socket {
  readonly #options: SocketOptions
  readonly #host: string
  readonly #timing: ConnectionTiming
  readonly #dial: ReturnType<typeof createDial>
  readonly #waiting: Frame[] = []
  readonly #missed = new MissedFrames()
  /** Accepted by the network since the peer's last sign of life. They are lost if none follows. */
  readonly #unconfirmed = new MissedFrames()
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
    this.#host = new URL(url).host
    this.#timing = { ...TIMING, ...options.timing }
    this.#dial = createDial({ url, allowPrivate, timeoutMs: this.#timing.connectMs, largestMessageBytes, ...(lookup && { lookup }) })
    this.#connect()
  }

  waitingBytes(): number {
    return this.#connection?.waitingBytes ?? 0
  }

  send(data: Buffer | string): boolean {
    if (this.#isEnded) return false
    const { now = Date.now, frameMs = 0, mostWaiting = 0 } = this.#options
    const fromMs = now()
    this.#waiting.push({ data, span: { frames: 1, fromMs, toMs: fromMs + frameMs } })
    this.#flush()
    const dropped = this.#waiting.splice(0, this.#waiting.length - mostWaiting)
    for (const { span } of dropped) this.#missed.add(span)
    return dropped.length === 0
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
    await this.#connection?.close({ afterOpening: this.#waiting.length > 0 })
  }

  #connect(): void {
    this.#isCongested = false
    const connection = new Connection(this.#dial(), {
      timing: this.#timing,
      onOpen: () => {
        connection.send(this.#options.hello())
        if (this.#isGapDue) this.#sendGap(connection)
        this.#flush()
      },
      onText: (text) => this.#options.onMessage?.(text),
      onAlive: () => this.#unconfirmed.take(),
      onClosed: (end, openMs) => this.#closed(end, openMs),
    })
    this.#connection = connection
  }

  #flush(): void {
    for (let [frame] = this.#waiting; frame; [frame] = this.#waiting) {
      const connection = this.#clearConnection()
      if (!connection) return
      this.#waiting.shift()
      this.#sendGap(connection)
      this.#sendFrame(connection, frame)
    }
  }

  #clearConnection(): Connection | null {
    const connection = this.#connection
    if (!connection?.isOpen) return null
    const isFull = connection.waitingBytes > (this.#isCongested ? FEW_WAITING_BYTES : MOST_WAITING_BYTES)
    if (isFull && !this.#isCongested) this.#options.onProblem?.(`${this.#host} reads too slowly, so frames are dropped.`)
    this.#isCongested = isFull
    return isFull ? null : connection
  }

  #sendGap(connection: Connection): void {
    this.#isGapDue = false
    const span = this.#missed.take()
    if (span) this.#sendFrame(connection, { data: gapText(span), span })
  }

  #sendFrame(connection: Connection, { data, span }: Frame): void {
    connection.send(data, (error) => (error ? this.#missed : this.#unconfirmed).add(span))
  }

  #closed(end: ConnectionEnd, openMs: number): void {
    this.#connection = null
    if (this.#isEnded) return
    // Frames before any other end of a connection may have arrived, and are not counted.
    const unconfirmed = this.#unconfirmed.take()
    if (end.kind === 'silent' && unconfirmed) this.reportLost(unconfirmed)
    if (openMs >= STEADY_MS) {
      this.#failures = 0
      this.#lastProblem = null
    }
    const why = describeEnd(end, this.#host, this.#timing)
    if (why !== this.#lastProblem) this.#options.onProblem?.(why)
    this.#lastProblem = why
    const { retry = RETRY, random = Math.random } = this.#options
    this.#retry = setTimeout(() => this.#connect(), backoffMs(retry, ++this.#failures, random))
  }
}

const NOTHING: Span = { frames: 0, fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY }

/** Counts frames that could not be sent, until the receiver can be informed. */
class MissedFrames {
  #span = NOTHING

  add({ frames, fromMs, toMs }: Span): void {
    const before = this.#span
    this.#span = { frames: before.frames + frames, fromMs: Math.min(before.fromMs, fromMs), toMs: Math.max(before.toMs, toMs) }
  }

  /** Everything since the last call; null if nothing was missed. */
  take(): Span | null {
    const span = this.#span
    this.#span = NOTHING
    return span.frames === 0 ? null : span
  }
}

/** `milliseconds` is from the start of the first missed frame to the end of the last one. */
function gapText({ frames, fromMs, toMs }: Span): string {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
  return JSON.stringify({ type: 'gap', frames, milliseconds: toMs - fromMs, from, to })
}
