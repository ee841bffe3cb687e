// The session time of a frame: RTP time tells how far apart frames are, the time of arrival tells where they stand.
import type { Stamped } from './late.ts'
import { ticksBetween } from './rtp.ts'

/** A step that RTP time and arrival disagree on by more than this is a new time base, not a delay. */
const JUMP_MS = 2_000
/** A pause that RTP time knows nothing of: either frames were held up, and now come in a burst, or the sender had nothing to send. */
const PAUSE_MS = 500
/** Whatever was held up has come by then. */
const TELLING_MS = 60
/** So many whole windows that come this much late were not late: the sender's clock stood still. A busy machine is late for a while. */
const OFF_MS = 300
const OFF_WINDOWS = 5
const WINDOW_MS = 1_000
/** A thousandth, ten times what the worst sender's clock drifts. */
const SLEW_MS = 1

/**
 * Of all delays only the smallest says something about clocks, the rest is network and load. So the base follows the smallest delay of
 * each window, slowly; within the first window at once, because the first frames of a source often come in a burst.
 *
 * A frame that came sooner than it was believed to be sent proves the base wrong. To heed that at once crowds the next few frames: `crowds`
 * says that nobody minds, as of pictures. Sound would lose what is crowded, and is put right slowly.
 *
 * `foreseen`: what was held up comes with the time at which it should have come, so that a pause is a pause at its first frame.
 */
export class TrackClock {
  readonly #ticksPerMs: number
  readonly #crowds: boolean
  readonly #foreseen: boolean
  #last: { readonly ssrc: number; readonly rtp: number; readonly arrivedMs: number } | null = null
  #elapsedMs = 0
  #baseMs = 0
  #latestMs = Number.NEGATIVE_INFINITY
  /** Since the first frame after a pause. */
  #resumed: { readonly arrivedMs: number; readonly missingMs: number; readonly elapsedMs: number } | null = null
  #window = { untilMs: 0, leastMs: Number.POSITIVE_INFINITY, settling: true }
  #lateWindows = 0

  constructor(ticksPerSecond: number, { crowds = false, foreseen = false } = {}) {
    this.#ticksPerMs = ticksPerSecond / 1000
    this.#crowds = crowds
    this.#foreseen = foreseen
  }

  /** Always later than the frame before, whatever the sender does. */
  at({ rtpTimestamp: rtp, ssrc }: Stamped, arrivedMs: number): number {
    const last = this.#last
    this.#last = { ssrc, rtp, arrivedMs }
    const stepMs = last ? ticksBetween(last.rtp, rtp) / this.#ticksPerMs : 0
    if (!last || last.ssrc !== ssrc || isJump(stepMs, arrivedMs - last.arrivedMs)) this.#rebase(arrivedMs)
    else this.#elapsedMs += stepMs
    if (last) this.#doubt(stepMs, arrivedMs - last.arrivedMs, arrivedMs)
    this.#follow(arrivedMs)
    // A whole millisecond, because that is what a file can tell apart.
    this.#latestMs = Math.max(this.#latestMs + 1, this.#baseMs + this.#elapsedMs)
    return this.#latestMs
  }

  /** A sender that begins to send again does so at the pace of time; what was held up comes all at once, and makes up for the pause. */
  #doubt(stepMs: number, arrivedStepMs: number, arrivedMs: number): void {
    const missingMs = arrivedStepMs - stepMs
    if (missingMs > PAUSE_MS) {
      if (this.#foreseen) this.#rebase(arrivedMs)
      else this.#resumed = { arrivedMs, missingMs, elapsedMs: 0 }
      return
    }
    if (!this.#resumed) return
    const resumed = { ...this.#resumed, elapsedMs: this.#resumed.elapsedMs + stepMs }
    const passedMs = arrivedMs - resumed.arrivedMs
    const wasHeldUp = resumed.elapsedMs - passedMs > resumed.missingMs / 2
    this.#resumed = wasHeldUp || passedMs >= TELLING_MS ? null : resumed
    if (!this.#resumed && !wasHeldUp) this.#rebase(arrivedMs)
  }

  #rebase(arrivedMs: number): void {
    this.#baseMs = arrivedMs
    this.#elapsedMs = 0
    this.#lateWindows = 0
    this.#window = { untilMs: arrivedMs + WINDOW_MS, leastMs: Number.POSITIVE_INFINITY, settling: true }
  }

  #follow(arrivedMs: number): void {
    const delayMs = arrivedMs - this.#baseMs - this.#elapsedMs
    const window = this.#window
    if (window.settling && delayMs < 0) this.#baseMs += delayMs
    window.leastMs = Math.min(window.leastMs, window.settling ? Math.max(0, delayMs) : delayMs)
    if (arrivedMs < window.untilMs) return
    const { leastMs } = window
    this.#lateWindows = leastMs > OFF_MS ? this.#lateWindows + 1 : 0
    const isOff = leastMs < -OFF_MS || this.#lateWindows >= OFF_WINDOWS
    this.#baseMs += isOff ? leastMs : Math.min(SLEW_MS, Math.max(-SLEW_MS, leastMs))
    this.#window = { untilMs: arrivedMs + WINDOW_MS, leastMs: Number.POSITIVE_INFINITY, settling: this.#crowds }
  }
}

function isJump(stepMs: number, arrivedStepMs: number): boolean {
  // What is merely out of order is never so far behind.
  if (stepMs < -OFF_MS) return true
  return Math.abs(stepMs) > JUMP_MS && Math.abs(stepMs - arrivedStepMs) > JUMP_MS
}
