// The workers of this node: child processes with a few seats each. A worker that dies or falls silent is lost.
import type { LossReason } from '../../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { MeetingCommand } from '../../../domain/meeting.ts'
import type { BotOrders, CommandProblem, FromWorker, Glance, WorkerLog } from '../../../domain/protocol.ts'
import type { Logger } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import { type Claim, FREED_WITHIN_SECONDS, type FreeSeats } from '../../db/fleet/claims.ts'
import type { WorkerEvent } from './keeper.ts'
import type { WorkerProcess } from './keeper-client.ts'
import { chooseSeat, freeSeats, missingWarmWorkers, type SeatingOptions } from './seating.ts'
import { Starvation } from './starvation.ts'
import { claimsOf, countJoins, endOf, kill, lossOf, newWorker, noteAlive, noteMove, seatBot, silentBots, type Worker } from './worker.ts'
import { WorkerLogger } from './worker-log.ts'
import { WorkerRequests } from './worker-requests.ts'
import type { WorkerSandbox, WorkerSandboxes } from './worker-sandbox.ts'

/** A starting browser takes CPU from a joining bot, so it waits until the bot records, or for this long. */
const WARM_AFTER_MS = 5_000
/** How long a browser without a bot is kept for its workspace. */
const KEEP_IDLE_MS = 60_000

export type WorkerOptions = SeatingOptions & {
  readonly sandboxes: WorkerSandboxes
  readonly startProcess: (sandbox: WorkerSandbox) => WorkerProcess
  readonly log: Logger
  readonly onReport: (report: Report) => void
  /** The bot lost its session without a report of its worker. */
  readonly onLost: (bot: Claim, reason: LossReason) => void
}

/** A report of a worker about one bot. */
export type Report = Exclude<FromWorker, { kind: 'performed' | 'glanced' | 'alive' }>

export class Workers {
  readonly #options: WorkerOptions
  readonly #workers = new Set<Worker>()
  /** Workers that have served a workspace and are exiting. */
  readonly #retired = new Set<Worker>()
  readonly #requests = new WorkerRequests()
  /** When seats became free, on the monotonic clock. */
  #freedMs: number[] = []
  #warming: NodeJS.Timeout | undefined
  readonly #starvation: Starvation
  #stopping = false

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#starvation = new Starvation(options.log)
    this.#keepWarm()
  }

  freeSeats(): FreeSeats {
    return freeSeats([...this.#workers], this.#options)
  }

  /** For the node's row: all seats, free ones, and those that became free in the last ten minutes. */
  seats(): { readonly seats: number; readonly freeSeats: number; readonly freedSeats: number } {
    const { mostWorkers, seatsPerWorker } = this.#options
    const since = monotonicMs() - FREED_WITHIN_SECONDS * 1000
    this.#freedMs = this.#freedMs.filter((at) => at > since)
    const seats = mostWorkers * seatsPerWorker
    return { seats, freeSeats: seats - this.bots().length, freedSeats: this.#freedMs.length }
  }

  /** True while the bots here have too little CPU. */
  isStarved(): boolean {
    return this.#starvation.isRecent()
  }

  /** The claims of the bots that sit here. */
  bots(): readonly Claim[] {
    return [...this.#workers].flatMap(claimsOf)
  }

  pids(): readonly number[] {
    return [...this.#workers].flatMap(({ process }) => process.pid ?? [])
  }

  /** The bots that have had a seat for at least this long. */
  countSettled(afterMs: number): number {
    const before = monotonicMs() - afterMs
    return [...this.#workers].reduce((sum, { bots }) => sum + [...bots.values()].filter(({ sinceMs }) => sinceMs <= before).length, 0)
  }

  /** The bots that take the CPU of a join. */
  countJoins(): number {
    return [...this.#workers].reduce((sum, worker) => sum + countJoins(worker), 0)
  }

  /** `fence`: only under this claim. */
  has(botId: BotId, fence?: number): boolean {
    const seat = this.#workerOf(botId)?.bots.get(botId)
    return seat !== undefined && seat.fence === (fence ?? seat.fence)
  }

  /** Throws if no seat is free for the workspace, if the claim may have lapsed, or if an earlier session of the bot has not ended here. */
  place(orders: BotOrders, workspace: WorkspaceId, holdUntilMs: number): void {
    if (holdUntilMs <= monotonicMs()) throw new Error('The claim lapsed before the bot was seated')
    // After a pause of this machine, a lapsed bot may be claimed here again while its worker still leaves the meeting.
    if (this.has(orders.botId)) throw new Error('An earlier session of the bot has not ended yet')
    const worker = this.#seatFor(workspace)
    worker.sandbox.changeOwner(orders.folder)
    seatBot(worker, orders, workspace)
    worker.process.send({ kind: 'attend', orders, holdUntilMs })
    clearTimeout(this.#warming)
    this.#warming = setTimeout(() => this.#keepWarm(), WARM_AFTER_MS).unref()
  }

  /** Called once a second: kills a worker with a silent bot. */
  tick(): void {
    for (const worker of this.#workers) {
      const silent = silentBots(worker)
      if (silent.length > 0) kill(worker, silent)
      if (worker.silence.isStarved) this.#starvation.observe()
    }
  }

  /** Makes the bot leave. False: it has not left in time. */
  async leave(botId: BotId, message: string, withinMs: number): Promise<boolean> {
    const worker = this.#workerOf(botId)
    const seat = worker?.bots.get(botId)
    if (!worker || !seat) return false
    return new Promise((resolve) => {
      seat.onGone.push(resolve)
      setTimeout(() => resolve(false), withinMs).unref()
      worker.process.send({ kind: 'leave', botId, message })
    })
  }

  /** Another session of the bot is about to join beside the one here. */
  expect(botId: BotId): void {
    this.#workerOf(botId)?.process.send({ kind: 'expect', botId })
  }

  /** Null: the bot has executed the command, now or before under the same id. */
  perform(botId: BotId, commandId: string, command: MeetingCommand): Promise<CommandProblem | null> {
    const worker = this.#workerOf(botId)
    const send = (requestId: string) => worker?.process.send({ kind: 'perform', botId, requestId, commandId, command })
    return this.#requests.perform(`${botId} ${commandId}`, worker ? send : null)
  }

  /** Null: the bot is not here, or does not answer. */
  async glance(botId: BotId): Promise<Glance | null> {
    const worker = this.#workerOf(botId)
    const request = (requestId: string) => worker?.process.send({ kind: 'glance', botId, requestId })
    return worker ? ((await this.#requests.send('glanced', request))?.glance ?? null) : null
  }

  /** Kills the worker of a bot that hangs. The other bots of the worker are sent again. */
  evict(botId: BotId): void {
    const worker = this.#workerOf(botId)
    if (!worker) return
    this.#free(worker, botId, false)
    kill(worker, [botId])
  }

  /** Makes every bot leave. Resolves with the unfinished bots once none of their sessions is left. */
  async stop(): Promise<readonly Claim[]> {
    this.#stopping = true
    clearTimeout(this.#warming)
    const bots = this.bots()
    await Promise.all([...this.#workers, ...this.#retired].map(endOf))
    return bots
  }

  #seatFor(workspace: WorkspaceId): Worker {
    const choice = chooseSeat([...this.#workers], workspace, this.#options)
    if (choice.kind === 'full') throw new Error('No worker has a free seat for this workspace')
    if (choice.kind === 'sit') return choice.worker
    if (choice.kind === 'replace') this.#retire(choice.idle)
    return this.#start()
  }

  #keepWarm(): void {
    if (this.#stopping) return
    for (let missing = missingWarmWorkers([...this.#workers], this.#options); missing > 0; missing--) this.#start()
  }

  #start(): Worker {
    const { sandboxes, startProcess, log } = this.#options
    const sandbox = sandboxes.take()
    const process = startProcess(sandbox)
    const worker = newWorker(process, sandbox)
    const workerLog = new WorkerLogger(log, () => process.pid)
    process.onEvent((event) => this.#onEvent(worker, event, workerLog))
    this.#workers.add(worker)
    return worker
  }

  #onEvent(worker: Worker, event: WorkerEvent, log: WorkerLogger): void {
    if (event.kind === 'exited') this.#lose(worker)
    else if (event.kind === 'message') this.#receive(worker, event.message, log)
    else log.onEvent(event)
  }

  #receive(worker: Worker, message: FromWorker | WorkerLog, log: WorkerLogger): void {
    if (message.kind === 'log') log.write(message)
    else if (!this.#workers.has(worker)) return
    else if (message.kind === 'alive') {
      noteAlive(worker, message.bots)
      if (message.isStarved) this.#starvation.observe()
    } else if (message.kind === 'performed' || message.kind === 'glanced') this.#requests.receive(message)
    else this.#handleReport(worker, message)
  }

  #handleReport(worker: Worker, report: Report): void {
    this.#options.onReport(report)
    if (report.kind === 'moved') noteMove(worker, report.botId, report.by)
    if (report.kind === 'recording') this.#keepWarm()
    if (report.kind !== 'finished' && report.kind !== 'lost') return
    this.#free(worker, report.botId, report.kind === 'finished')
    if (worker.bots.size === 0 && !this.#options.shareBrowsers) this.#retireWhenIdle(worker)
  }

  /** Keeps the browser open for the next bot of the workspace. It serves no other workspace, so a new one replaces it after a while. */
  #retireWhenIdle(worker: Worker): void {
    const retire = (): void => {
      if (!this.#workers.has(worker) || worker.bots.size > 0) return
      this.#retire(worker)
      this.#keepWarm()
    }
    if (this.#options.warmWorkers === 0) retire()
    else setTimeout(retire, KEEP_IDLE_MS).unref()
  }

  #retire(worker: Worker): void {
    this.#workers.delete(worker)
    this.#retired.add(worker)
    void endOf(worker)
  }

  #lose(worker: Worker): void {
    for (const workers of [this.#workers, this.#retired]) workers.delete(worker)
    void worker.sandbox.leave()
    const bots = claimsOf(worker)
    for (const { botId } of bots) this.#free(worker, botId, false)
    if (this.#stopping) return
    for (const bot of bots) this.#options.onLost(bot, lossOf(worker, bot.botId, bots.length))
  }

  #free(worker: Worker, botId: BotId, left: boolean): void {
    for (const notify of worker.bots.get(botId)?.onGone ?? []) notify(left)
    if (worker.bots.delete(botId)) this.#freedMs.push(monotonicMs())
  }

  #workerOf(botId: BotId): Worker | undefined {
    return [...this.#workers].find(({ bots }) => bots.has(botId))
  }
}
