// The session time of a frame: RTP timestamps say how far apart frames are, arrivals say where they stand.
import type { Stamped } from './late.ts'
import { ticksBetween } from './rtp.ts'

/** Where RTP timestamps and arrivals disagree by more than this, the sender has a new time base. It is not a delay. */
const JUMP_MS = 2_000
/** A pause that is not in the RTP timestamps: either frames were held up and now come in a burst, or the sender sent nothing. */
const PAUSE_MS = 500
/** Every frame that was held up has come by then. */
const BURST_MS = 60
/** After so many whole windows with this delay the sender's clock stood still. A busy machine delays for less. */
const OFF_MS = 300
const OFF_WINDOWS = 5
const WINDOW_MS = 1_000
/** A thousandth: ten times the drift of the worst sender's clock. */
const SLEW_MS = 1

type Options = {
  /** Correcting the base at once compresses the next frames: fine for video, lossy for audio. */
  readonly compresses?: boolean
  /** Arrivals are corrected for hold-ups, so a pause is known as one by its first frame. */
  readonly foreseen?: boolean
}

type Flow =
  | { readonly kind: 'steady' }
  /** After a pause: held-up frames come faster than real time, newly sent ones do not. */
  | { readonly kind: 'after pause'; readonly arrivedMs: number; readonly missingMs: number; readonly elapsedMs: number }

/** `settling`: a frame that comes earlier than expected corrects the base at once. The first frames of a source often come in a burst. */
type Window = { readonly kind: 'settling' | 'settled'; readonly untilMs: number; leastMs: number }

/**
 * Of all delays only the smallest says something about clocks, the rest is network and load. So the base follows the smallest delay of each
 * window, slowly.
 */
export class TrackClock {
  readonly #ticksPerMs: number
  readonly #options: Options
  #last: { readonly ssrc: number; readonly rtpTimestamp: number; readonly arrivedMs: number } | null = null
  /** The session time of a frame is the base and what RTP timestamps have counted since. */
  #baseMs = 0
  #elapsedMs = 0
  #latestMs = Number.NEGATIVE_INFINITY
  #flow: Flow = { kind: 'steady' }
  #window: Window = openWindow('settling', 0)
  #lateWindows = 0

  constructor(ticksPerSecond: number, options: Options = {}) {
    this.#ticksPerMs = ticksPerSecond / 1000
    this.#options = options
  }

  /** Always later than the frame before, whatever the sender does. */
  at({ rtpTimestamp, ssrc }: Stamped, arrivedMs: number): number {
    const last = this.#last
    this.#last = { ssrc, rtpTimestamp, arrivedMs }
    const stepMs = last ? ticksBetween(last.rtpTimestamp, rtpTimestamp) / this.#ticksPerMs : 0
    if (!last || last.ssrc !== ssrc || isJump(stepMs, arrivedMs - last.arrivedMs)) this.#rebase(arrivedMs)
    else this.#elapsedMs += stepMs
    if (last) this.#judgePause(stepMs, arrivedMs - last.arrivedMs, arrivedMs)
    this.#follow(arrivedMs)
    // A file has whole milliseconds.
    this.#latestMs = Math.max(this.#latestMs + 1, this.#baseMs + this.#elapsedMs)
    return this.#latestMs
  }

  /** Frames that were held up make up for the pause; a sender that sent nothing goes on at the pace of time. */
  #judgePause(stepMs: number, arrivedStepMs: number, arrivedMs: number): void {
    const missingMs = arrivedStepMs - stepMs
    if (missingMs > PAUSE_MS) {
      if (this.#options.foreseen) this.#rebase(arrivedMs)
      else this.#flow = { kind: 'after pause', arrivedMs, missingMs, elapsedMs: 0 }
      return
    }
    if (this.#flow.kind === 'steady') return
    const flow = { ...this.#flow, elapsedMs: this.#flow.elapsedMs + stepMs }
    const passedMs = arrivedMs - flow.arrivedMs
    const wasHeldUp = flow.elapsedMs - passedMs > flow.missingMs / 2
    const isDecided = wasHeldUp || passedMs >= BURST_MS
    this.#flow = isDecided ? { kind: 'steady' } : flow
    if (isDecided && !wasHeldUp) this.#rebase(arrivedMs)
  }

  #rebase(arrivedMs: number): void {
    this.#baseMs = arrivedMs
    this.#elapsedMs = 0
    this.#lateWindows = 0
    this.#window = openWindow('settling', arrivedMs)
  }

  #follow(arrivedMs: number): void {
    const delayMs = arrivedMs - this.#baseMs - this.#elapsedMs
    const window = this.#window
    const isSettling = window.kind === 'settling'
    if (isSettling && delayMs < 0) this.#baseMs += delayMs
    window.leastMs = Math.min(window.leastMs, isSettling ? Math.max(0, delayMs) : delayMs)
    if (arrivedMs < window.untilMs) return
    const { leastMs } = window
    this.#lateWindows = leastMs > OFF_MS ? this.#lateWindows + 1 : 0
    const isOff = leastMs < -OFF_MS || this.#lateWindows >= OFF_WINDOWS
    this.#baseMs += isOff ? leastMs : Math.min(SLEW_MS, Math.max(-SLEW_MS, leastMs))
    this.#window = openWindow(this.#options.compresses ? 'settling' : 'settled', arrivedMs)
  }
}

function openWindow(kind: Window['kind'], fromMs: number): Window {
  return { kind, untilMs: fromMs + WINDOW_MS, leastMs: Number.POSITIVE_INFINITY }
}

function isJump(stepMs: number, arrivedStepMs: number): boolean {
  // A frame that is merely out of order is never so far behind.
  if (stepMs < -OFF_MS) return true
  return Math.abs(stepMs) > JUMP_MS && Math.abs(stepMs - arrivedStepMs) > JUMP_MS
}
