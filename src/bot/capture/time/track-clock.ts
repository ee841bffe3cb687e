// The session time of each frame of one stream: RTP timestamps give the distance between frames, arrival times give their place.
import { DelayWindow } from './delay-window.ts'
import { type Stamped, ticksBetween } from './stream-position.ts'

/** Where RTP timestamps and arrivals disagree by more than this, the sender has a new time base. A delay is never this long. */
const JUMP_MS = 2_000
/** A frame that is merely out of order is never this far behind. */
const BACKWARD_MS = 300
/** A stream that speaks sends several frames in this time. */
const ABOUT_NOW_MS = 100
/** A shorter pause is jitter. */
const PAUSE_MS = 500
/** Every held-up frame has arrived by then. */
const BURST_MS = 60

type Options = {
  /** Correcting the base at once compresses the next frames: fine for video, lossy for audio. */
  readonly correctsAtOnce?: boolean
  /** `ArrivalTimes` has removed hold-ups, so the first frame after a pause proves the pause. */
  readonly hasCorrectedArrivals?: boolean
}

export class TrackClock {
  readonly #ticksPerMs: number
  readonly #options: Options
  readonly #pauses = new PauseDetector()
  readonly #delays: DelayWindow
  #last: { readonly ssrc: number; readonly rtpTimestamp: number; readonly arrivedMs: number } | null = null
  /** A frame's session time is the base plus the RTP time counted since the base. */
  #baseMs = 0
  #elapsedMs = 0
  #latestMs = Number.NEGATIVE_INFINITY
  #lateMs = 0

  constructor(ticksPerSecond: number, options: Options = {}) {
    const { correctsAtOnce = false, hasCorrectedArrivals = false } = options
    this.#ticksPerMs = ticksPerSecond / 1000
    this.#options = options
    this.#delays = new DelayWindow(correctsAtOnce ? 'always' : hasCorrectedArrivals ? 'never' : 'in the first window')
  }

  /**
   * Strictly later than the frame before, whatever the sender does. A new base counts from this arrival, less `lateMs`: how late frames of
   * other streams are now.
   */
  at({ rtpTimestamp, ssrc }: Stamped, arrivedMs: number, lateMs = () => 0): number {
    const last = this.#last
    this.#last = { ssrc, rtpTimestamp, arrivedMs }
    const stepMs = last ? ticksBetween(last.rtpTimestamp, rtpTimestamp) / this.#ticksPerMs : 0
    if (!last || last.ssrc !== ssrc || isJump(stepMs, arrivedMs - last.arrivedMs)) this.#rebase(arrivedMs - lateMs())
    else this.#elapsedMs += stepMs
    if (last && this.#isAfterSilence(stepMs, arrivedMs - last.arrivedMs - stepMs, arrivedMs)) this.#rebase(arrivedMs - lateMs())
    const delayMs = arrivedMs - this.#baseMs - this.#elapsedMs
    this.#lateMs = this.#delays.lateness(delayMs)
    this.#baseMs += this.#delays.correction(delayMs, arrivedMs)
    // A file has whole milliseconds.
    this.#latestMs = Math.max(this.#latestMs + 1, this.#baseMs + this.#elapsedMs)
    return this.#latestMs
  }

  /** How late the last frame was; null if it did not arrive about now. */
  lateMs(nowMs: number): number | null {
    return this.#last && Math.abs(nowMs - this.#last.arrivedMs) < ABOUT_NOW_MS ? this.#lateMs : null
  }

  /** Another clock for the same stream, which continues from here. */
  copy(): TrackClock {
    const copy = new TrackClock(this.#ticksPerMs * 1000, this.#options)
    copy.#last = this.#last
    copy.#baseMs = this.#baseMs
    copy.#elapsedMs = this.#elapsedMs
    copy.#latestMs = this.#latestMs
    copy.#delays.restart(this.#last?.arrivedMs ?? 0)
    return copy
  }

  #isAfterSilence(stepMs: number, pauseMs: number, arrivedMs: number): boolean {
    return this.#options.hasCorrectedArrivals ? pauseMs > PAUSE_MS : this.#pauses.isSilence(stepMs, pauseMs, arrivedMs)
  }

  #rebase(sentMs: number): void {
    this.#baseMs = sentMs
    this.#elapsedMs = 0
    this.#delays.restart(sentMs)
  }
}

function isJump(stepMs: number, arrivedStepMs: number): boolean {
  if (stepMs < -BACKWARD_MS) return true
  return Math.abs(stepMs) > JUMP_MS && Math.abs(stepMs - arrivedStepMs) > JUMP_MS
}

/** Undecided: held-up frames arrive faster than real time, newly sent ones do not. */
type Pause = { readonly resumedMs: number; readonly pauseMs: number; elapsedMs: number }

/** Distinguishes a silence of the sender from held-up frames, after a pause that the RTP timestamps do not show. */
class PauseDetector {
  #pause: Pause | null = null

  /** True once: the sender sent nothing during the pause, so its timestamps lag the session by that much. */
  isSilence(stepMs: number, pauseMs: number, arrivedMs: number): boolean {
    if (pauseMs > PAUSE_MS) this.#pause = { resumedMs: arrivedMs, pauseMs, elapsedMs: 0 }
    else if (this.#pause) return this.#judge(this.#pause, stepMs, arrivedMs)
    return false
  }

  #judge(pause: Pause, stepMs: number, arrivedMs: number): boolean {
    pause.elapsedMs += stepMs
    const passedMs = arrivedMs - pause.resumedMs
    const wasHeldUp = pause.elapsedMs - passedMs > pause.pauseMs / 2
    const isDecided = wasHeldUp || passedMs >= BURST_MS
    if (isDecided) this.#pause = null
    return isDecided && !wasHeldUp
  }
}
