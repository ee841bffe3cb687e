// Follows the difference between the sender's clock and ours. Only the smallest delay of a window shows it: the rest is network and load.

const WINDOW_MS = 1_000
/** After five whole windows with at least this delay the sender's clock stood still. A busy machine delays for less time. */
const OFF_MS = 300
const OFF_WINDOWS = 5
/** A thousandth of the window: ten times the drift of the worst sender's clock. */
const SLEW_MS = 1

/** `settling`: a frame earlier than expected corrects the base at once. The first frames of a source often come in a burst. */
type Window = { readonly kind: 'settling' | 'settled'; readonly untilMs: number; leastMs: number }

export class DelayWindow {
  readonly #next: Window['kind']
  #window: Window = openWindow('settling', 0)
  #lateWindows = 0

  constructor(correctsAtOnce: boolean) {
    this.#next = correctsAtOnce ? 'settling' : 'settled'
  }

  restart(nowMs: number): void {
    this.#lateWindows = 0
    this.#window = openWindow('settling', nowMs)
  }

  /** By how much the base moves for a frame that arrives this late, or early if negative. */
  correction(delayMs: number, arrivedMs: number): number {
    const window = this.#window
    const isEarly = window.kind === 'settling' && delayMs < 0
    window.leastMs = Math.min(window.leastMs, isEarly ? 0 : delayMs)
    return (isEarly ? delayMs : 0) + (arrivedMs < window.untilMs ? 0 : this.#close(window.leastMs, arrivedMs))
  }

  #close(leastMs: number, nowMs: number): number {
    this.#lateWindows = leastMs > OFF_MS ? this.#lateWindows + 1 : 0
    this.#window = openWindow(this.#next, nowMs)
    const isOff = leastMs < -OFF_MS || this.#lateWindows >= OFF_WINDOWS
    return isOff ? leastMs : Math.min(SLEW_MS, Math.max(-SLEW_MS, leastMs))
  }
}

function openWindow(kind: Window['kind'], fromMs: number): Window {
  return { kind, untilMs: fromMs + WINDOW_MS, leastMs: Number.POSITIVE_INFINITY }
}
