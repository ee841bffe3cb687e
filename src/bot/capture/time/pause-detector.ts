// Distinguishes a silence of the sender from held-up frames, after a pause that the RTP timestamps do not show.

/** A shorter pause is jitter. */
const PAUSE_MS = 500
/** Every held-up frame has arrived by then. */
const BURST_MS = 60

type State =
  | { readonly kind: 'steady' }
  /** Undecided: held-up frames arrive faster than real time, newly sent ones do not. */
  | { readonly kind: 'after pause'; readonly resumedMs: number; readonly pauseMs: number; elapsedMs: number }

const STEADY: State = { kind: 'steady' }

export class PauseDetector {
  readonly #hasCorrectedArrivals: boolean
  #state: State = STEADY

  constructor(hasCorrectedArrivals: boolean) {
    this.#hasCorrectedArrivals = hasCorrectedArrivals
  }

  /** True once: the sender sent nothing during the pause, so its timestamps lag the session by that much. */
  isSilence(stepMs: number, arrivedStepMs: number, arrivedMs: number): boolean {
    const pauseMs = arrivedStepMs - stepMs
    if (pauseMs > PAUSE_MS) {
      if (this.#hasCorrectedArrivals) return true
      this.#state = { kind: 'after pause', resumedMs: arrivedMs, pauseMs, elapsedMs: 0 }
      return false
    }
    return this.#state.kind === 'after pause' && this.#judge(this.#state, stepMs, arrivedMs)
  }

  #judge(state: Extract<State, { kind: 'after pause' }>, stepMs: number, arrivedMs: number): boolean {
    state.elapsedMs += stepMs
    const passedMs = arrivedMs - state.resumedMs
    const wasHeldUp = state.elapsedMs - passedMs > state.pauseMs / 2
    const isDecided = wasHeldUp || passedMs >= BURST_MS
    if (isDecided) this.#state = STEADY
    return isDecided && !wasHeldUp
  }
}
