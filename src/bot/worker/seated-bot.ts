// One bot in its worker: whether it is alive, and until when it may stay without a renewal of its claim.
import type { LossReason } from '../../domain/absences.ts'
import type { BotOrders, FromWorker } from '../../domain/protocol.ts'
import { firstLine, publicErrorOf } from '../../kit/failure.ts'
import type { LastReport, Seat } from './seat.ts'

/** How long a bot counts as alive in each condition. After that its session is lost. */
const ALIVE_MS = { starting: 60_000, well: Number.POSITIVE_INFINITY, broken: 6_000, leaving: 25_000 } as const
type Phase = keyof typeof ALIVE_MS

export type SeatedBotTools = {
  readonly orders: BotOrders
  readonly report: (report: FromWorker) => void
  readonly openSeat: (report: (report: FromWorker) => void) => Promise<Seat>
  readonly onStartFailed: (message: string) => void
  /** On the machine's monotonic clock. */
  readonly holdUntilMs: number
  readonly nowMs: () => number
}

export class SeatedBot {
  /** Resolves when the bot is out and everything about it is reported. */
  readonly done: Promise<void>
  holdUntilMs: number
  readonly #tools: SeatedBotTools
  readonly #leave = new AbortController()
  #seat: Seat | null = null
  #phase: Phase = 'starting'
  #phaseSinceMs: number
  #lost: LossReason | null = null

  constructor(tools: SeatedBotTools) {
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

  /** Leaves at once, because another node may claim the bot. Resolves when it is out. Later reports of this session are dropped. */
  async drop(reason: LossReason): Promise<void> {
    if (this.#lost) return
    this.#lost = reason
    this.holdUntilMs = Number.POSITIVE_INFINITY
    this.#leave.abort(reason)
    await (this.#seat ? this.#seat.drop() : this.done)
  }

  /** The browser died, and several bots shared it. */
  blameNeighbour(): void {
    this.#lost ??= 'NeighbourCrashed'
  }

  async #sit(): Promise<void> {
    const { orders, report } = this.#tools
    const { botId, fence } = orders
    // This process was paused before it read the order. Another node may have sent the bot meanwhile.
    if (this.#tools.nowMs() > this.holdUntilMs) return report({ kind: 'lost', botId, fence, reason: 'Paused', at: Date.now() })
    const unlessLost = (it: FromWorker): void => {
      if (this.#lost === null || it.kind === 'failed' || it.kind === 'screenshot') report(it)
    }
    let last: LastReport
    try {
      this.#seat = await this.#tools.openSeat(unlessLost)
      last = await this.#seat.sit(this.#leave.signal)
    } catch (error) {
      this.#tools.onStartFailed(firstLine(error))
      const { message, code } = publicErrorOf(error, { code: 'start_failed', message: 'The bot could not be started in its browser' })
      report({ kind: 'failed', botId, fence, step: 'start', message, code, pageText: null, screenshot: null, at: Date.now() })
      last = { kind: 'lost', botId, fence, reason: 'WorkerLost', at: Date.now() }
    }
    report(this.#lost ? { kind: 'lost', botId, fence, reason: this.#lost, at: Date.now() } : last)
  }
}
