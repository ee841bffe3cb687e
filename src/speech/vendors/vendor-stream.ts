// One participant's live stream to a vendor: connects when there is audio, reconnects after a failure, and disconnects during silence.
import { backoffMs } from '../../kit/retry.ts'
import type { Connection } from '../../kit/websocket-connection.ts'
import { type LiveHandler, type LiveResult, type LiveStream, SpeechFailed } from '../provider.ts'
import { toUtterance } from '../utterances.ts'
import { asPcm } from '../wav.ts'
import { connect } from './live-connection.ts'
import { DEFAULT_TIMING, type LiveEvent, type LiveProtocol, type LiveTiming } from './live-protocol.ts'
import { type Chunk, SendBuffer } from './send-buffer.ts'
import { SAMPLE_RATE, StreamClock } from './stream-clock.ts'

/** Vendors limit the audio of one message. */
const LEAST_SECONDS = 0.05
const MOST_SECONDS = 0.5
/** Buffered audio is sent at most this much faster than real time, because vendors close a connection that sends it all at once. */
const CATCH_UP = 2
const HEAD_START_SECONDS = 1
/** A connection that lasted this long resets the count of failures. */
const STABLE_MS = 10_000

/** `closing`: the close message was sent, and results may follow. */
type State = 'idle' | 'connecting' | 'open' | 'closing' | 'backingOff' | 'over'

export class VendorStream implements LiveStream {
  readonly #protocol: LiveProtocol
  readonly #handler: LiveHandler
  readonly #timing: LiveTiming
  readonly #buffer: SendBuffer
  #state: State = 'idle'
  #connection: Connection | null = null
  #clock = new StreamClock()
  #failures = 0
  #openedAt = 0
  #wroteAt = 0
  #sentAt = 0
  #isFlushed = true
  /** The last interim result, until its final one arrives. */
  #interim: LiveResult | null = null
  #ticking: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #ending: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null

  constructor(protocol: LiveProtocol, handler: LiveHandler, timing: LiveTiming = DEFAULT_TIMING) {
    this.#protocol = protocol
    this.#handler = handler
    this.#timing = timing
    this.#buffer = new SendBuffer(timing.keptSeconds)
  }

  write(pcm: Int16Array, at: number): void {
    if (this.#state === 'over' || this.#ending || pcm.length === 0) return
    // A copy, because the caller may reuse its buffer.
    this.#buffer.write({ pcm: pcm.slice(), at })
    this.#wroteAt = performance.now()
    if (this.#state === 'idle') this.#connect()
  }

  end(): Promise<void> {
    if (this.#ending) return this.#ending.promise
    this.#ending = Promise.withResolvers()
    if (this.#state === 'idle' || this.#state === 'over') this.#finish()
    else {
      const late = () =>
        this.#finish(new SpeechFailed(`${this.#protocol.vendor} did not finish within ${this.#timing.endMs} ms.`, { retryable: true }))
      const timer = setTimeout(late, this.#timing.endMs)
      void this.#ending.promise.then(() => clearTimeout(timer))
    }
    return this.#ending.promise
  }

  #connect(): void {
    this.#state = 'connecting'
    this.#clock = new StreamClock()
    this.#connection = connect(this.#protocol, this.#timing, {
      onOpen: () => this.#opened(),
      onEvent: (event) => this.#receive(event),
      onClose: (failure) => this.#closed(failure),
    })
  }

  #opened(): void {
    this.#state = 'open'
    this.#openedAt = this.#sentAt = performance.now()
    this.#ticking = setInterval(() => this.#tick(), this.#timing.tickMs)
    this.#tick()
  }

  #tick(): void {
    if (this.#state !== 'open') return
    this.#sendSound()
    const { flushMs, keepAliveMs, restMs } = this.#timing
    const now = performance.now()
    const quietMs = now - this.#wroteAt
    if (this.#buffer.waitingSeconds > 0) return
    if (this.#ending || quietMs > restMs) this.#startClosing()
    else if (quietMs > flushMs && !this.#isFlushed) this.#flush()
    else if (now - this.#sentAt > keepAliveMs) this.#send(this.#protocol.messages.keepAlive)
  }

  #sendSound(): void {
    const now = performance.now()
    const allowed = HEAD_START_SECONDS + (CATCH_UP * (now - this.#openedAt)) / 1000
    const isLast = this.#ending !== null || now - this.#wroteAt > this.#timing.flushMs
    const least = isLast ? Number.MIN_VALUE : LEAST_SECONDS
    while (this.#clock.sentSeconds < allowed && this.#buffer.waitingSeconds >= least) {
      const { chunks, afterSilence } = this.#buffer.take(MOST_SECONDS)
      if (afterSilence && !this.#isFlushed) this.#flush()
      this.#sendChunks(chunks)
    }
  }

  #sendChunks(chunks: readonly Chunk[]): void {
    for (const { pcm, at } of chunks) this.#clock.add(pcm.length, at)
    const parts = chunks.map(({ pcm }) => pcm)
    const missing = LEAST_SECONDS * SAMPLE_RATE - parts.reduce((sum, { length }) => sum + length, 0)
    const silence = new Int16Array(Math.max(0, missing))
    this.#clock.skip(silence.length)
    this.#send(asPcm([...parts, silence]))
    this.#isFlushed = false
  }

  #flush(): void {
    this.#isFlushed = true
    this.#send(this.#protocol.messages.flush)
  }

  #startClosing(): void {
    this.#state = 'closing'
    this.#send(this.#protocol.messages.close)
    const late = () => this.#closed(new SpeechFailed(`${this.#protocol.vendor} did not close the connection.`, { retryable: true }))
    this.#timer = setTimeout(late, this.#timing.endMs)
  }

  #send(data: Uint8Array | string): void {
    this.#sentAt = performance.now()
    this.#connection?.send(data)
  }

  #receive(event: Exclude<LiveEvent, { kind: 'refused' }>): void {
    if (this.#state === 'over') return
    if (event.kind === 'done') this.#closed(null)
    else this.#receiveWords(event)
  }

  #receiveWords(event: Extract<LiveEvent, { kind: 'words' }>): void {
    this.#failures = 0
    const words = event.words.map((word) => ({
      ...word,
      start: word.start === null ? null : this.#clock.startOf(word.start),
      end: word.end === null ? null : this.#clock.endOf(word.end),
    }))
    const utterance = toUtterance(words, event.transcript)
    if (!utterance) return
    const result = { ...utterance, final: event.final }
    this.#interim = event.final ? null : result
    if (event.final) this.#buffer.acknowledge(utterance.end)
    this.#handler.onResult(result)
  }

  #closed(failure: SpeechFailed | null): void {
    if (this.#state === 'over' || !this.#connection) return
    const wasClosing = this.#state === 'closing'
    const wasStable = this.#state === 'open' && performance.now() - this.#openedAt > STABLE_MS
    this.#releaseConnection()
    if (wasClosing && !failure) this.#becomeIdle()
    else this.#retry(failure ?? new SpeechFailed(`${this.#protocol.vendor} closed the connection.`, { retryable: true }), wasStable)
  }

  #retry(failure: SpeechFailed, wasStable: boolean): void {
    this.#failures = wasStable ? 1 : this.#failures + 1
    if (!failure.retryable || this.#failures >= this.#timing.retry.attempts) {
      this.#finish(failure)
      return
    }
    this.#buffer.rewind()
    this.#state = 'backingOff'
    this.#timer = setTimeout(() => this.#connect(), backoffMs(this.#timing.retry, this.#failures, Math.random))
  }

  #becomeIdle(): void {
    this.#buffer.acknowledgeAll()
    this.#finaliseInterim()
    this.#state = 'idle'
    if (this.#buffer.waitingSeconds > 0) this.#connect()
    else if (this.#ending) this.#finish()
  }

  /** The vendor sends no final result any more, so the interim one becomes final. */
  #finaliseInterim(): void {
    if (this.#interim) this.#handler.onResult({ ...this.#interim, final: true })
    this.#interim = null
  }

  #finish(failure: SpeechFailed | null = null): void {
    const wasOver = this.#state === 'over'
    this.#state = 'over'
    this.#releaseConnection()
    this.#finaliseInterim()
    if (failure && !wasOver) this.#handler.onFailure(failure)
    this.#ending?.resolve()
  }

  #releaseConnection(): void {
    clearInterval(this.#ticking)
    clearTimeout(this.#timer)
    this.#connection?.terminate()
    this.#connection = null
  }
}
