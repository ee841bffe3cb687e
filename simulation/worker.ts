// A simulated worker: to the service it is a child process with a channel. Its bots join, stay, hang, crash and leave as the scenario says.
import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { LossReason } from '../src/domain/absences.ts'
import type { BotId } from '../src/domain/bot.ts'
import type { BotOrders, FromWorker, ToWorker } from '../src/domain/protocol.ts'
import type { Meetings, Sitting } from './meetings.ts'
import { between, type Random } from './random.ts'
import type { BotPlan } from './scenario.ts'
import { type Context, Process, type World } from './world.ts'

/** The protocol's times, as src/bot/worker/main.ts has them: the check of holds, the time to leave, the heartbeat. */
const CHECK_EVERY_MS = 250
const DROP_WITHIN_MS = 1_000
const LEAVE_WITHIN_MS = 4_500
const ALIVE_EVERY_MS = 1_000
const SLOW_LEAVE_MS = 8_000
const CHANNEL_MS = 1

export type WorkerTools = {
  readonly meetings: Meetings
  readonly planOf: (orders: BotOrders) => BotPlan
  /** False: the machine does not reach the meetings. */
  readonly reachesMeetings: () => boolean
  /** The service makes the bot leave because its row says so. */
  readonly onSentAway: (sitting: Sitting) => void
}

type MovedBy = Extract<FromWorker, { kind: 'moved' }>['by']

type Seated = Sitting & {
  isLeaving: boolean
  /** Its hold is over: all that it reports is that it is lost. */
  isDropped: boolean
  /** It hangs, and neither leaves nor sends heartbeats. */
  isSilent: boolean
}

export class SimulatedWorker extends EventEmitter {
  readonly process: Process
  readonly pid = undefined
  readonly stderr = null
  connected = true
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly #service: Process
  readonly #world: World
  readonly #tools: WorkerTools
  readonly #random: Random
  readonly #seats = new Map<BotId, Seated>()
  readonly #own: Context

  constructor(name: string, service: Process, tools: WorkerTools) {
    super()
    this.process = new Process(name, service.machine)
    this.#own = { process: this.process }
    this.#service = service
    this.#world = service.world
    this.#tools = tools
    this.#random = this.#world.randomOf('worker', name)
    this.#world.after(ALIVE_EVERY_MS, this.#own, () => this.#heartbeat())
  }

  asChildProcess(): ChildProcess {
    return this as unknown as ChildProcess
  }

  send(message: ToWorker): boolean {
    const { nowMs } = this.#world
    this.#world.after(CHANNEL_MS, this.#own, () => this.#receive(message, nowMs))
    return true
  }

  /** Also when the service is gone, and with it the channel. */
  disconnect(): void {
    this.connected = false
    this.#world.after(CHANNEL_MS, this.#own, () => this.#leaveAll())
  }

  kill(): boolean {
    this.#world.after(CHANNEL_MS, null, () => this.end('SIGKILL'))
    return true
  }

  end(signal: NodeJS.Signals | null): void {
    if (this.process.isDead) return
    this.process.isDead = true
    this.connected = false
    if (signal) this.signalCode = signal
    else this.exitCode = 0
    for (const seat of this.#seats.values()) this.#tools.meetings.leave(seat)
    this.#world.note(this.process.name, `ends ${signal ?? ''}`)
    this.#world.after(CHANNEL_MS, { process: this.#service }, () => void this.emit('exit', this.exitCode, signal))
  }

  #receive(message: ToWorker, orderedMs: number): void {
    if (message.kind === 'attend') this.#attend(message, orderedMs)
    if (message.kind === 'hold')
      for (const seat of message.bots.map((bot) => this.#seats.get(bot))) if (seat) seat.holdUntilMs = message.untilMs
    if (message.kind === 'leave') this.#leaveOnOrder(message.botId)
  }

  #attend({ orders, holdUntilMs }: Extract<ToWorker, { kind: 'attend' }>, orderedMs: number): void {
    const { botId, fence } = orders
    if (this.process.machine.monotonicMs() > holdUntilMs) {
      this.#report({ kind: 'lost', botId, fence, reason: 'Paused', at: this.#wallMs() })
      return
    }
    const state = { wasStopped: false, hasReported: false, isLeaving: false, isDropped: false, isSilent: false }
    const seat: Seated = { botId, fence, worker: this.process, node: this.#service, orderedMs, holdUntilMs, ...state }
    this.#seats.set(botId, seat)
    this.#world.note(this.process.name, `attends ${botId} with fence ${fence}`)
    this.#tools.meetings.enter(seat)
    this.#watchHold(seat)
    this.#join(seat, this.#tools.planOf(orders))
  }

  /** The hold is checked until the session has ended, also while the bot leaves for another reason. */
  #watchHold(seat: Seated): void {
    const leftMs = seat.holdUntilMs - this.process.machine.monotonicMs()
    this.#world.after(leftMs + between(this.#random, 1, CHECK_EVERY_MS), this.#own, () => {
      if (!this.#isSeated(seat)) return
      if (this.process.machine.monotonicMs() > seat.holdUntilMs) this.#drop(seat)
      else this.#watchHold(seat)
    })
  }

  /** A session that does not end in time ends with its worker. */
  #drop(seat: Seated): void {
    seat.isLeaving = true
    seat.isDropped = true
    const isSlow = this.#random() < 0.1
    this.#world.after(isSlow ? DROP_WITHIN_MS : between(this.#random, 10, DROP_WITHIN_MS), this.#own, () => {
      if (isSlow && this.#isSeated(seat)) this.end(null)
      else this.#end(seat, { reason: 'DatabaseUnreachable' })
    })
  }

  #join(seat: Seated, plan: BotPlan): void {
    this.#later(seat, plan.knockMs, () => {
      if (!this.#tools.reachesMeetings()) return this.#end(seat, { by: 'join_failed' })
      if (plan.fate === 'blocked') return this.#end(seat, { by: 'join_blocked' })
      this.#tools.meetings.ask(seat, seat.fence === 1 ? plan.joinAtMs : null)
      this.#moved(seat, 'join_requested')
      this.#later(seat, plan.admitMs, () => {
        if (plan.fate === 'refused') return this.#leave(seat, 'refused')
        this.#moved(seat, 'admitted')
        this.#report({ kind: 'recording', botId: seat.botId, fence: seat.fence, at: this.#wallMs() })
        this.#stay(seat, plan)
      })
    })
  }

  #stay(seat: Seated, plan: BotPlan): void {
    // Only the first session has the trouble: a bot that is sent again stays.
    if (seat.fence === 1) this.#later(seat, plan.troubleMs, () => this.#suffer(seat, plan.fate))
    this.#later(seat, Math.max(500, plan.endsAtMs - this.#world.nowMs), () =>
      this.#leave(seat, plan.fate === 'removed' ? 'removed' : 'left'),
    )
    this.#watchMeeting(seat)
  }

  #suffer(seat: Seated, fate: BotPlan['fate']): void {
    if (fate === 'hangs') seat.isSilent = true
    else if (fate === 'crashes') this.end('SIGKILL')
    else if (fate === 'removed') this.#leave(seat, 'removed')
    else if (fate === 'freezes') this.#freeze(seat)
  }

  #watchMeeting(seat: Seated): void {
    this.#later(seat, between(this.#random, 2_000, 5_000), () => {
      if (this.#tools.reachesMeetings()) this.#watchMeeting(seat)
      else this.#freeze(seat)
    })
  }

  #leaveOnOrder(bot: BotId): void {
    const seat = this.#seats.get(bot)
    if (!seat || seat.isLeaving) return
    this.#tools.onSentAway(seat)
    this.#leave(seat, 'left')
  }

  #leave(seat: Seated, by: 'left' | 'removed' | 'refused'): void {
    if (seat.isSilent) return
    this.#moved(seat, 'leaving')
    seat.isLeaving = true
    const isSlow = this.#random() < 0.1
    this.#world.after(between(this.#random, 50, isSlow ? SLOW_LEAVE_MS : 1_000), this.#own, () => this.#end(seat, { by }))
  }

  #freeze(seat: Seated): void {
    if (seat.isSilent) return
    seat.isLeaving = true
    this.#world.after(100, this.#own, () => this.#end(seat, { reason: 'PageFrozen' }))
  }

  /** The session is over. If its hold ended before it, it is lost, whatever happened since. */
  #end(seat: Seated, end: { readonly by: MovedBy } | { readonly reason: LossReason }): void {
    const { botId, fence, isDropped } = seat
    if (!this.#isSeated(seat)) return
    this.#seats.delete(botId)
    this.#tools.meetings.leave(seat)
    seat.hasReported = true
    const reason = isDropped ? 'DatabaseUnreachable' : 'reason' in end && end.reason
    if (!reason && 'by' in end) this.#moved(seat, end.by)
    this.#report(reason ? { kind: 'lost', botId, fence, reason, at: this.#wallMs() } : { kind: 'finished', botId, fence })
  }

  #leaveAll(): void {
    for (const seat of this.#seats.values()) seat.isLeaving = true
    this.#world.after(between(this.#random, 100, LEAVE_WITHIN_MS), this.#own, () => this.end(null))
  }

  #moved({ botId, fence }: Sitting, by: MovedBy): void {
    this.#world.note(this.process.name, `${botId} ${by}`)
    const reason = by === 'join_failed' ? { reason: 'InternalError' as const } : {}
    this.#report({ kind: 'moved', botId, fence, by, at: this.#wallMs(), ...reason })
  }

  #report(message: FromWorker): void {
    if (!this.connected) return
    const fence = 'fence' in message ? { fence: message.fence } : {}
    this.#world.after(CHANNEL_MS, { process: this.#service, ...fence }, () => void this.emit('message', message))
  }

  #heartbeat(): void {
    this.#world.after(ALIVE_EVERY_MS, this.#own, () => this.#heartbeat())
    if (this.#seats.size === 0) return
    const bots = [...this.#seats.values()].filter((it) => !it.isSilent).map(({ botId }) => botId)
    this.#report({ kind: 'alive', bots, isStarved: false })
  }

  #isSeated(seat: Seated): boolean {
    return this.#seats.get(seat.botId) === seat
  }

  /** Unless the bot has left or leaves by then. */
  #later(seat: Seated, delayMs: number, run: () => void): void {
    this.#world.after(delayMs, this.#own, () => {
      if (this.#isSeated(seat) && !seat.isLeaving) run()
    })
  }

  #wallMs(): number {
    return this.#world.wallClock(this.process.machine.skewMs).getTime()
  }
}
