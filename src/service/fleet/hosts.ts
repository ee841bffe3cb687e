// The bot hosts of this node: child processes with a few seats each. A host that dies or falls silent is lost.
import type { LossReason } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { MeetingCommand } from '../../domain/meeting.ts'
import type { BotOrders, CommandProblem, FromHost, Glance, HostLog } from '../../domain/protocol.ts'
import type { Logger } from '../../kit/log.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import { type Claim, FREED_WITHIN_SECONDS, type FreeSeats } from '../db/claims.ts'
import { claimsOf, endOf, type Host, kill, lossOf, newHost, noteAlive, silentBots } from './host.ts'
import { HostLogger } from './host-log.ts'
import { HostRequests } from './host-requests.ts'
import type { HostSandbox, HostSandboxes } from './host-sandbox.ts'
import type { HostEvent } from './keeper.ts'
import type { HostProcess } from './keeper-client.ts'
import { chooseSeat, freeSeats, missingWarmHosts, type SeatingOptions } from './seating.ts'
import { Starvation } from './starvation.ts'

/** A starting browser takes CPU from a joining bot, so it waits until the bot records, or for this long. */
const WARM_AFTER_MS = 5_000
/** How long a browser without a bot is kept for its workspace. */
const KEEP_IDLE_MS = 60_000

export type HostOptions = SeatingOptions & {
  readonly sandboxes: HostSandboxes
  readonly startProcess: (sandbox: HostSandbox) => HostProcess
  readonly log: Logger
  readonly onReport: (report: Report) => void
  /** The bot lost its session without a report of its host. */
  readonly onLost: (bot: Claim, reason: LossReason) => void
}

/** A report of a host about one bot. */
export type Report = Exclude<FromHost, { kind: 'performed' | 'glanced' | 'alive' }>

export class Hosts {
  readonly #options: HostOptions
  readonly #hosts = new Set<Host>()
  /** Hosts that have served a workspace and are exiting. */
  readonly #retired = new Set<Host>()
  readonly #requests = new HostRequests()
  /** When seats became free, on the monotonic clock. */
  #freedMs: number[] = []
  #warming: NodeJS.Timeout | undefined
  readonly #starvation: Starvation
  #stopping = false

  constructor(options: HostOptions) {
    this.#options = options
    this.#starvation = new Starvation(options.log)
    this.#keepWarm()
  }

  freeSeats(): FreeSeats {
    return freeSeats([...this.#hosts], this.#options)
  }

  /** For the node's row: all seats, free ones, and those that became free in the last ten minutes. */
  seats(): { readonly seats: number; readonly freeSeats: number; readonly freedSeats: number } {
    const { mostHosts, seatsPerHost } = this.#options
    const since = monotonicMs() - FREED_WITHIN_SECONDS * 1000
    this.#freedMs = this.#freedMs.filter((at) => at > since)
    const seats = mostHosts * seatsPerHost
    return { seats, freeSeats: seats - this.bots().length, freedSeats: this.#freedMs.length }
  }

  /** True while the bots here have too little CPU. */
  isStarved(): boolean {
    return this.#starvation.isRecent()
  }

  /** The claims of the bots that sit here. */
  bots(): readonly Claim[] {
    return [...this.#hosts].flatMap(claimsOf)
  }

  pids(): readonly number[] {
    return [...this.#hosts].flatMap(({ process }) => process.pid ?? [])
  }

  /** The bots that have had a seat for at least this long. */
  countSettled(afterMs: number): number {
    const before = monotonicMs() - afterMs
    return [...this.#hosts].reduce((sum, { bots }) => sum + [...bots.values()].filter(({ sinceMs }) => sinceMs <= before).length, 0)
  }

  /** `fence`: only under this claim. */
  has(botId: BotId, fence?: number): boolean {
    const seat = this.#hostOf(botId)?.bots.get(botId)
    return seat !== undefined && seat.fence === (fence ?? seat.fence)
  }

  /** Throws if no seat is free for the workspace, if the claim may have lapsed, or if an earlier session of the bot has not ended here. */
  place(orders: BotOrders, workspace: WorkspaceId, holdUntilMs: number): void {
    if (holdUntilMs <= monotonicMs()) throw new Error('The claim lapsed before the bot was seated')
    // After a pause of this machine, a lapsed bot may be claimed here again while its host still leaves the meeting.
    if (this.has(orders.botId)) throw new Error('An earlier session of the bot has not ended yet')
    const host = this.#seatFor(workspace)
    host.sandbox.changeOwner(orders.folder)
    host.workspace = workspace
    host.bots.set(orders.botId, { fence: orders.fence, sinceMs: monotonicMs(), silentTicks: 0, missedBeats: 0, onGone: [] })
    host.process.send({ kind: 'attend', orders, holdUntilMs })
    clearTimeout(this.#warming)
    this.#warming = setTimeout(() => this.#keepWarm(), WARM_AFTER_MS).unref()
  }

  /** Called once a second: kills a host with a silent bot. */
  tick(): void {
    for (const host of this.#hosts) {
      const silent = silentBots(host)
      if (silent.length > 0) kill(host, silent)
      if (host.silence.isStarved) this.#starvation.note()
    }
  }

  /** Makes the bot leave. False: it has not left in time. */
  async leave(botId: BotId, message: string, withinMs: number): Promise<boolean> {
    const host = this.#hostOf(botId)
    const seat = host?.bots.get(botId)
    if (!host || !seat) return false
    return new Promise((resolve) => {
      seat.onGone.push(resolve)
      setTimeout(() => resolve(false), withinMs).unref()
      host.process.send({ kind: 'leave', botId, message })
    })
  }

  /** Null: the bot has executed the command, now or before under the same id. */
  perform(botId: BotId, commandId: string, command: MeetingCommand): Promise<CommandProblem | null> {
    const host = this.#hostOf(botId)
    const send = (requestId: string) => host?.process.send({ kind: 'perform', botId, requestId, commandId, command })
    return this.#requests.perform(`${botId} ${commandId}`, host ? send : null)
  }

  /** Null: the bot is not here, or does not answer. */
  async glance(botId: BotId): Promise<Glance | null> {
    const host = this.#hostOf(botId)
    const request = (requestId: string) => host?.process.send({ kind: 'glance', botId, requestId })
    return host ? ((await this.#requests.send('glanced', request))?.glance ?? null) : null
  }

  /** Kills the host of a bot that hangs. The other bots of the host are sent again. */
  evict(botId: BotId): void {
    const host = this.#hostOf(botId)
    if (!host) return
    this.#free(host, botId, false)
    kill(host, [botId])
  }

  /** Makes every bot leave. Resolves with the unfinished bots once none of their sessions is left. */
  async stop(): Promise<readonly Claim[]> {
    this.#stopping = true
    clearTimeout(this.#warming)
    const bots = this.bots()
    await Promise.all([...this.#hosts, ...this.#retired].map(endOf))
    return bots
  }

  #seatFor(workspace: WorkspaceId): Host {
    const choice = chooseSeat([...this.#hosts], workspace, this.#options)
    if (choice.kind === 'full') throw new Error('No bot host has a free seat for this workspace')
    if (choice.kind === 'sit') return choice.host
    if (choice.kind === 'replace') this.#retire(choice.idle)
    return this.#start()
  }

  #keepWarm(): void {
    if (this.#stopping) return
    const missing = missingWarmHosts([...this.#hosts], this.#options)
    for (let count = 0; count < missing; count++) this.#start()
  }

  #start(): Host {
    const { sandboxes, startProcess, log } = this.#options
    const sandbox = sandboxes.take()
    const process = startProcess(sandbox)
    const host = newHost(process, sandbox)
    const hostLog = new HostLogger(log, () => process.pid)
    process.onEvent((event) => this.#onEvent(host, event, hostLog))
    this.#hosts.add(host)
    return host
  }

  #onEvent(host: Host, event: HostEvent, log: HostLogger): void {
    if (event.kind === 'exited') this.#lose(host)
    else if (event.kind === 'message') this.#receive(host, event.message, log)
    else log.onEvent(event)
  }

  #receive(host: Host, message: FromHost | HostLog, log: HostLogger): void {
    if (message.kind === 'log') log.write(message)
    else if (!this.#hosts.has(host)) return
    else if (message.kind === 'alive') {
      noteAlive(host, message.bots)
      if (message.isStarved) this.#starvation.note()
    } else if (message.kind === 'performed' || message.kind === 'glanced') this.#requests.receive(message)
    else this.#handleReport(host, message)
  }

  #handleReport(host: Host, report: Report): void {
    this.#options.onReport(report)
    if (report.kind === 'recording') this.#keepWarm()
    if (report.kind !== 'finished' && report.kind !== 'lost') return
    this.#free(host, report.botId, report.kind === 'finished')
    if (host.bots.size === 0 && !this.#options.shareBrowsers) this.#retireWhenIdle(host)
  }

  /** Keeps the browser open for the next bot of the workspace. It serves no other workspace, so a new one replaces it after a while. */
  #retireWhenIdle(host: Host): void {
    const retire = (): void => {
      if (!this.#hosts.has(host) || host.bots.size > 0) return
      this.#retire(host)
      this.#keepWarm()
    }
    if (this.#options.warmHosts === 0) retire()
    else setTimeout(retire, KEEP_IDLE_MS).unref()
  }

  #retire(host: Host): void {
    this.#hosts.delete(host)
    this.#retired.add(host)
    void endOf(host)
  }

  #lose(host: Host): void {
    this.#hosts.delete(host)
    this.#retired.delete(host)
    void host.sandbox.leave()
    const bots = claimsOf(host)
    for (const { botId } of bots) this.#free(host, botId, false)
    if (this.#stopping) return
    for (const bot of bots) this.#options.onLost(bot, lossOf(host, bot.botId, bots.length))
  }

  #free(host: Host, botId: BotId, left: boolean): void {
    for (const notify of host.bots.get(botId)?.onGone ?? []) notify(left)
    if (host.bots.delete(botId)) this.#freedMs.push(monotonicMs())
  }

  #hostOf(botId: BotId): Host | undefined {
    return [...this.#hosts].find(({ bots }) => bots.has(botId))
  }
}
