// The bot hosts of this node: child processes with a few seats each. Orders go in, reports come out, a host that dies or falls silent is lost.
import type { LossReason } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { MeetingCommand } from '../../domain/meeting.ts'
import { type BotOrders, type CommandProblem, type FromHost, type Glance, type HostLog, unreachable } from '../../domain/protocol.ts'
import type { Logger } from '../../kit/log.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import { type Claim, FREED_WITHIN_SECONDS, type FreeSeats } from '../db/claims.ts'
import { claimsOf, endOf, type Host, isIdle, kill, lossOf, newHost, noteAlive, send, silentBots } from './host.ts'
import { HostLogger } from './host-log.ts'
import { type HostProcessOptions, startHostProcess } from './host-process.ts'
import type { Quarters } from './host-quarters.ts'
import { HostQuestions } from './host-questions.ts'

const PERFORM_WITHIN_MS = 5_000
const GLANCE_WITHIN_MS = 1_000
/** A browser that starts takes the processor from a bot that joins: it waits until the bot records, or for this long. */
const WARM_AFTER_MS = 5_000
/** How long a browser without a bot is kept for its workspace. */
const RESTS_MS = 60_000

export type HostOptions = Omit<HostProcessOptions, 'quarter'> & {
  readonly seatsPerHost: number
  readonly mostHosts: number
  /** Hosts with a free seat that wait for bots with their browser open. */
  readonly warmHosts: number
  /** Bots of different workspaces may sit in one browser. */
  readonly shareBrowsers: boolean
  readonly quarters: Quarters
  readonly log: Logger
  readonly onReport: (report: Report) => void
  /** The bot lost its session without a report of its host. */
  readonly onLost: (bot: Claim, reason: LossReason) => void
}

/** What a host says of one bot. */
export type Report = Exclude<FromHost, { kind: 'performed' | 'glanced' | 'alive' }>

export class Hosts {
  readonly #options: HostOptions
  readonly #hosts = new Set<Host>()
  /** Hosts that have served a workspace and are ending. */
  readonly #retired = new Set<Host>()
  readonly #questions = new HostQuestions()
  /** When seats became free, on the monotonic clock. */
  #freedMs: number[] = []
  #warming: NodeJS.Timeout | undefined
  #stopping = false

  constructor(options: HostOptions) {
    this.#options = options
    this.#keepWarm()
  }

  freeSeats(): FreeSeats {
    const { mostHosts, seatsPerHost, shareBrowsers } = this.#options
    const seated = [...this.#hosts]
    // Where browsers are shared, every seat takes a bot of any workspace.
    if (shareBrowsers) return { open: Math.max(0, mostHosts * seatsPerHost - this.bots().length), seatsPerBrowser: 1, own: new Map() }
    const own = new Map<WorkspaceId, number>()
    for (const { workspace, bots } of seated.filter((it) => this.#hasSeat(it)))
      if (workspace && bots.size > 0) own.set(workspace, (own.get(workspace) ?? 0) + seatsPerHost - bots.size)
    // One that is idle is replaced where another workspace needs its place.
    return { open: Math.max(0, mostHosts - seated.length) + seated.filter(isIdle).length, seatsPerBrowser: seatsPerHost, own }
  }

  /** For the node's row: seats in all, free ones, and those that became free in the last ten minutes. */
  seats(): { readonly seats: number; readonly freeSeats: number; readonly freedSeats: number } {
    const { mostHosts, seatsPerHost } = this.#options
    const since = monotonicMs() - FREED_WITHIN_SECONDS * 1000
    this.#freedMs = this.#freedMs.filter((at) => at > since)
    const seats = mostHosts * seatsPerHost
    return { seats, freeSeats: seats - this.bots().length, freedSeats: this.#freedMs.length }
  }

  /** The bots that sit here now, and under which claim. */
  bots(): readonly Claim[] {
    return [...this.#hosts].flatMap(claimsOf)
  }

  has(botId: BotId): boolean {
    return this.#hostOf(botId) !== undefined
  }

  /** Throws when no seat is free for the workspace, or the claim may have lapsed meanwhile. */
  place(orders: BotOrders, workspace: WorkspaceId, holdUntilMs: number): void {
    if (holdUntilMs <= monotonicMs()) throw new Error('The claim lapsed before the bot was seated')
    const host = this.#seatFor(workspace)
    host.quarter.handOver(orders.folder)
    host.workspace = workspace
    host.bots.set(orders.botId, { fence: orders.fence, silentTicks: 0, missedSigns: 0, onGone: [] })
    send(host, { kind: 'attend', orders, holdUntilMs })
    clearTimeout(this.#warming)
    this.#warming = setTimeout(() => this.#keepWarm(), WARM_AFTER_MS).unref()
  }

  /** The claims on these bots were renewed: their hosts may stay in the meetings until then. */
  hold(bots: ReadonlySet<BotId>, untilMs: number): void {
    for (const host of this.#hosts) {
      const held = [...host.bots.keys()].filter((it) => bots.has(it))
      if (held.length > 0) send(host, { kind: 'hold', bots: held, untilMs })
    }
  }

  /** Called once a second: a host in which a bot has given no sign of life is ended. */
  tick(): void {
    for (const host of this.#hosts) {
      const silent = silentBots(host)
      if (silent.length > 0) kill(host, silent)
    }
  }

  /** Asks the bot to leave, and says whether it has left in time. */
  async leave(botId: BotId, message: string, withinMs: number): Promise<boolean> {
    const host = this.#hostOf(botId)
    const seat = host?.bots.get(botId)
    if (!host || !seat) return false
    return new Promise((resolve) => {
      seat.onGone.push(resolve)
      setTimeout(() => resolve(false), withinMs).unref()
      send(host, { kind: 'leave', botId, message })
    })
  }

  /** Null when the bot has done it. */
  async perform(botId: BotId, command: MeetingCommand): Promise<CommandProblem | null> {
    const host = this.#hostOf(botId)
    if (!host) return unreachable('The bot is on no host of this node')
    const ask = (requestId: string) => send(host, { kind: 'perform', botId, requestId, command })
    const answer = await this.#questions.ask('performed', ask, PERFORM_WITHIN_MS)
    return answer ? answer.problem : unreachable('The bot did not confirm in time')
  }

  /** Null where the bot is not here, or does not answer. */
  async glance(botId: BotId): Promise<Glance | null> {
    const host = this.#hostOf(botId)
    const ask = (requestId: string) => host && send(host, { kind: 'glance', botId, requestId })
    return host ? ((await this.#questions.ask('glanced', ask, GLANCE_WITHIN_MS))?.glance ?? null) : null
  }

  /** Ends the host of a bot that hangs. Its neighbours are sent again. */
  evict(botId: BotId): void {
    const host = this.#hostOf(botId)
    if (!host) return
    this.#free(host, botId, false)
    kill(host, [botId])
  }

  /** Every bot leaves its meeting. Resolves with the bots that were not done, once no session of theirs is left. */
  async stop(): Promise<readonly Claim[]> {
    this.#stopping = true
    clearTimeout(this.#warming)
    const bots = this.bots()
    await Promise.all([...this.#hosts, ...this.#retired].map(endOf))
    return bots
  }

  #seatFor(workspace: WorkspaceId): Host {
    const { mostHosts, shareBrowsers } = this.#options
    const open = [...this.#hosts].filter((it) => this.#hasSeat(it) && (shareBrowsers || (it.workspace ?? workspace) === workspace))
    const host = open.find((it) => it.workspace === workspace) ?? open[0]
    if (host) return host
    const idle = [...this.#hosts].find(isIdle)
    if (this.#hosts.size >= mostHosts && idle) this.#retire(idle)
    if (this.#hosts.size >= mostHosts) throw new Error('No bot host has a free seat for this workspace')
    return this.#start()
  }

  #hasSeat({ bots, endedFor }: Host): boolean {
    return endedFor === null && bots.size < this.#options.seatsPerHost
  }

  #keepWarm(): void {
    if (this.#stopping) return
    const { mostHosts, warmHosts, shareBrowsers } = this.#options
    const waiting = [...this.#hosts].filter((it) => this.#hasSeat(it) && (shareBrowsers || isIdle(it))).length
    const missing = Math.min(warmHosts - waiting, mostHosts - this.#hosts.size)
    for (let count = 0; count < missing; count++) this.#start()
  }

  #start(): Host {
    const { browserMode, chromium, chromiumFlags, quarters, log } = this.#options
    const quarter = quarters.take()
    const child = startHostProcess({ browserMode, chromium, chromiumFlags, quarter })
    const host = newHost(child, quarter)
    const hostLog = new HostLogger(log, child.pid)
    child.stderr?.on('data', hostLog.onStderr)
    child.on('message', (message: FromHost | HostLog) => (message.kind === 'log' ? hostLog.write(message) : this.#receive(host, message)))
    child.once('exit', () => this.#lose(host))
    child.on('error', (error) => {
      hostLog.write({ level: 'error', botId: null, message: 'a bot host has a problem', detail: error.message })
      // A process that was never started does not end either.
      if (child.pid === undefined) this.#lose(host)
    })
    this.#hosts.add(host)
    return host
  }

  #receive(host: Host, message: FromHost): void {
    if (!this.#hosts.has(host)) return
    if (message.kind === 'alive') noteAlive(host, message.bots)
    else if (message.kind === 'performed' || message.kind === 'glanced') this.#questions.receive(message)
    else this.#pass(host, message)
  }

  #pass(host: Host, report: Report): void {
    this.#options.onReport(report)
    if (report.kind === 'recording') this.#keepWarm()
    if (report.kind !== 'finished' && report.kind !== 'lost') return
    this.#free(host, report.botId, report.kind === 'finished')
    if (host.bots.size === 0 && !this.#options.shareBrowsers) this.#rest(host)
  }

  /** The next bot of the workspace finds the browser open. It serves no other workspace, so it is replaced by a new one after a while. */
  #rest(host: Host): void {
    const retire = (): void => {
      if (!this.#hosts.has(host) || host.bots.size > 0) return
      this.#retire(host)
      this.#keepWarm()
    }
    if (this.#options.warmHosts === 0) retire()
    else setTimeout(retire, RESTS_MS).unref()
  }

  #retire(host: Host): void {
    this.#hosts.delete(host)
    this.#retired.add(host)
    void endOf(host)
  }

  #lose(host: Host): void {
    this.#hosts.delete(host)
    this.#retired.delete(host)
    void host.quarter.leave()
    const bots = claimsOf(host)
    for (const { botId } of bots) this.#free(host, botId, false)
    if (this.#stopping) return
    for (const bot of bots) this.#options.onLost(bot, lossOf(host, bot.botId, bots.length))
  }

  #free(host: Host, botId: BotId, left: boolean): void {
    for (const tell of host.bots.get(botId)?.onGone ?? []) tell(left)
    if (host.bots.delete(botId)) this.#freedMs.push(monotonicMs())
  }

  #hostOf(botId: BotId): Host | undefined {
    return [...this.#hosts].find(({ bots }) => bots.has(botId))
  }
}
