// Follows the difference between the sender's clock and ours. Only the smallest delay of a window shows it: the rest is network and load.

const WINDOW_MS = 1_000
/** After five whole windows with at least this delay the sender's clock stood still. A busy machine delays for less time. */
const OFF_MS = 300
const OFF_WINDOWS = 5
/** A thousandth of the window: ten times the drift of the worst sender's clock. */
const LATER_MS = 1
/** Faster, because a frame that is early is certain: the base was too late. A mixer can still follow without a jump. */
const EARLIER_MS = 4
/** A frame that is moved by this much sounds the same. */
const STEP_MS = 1

type Window = { readonly untilMs: number; leastMs: number }

/** How long a frame earlier than expected corrects the base at once. The first frames of a source often come in a burst. */
type AtOnce = 'always' | 'in the first window' | 'never'
const AT_ONCE_MS: Readonly<Record<AtOnce, number>> = { always: Number.POSITIVE_INFINITY, 'in the first window': WINDOW_MS, never: 0 }

export class DelayWindow {
  readonly #atOnceMs: number
  #atOnceUntilMs = 0
  #window: Window = openWindow(0)
  #lateWindows = 0
  /** The least delay of the last window. */
  #usualMs = 0
  /** The rest of a correction, which the next frames share. */
  #owedMs = 0

  constructor(atOnce: AtOnce) {
    this.#atOnceMs = AT_ONCE_MS[atOnce]
  }

  restart(nowMs: number): void {
    this.#lateWindows = 0
    this.#usualMs = 0
    this.#owedMs = 0
    this.#atOnceUntilMs = nowMs + this.#atOnceMs
    this.#window = openWindow(nowMs)
  }

  /** By how much the base moves for a frame that arrives this late, or early if negative. */
  correction(delayMs: number, arrivedMs: number): number {
    const window = this.#window
    const isEarly = delayMs < 0 && arrivedMs < this.#atOnceUntilMs
    window.leastMs = Math.min(window.leastMs, isEarly ? 0 : delayMs)
    return (isEarly ? delayMs : 0) + this.#step() + (arrivedMs < window.untilMs ? 0 : this.#close(window.leastMs, arrivedMs))
  }

  /** The part of a delay that network or load have just caused. */
  lateness(delayMs: number): number {
    return Math.max(0, delayMs - this.#usualMs)
  }

  #step(): number {
    const stepMs = within(this.#owedMs, STEP_MS, STEP_MS)
    this.#owedMs -= stepMs
    // Delays count from the base, which moves.
    this.#window.leastMs -= stepMs
    return stepMs
  }

  #close(leastMs: number, nowMs: number): number {
    this.#lateWindows = leastMs > OFF_MS ? this.#lateWindows + 1 : 0
    this.#window = openWindow(nowMs)
    const isOff = leastMs < -OFF_MS || this.#lateWindows >= OFF_WINDOWS
    this.#owedMs = isOff ? 0 : within(leastMs, EARLIER_MS, LATER_MS)
    this.#usualMs = isOff ? 0 : leastMs
    return isOff ? leastMs : 0
  }
}

const within = (ms: number, earlierMs: number, laterMs: number): number => Math.min(laterMs, Math.max(-earlierMs, ms))

function openWindow(fromMs: number): Window {
  return { untilMs: fromMs + WINDOW_MS, leastMs: Number.POSITIVE_INFINITY }
}
