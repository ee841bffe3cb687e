// One person's live stream to a vendor: dialled when there is something to hear, redialled when it is lost, at rest in silence.
import { LiveClock, SAMPLE_RATE } from './live-clock.ts'
import { connect, type LiveConnection } from './live-connection.ts'
import { type LiveNews, type LiveProtocol, type LiveTiming, USUAL_TIMING } from './live-protocol.ts'
import { type Chunk, LiveSound } from './live-sound.ts'
import { type LiveEar, type LiveHeard, type LiveStream, SpeechFailed } from './provider.ts'
import { toUtterance } from './utterances.ts'
import { asPcm } from './wav.ts'

/** Vendors want a message to hold at least and at most so much. */
const LEAST_SECONDS = 0.05
const MOST_SECONDS = 0.5
/** What had to wait is sent faster than it was spoken, but not all at once: vendors close on whoever does. */
const CATCH_UP = 2
const HEAD_START_SECONDS = 1
/** A connection that held this long was a good one. */
const GOOD_MS = 10_000

/** `closing`: the vendor was told to end and may still speak. */
type State = 'resting' | 'dialling' | 'open' | 'closing' | 'waiting' | 'over'

export class LiveVoice implements LiveStream {
  readonly #protocol: LiveProtocol
  readonly #ear: LiveEar
  readonly #timing: LiveTiming
  readonly #sound: LiveSound
  #state: State = 'resting'
  #connection: LiveConnection | null = null
  #clock = new LiveClock()
  #lost = 0
  #openedAt = 0
  #wroteAt = 0
  #sentAt = 0
  #isFlushed = true
  /** What may still change. */
  #partial: LiveHeard | null = null
  #ticking: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #ending: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null

  constructor(protocol: LiveProtocol, ear: LiveEar, timing: LiveTiming = USUAL_TIMING) {
    this.#protocol = protocol
    this.#ear = ear
    this.#timing = timing
    this.#sound = new LiveSound(timing.keptSeconds)
  }

  write(pcm: Int16Array, at: number): void {
    if (this.#state === 'over' || this.#ending || pcm.length === 0) return
    // The writer may use its buffer again.
    this.#sound.write({ pcm: pcm.slice(), at })
    this.#wroteAt = performance.now()
    if (this.#state === 'resting') this.#dial()
  }

  end(): Promise<void> {
    if (this.#ending) return this.#ending.promise
    this.#ending = Promise.withResolvers()
    if (this.#state === 'resting' || this.#state === 'over') this.#finish()
    else {
      const late = () =>
        this.#finish(new SpeechFailed(`${this.#protocol.vendor} did not finish within ${this.#timing.endMs} ms.`, { passing: true }))
      const timer = setTimeout(late, this.#timing.endMs)
      void this.#ending.promise.then(() => clearTimeout(timer))
    }
    return this.#ending.promise
  }

  #dial(): void {
    this.#state = 'dialling'
    this.#clock = new LiveClock()
    this.#connection = connect(this.#protocol, this.#timing, {
      open: () => this.#opened(),
      news: (news) => this.#heard(news),
      closed: (failure) => this.#closed(failure),
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
    if (this.#sound.waitingSeconds > 0) return
    if (this.#ending || quietMs > restMs) this.#sayGoodbye()
    else if (quietMs > flushMs && !this.#isFlushed) this.#flush()
    else if (now - this.#sentAt > keepAliveMs) this.#send(this.#protocol.says.keepAlive)
  }

  #sendSound(): void {
    const now = performance.now()
    const allowed = HEAD_START_SECONDS + (CATCH_UP * (now - this.#openedAt)) / 1000
    const isLast = this.#ending !== null || now - this.#wroteAt > this.#timing.flushMs
    const least = isLast ? Number.MIN_VALUE : LEAST_SECONDS
    while (this.#clock.sentSeconds < allowed && this.#sound.waitingSeconds >= least) {
      const { chunks, afterSilence } = this.#sound.take(MOST_SECONDS)
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
    this.#send(this.#protocol.says.flush)
  }

  #sayGoodbye(): void {
    this.#state = 'closing'
    this.#send(this.#protocol.says.close)
    const late = () => this.#closed(new SpeechFailed(`${this.#protocol.vendor} did not close the connection.`, { passing: true }))
    this.#timer = setTimeout(late, this.#timing.endMs)
  }

  #send(data: Uint8Array | string): void {
    this.#sentAt = performance.now()
    this.#connection?.send(data)
  }

  #heard(news: Exclude<LiveNews, { kind: 'refused' }>): void {
    if (this.#state === 'over') return
    if (news.kind === 'done') this.#closed(null)
    else this.#heardWords(news)
  }

  #heardWords(news: Extract<LiveNews, { kind: 'words' }>): void {
    this.#lost = 0
    const words = news.words.map((word) => ({
      ...word,
      start: word.start === null ? null : this.#clock.startOf(word.start),
      end: word.end === null ? null : this.#clock.endOf(word.end),
    }))
    const utterance = toUtterance(words, news.transcript)
    if (!utterance) return
    const heard = { ...utterance, final: news.final }
    this.#partial = news.final ? null : heard
    if (news.final) this.#sound.heard(utterance.end)
    this.#ear.heard(heard)
  }

  #closed(failure: SpeechFailed | null): void {
    if (this.#state === 'over' || !this.#connection) return
    const wasClosing = this.#state === 'closing'
    const wasGood = this.#state === 'open' && performance.now() - this.#openedAt > GOOD_MS
    this.#letGo()
    if (wasClosing && !failure) this.#rest()
    else this.#tryAgain(failure ?? new SpeechFailed(`${this.#protocol.vendor} closed the connection.`, { passing: true }), wasGood)
  }

  #tryAgain(failure: SpeechFailed, wasGood: boolean): void {
    this.#lost = wasGood ? 1 : this.#lost + 1
    if (!failure.passing || this.#lost >= this.#timing.tries) {
      this.#finish(failure)
      return
    }
    this.#sound.rewind()
    this.#state = 'waiting'
    this.#timer = setTimeout(() => this.#dial(), this.#timing.retryMs * 2 ** (this.#lost - 1) * (0.5 + Math.random()))
  }

  #rest(): void {
    this.#sound.settle()
    this.#settlePartial()
    this.#state = 'resting'
    if (this.#sound.waitingSeconds > 0) this.#dial()
    else if (this.#ending) this.#finish()
  }

  /** Nobody will change it any more. */
  #settlePartial(): void {
    if (this.#partial) this.#ear.heard({ ...this.#partial, final: true })
    this.#partial = null
  }

  #finish(failure: SpeechFailed | null = null): void {
    const wasOver = this.#state === 'over'
    this.#state = 'over'
    this.#letGo()
    this.#settlePartial()
    if (failure && !wasOver) this.#ear.failed(failure)
    this.#ending?.resolve()
  }

  #letGo(): void {
    clearInterval(this.#ticking)
    clearTimeout(this.#timer)
    this.#connection?.cut()
    this.#connection = null
  }
}
