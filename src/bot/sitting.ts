// One bot on its seat, as the host looks after it: whether it lives, and until when it may stay without a renewal of its claim.
import type { LossReason } from '../domain/absences.ts'
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import { firstLine, toldOf } from '../kit/failure.ts'
import type { LastReport, Seat } from './seat.ts'

/** How long a bot may be in each condition and still count as alive: after that nothing will come of its session. */
const ALIVE_MS = { starting: 60_000, well: Number.POSITIVE_INFINITY, broken: 6_000, leaving: 25_000 } as const
type Phase = keyof typeof ALIVE_MS

export type SittingTools = {
  readonly orders: BotOrders
  readonly report: (report: FromHost) => void
  readonly openSeat: (report: (report: FromHost) => void) => Promise<Seat>
  readonly onStartFailed: (message: string) => void
  /** On the machine's monotonic clock. */
  readonly holdUntilMs: number
  readonly nowMs: () => number
}

export class Sitting {
  /** Settles when the bot is out and everything about it is reported. */
  readonly done: Promise<void>
  holdUntilMs: number
  readonly #tools: SittingTools
  readonly #leave = new AbortController()
  #seat: Seat | null = null
  #phase: Phase = 'starting'
  #phaseSinceMs: number
  #lost: LossReason | null = null

  constructor(tools: SittingTools) {
    this.#tools = tools
    this.holdUntilMs = tools.holdUntilMs
    this.#phaseSinceMs = tools.nowMs()
    this.done = this.#sit()
  }

  get seat(): Seat | null {
    return this.#seat
  }

  leave(message: string): void {
    this.#leave.abort(message)
  }

  isAlive(): boolean {
    const phase = this.#seat?.condition() ?? 'starting'
    if (phase !== this.#phase) {
      this.#phase = phase
      this.#phaseSinceMs = this.#tools.nowMs()
    }
    return this.#tools.nowMs() - this.#phaseSinceMs < ALIVE_MS[phase]
  }

  /** The right to sit in this meeting may be lost: out at once. What the session still reports of its end is not true of the bot. */
  async drop(reason: LossReason): Promise<void> {
    if (this.#lost) return
    this.#lost = reason
    this.holdUntilMs = Number.POSITIVE_INFINITY
    this.#leave.abort(reason)
    await this.#seat?.drop()
  }

  /** The browser that it shared with others died. */
  blameNeighbour(): void {
    this.#lost ??= 'NeighbourCrashed'
  }

  async #sit(): Promise<void> {
    const { orders, report } = this.#tools
    const { botId, fence } = orders
    const unlessLost = (it: FromHost): void => {
      if (this.#lost === null || it.kind === 'failed' || it.kind === 'screenshot') report(it)
    }
    let last: LastReport
    try {
      this.#seat = await this.#tools.openSeat(unlessLost)
      last = await this.#seat.sit(this.#leave.signal)
    } catch (error) {
      this.#tools.onStartFailed(firstLine(error))
      const { message, code } = toldOf(error, { code: 'start_failed', message: 'The bot could not be started in its browser' })
      report({ kind: 'failed', botId, fence, step: 'start', message, code, pageText: null, screenshot: null, at: Date.now() })
      last = { kind: 'lost', botId, fence, reason: 'WorkerLost', at: Date.now() }
    }
    report(this.#lost ? { kind: 'lost', botId, fence, reason: this.#lost, at: Date.now() } : last)
  }
}
