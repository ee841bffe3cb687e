// The bot hosts of this node: child processes with a few seats each. Orders go in, reports come out, a host that dies is noticed at once.
import type { ChildProcess } from 'node:child_process'
import type { BotId } from '../../domain/bot.ts'
import type { MeetingCommand } from '../../domain/meeting.ts'
import type { BotOrders, CommandProblem, FromHost, ToHost } from '../../domain/protocol.ts'
import { newId } from '../../kit/id.ts'
import type { Claim } from '../db/bots.ts'
import { startHostProcess } from './host-process.ts'

const PERFORM_WITHIN_MS = 5_000
const STOP_WITHIN_MS = 8_000

export type HostOptions = {
  readonly seatsPerHost: number
  readonly mostHosts: number
  /** Hosts with a free seat that wait for bots with their browser open. */
  readonly warmHosts: number
  readonly chromium: string | undefined
  readonly chromiumFlags: readonly string[]
  readonly onReport: (report: FromHost) => void
  /** These bots sat in a host that ended without a word. */
  readonly onLost: (bots: readonly Claim[]) => void
}

/** A bot in a host, and who waits for its going. */
type Seat = { readonly fence: number; onGone: () => void }
type Host = { readonly child: ChildProcess; readonly bots: Map<BotId, Seat> }

export class Hosts {
  readonly #options: HostOptions
  readonly #hosts = new Set<Host>()
  readonly #answers = new Map<string, (problem: CommandProblem | null) => void>()
  #stopping = false

  constructor(options: HostOptions) {
    this.#options = options
    this.#keepWarm()
  }

  freeSeats(): number {
    const { mostHosts, seatsPerHost } = this.#options
    return mostHosts * seatsPerHost - this.bots().length
  }

  /** The bots that sit here now, and under which claim. */
  bots(): readonly Claim[] {
    return [...this.#hosts].flatMap(claimsOf)
  }

  has(botId: BotId): boolean {
    return this.#hostOf(botId) !== undefined
  }

  place(orders: BotOrders): void {
    const host = [...this.#hosts].find(({ bots }) => bots.size < this.#options.seatsPerHost) ?? this.#start()
    host.bots.set(orders.botId, { fence: orders.fence, onGone: () => undefined })
    send(host, { kind: 'attend', orders })
    this.#keepWarm()
  }

  /** Asks the bot to leave, and says whether it has left in time. */
  async leave(botId: BotId, message: string, withinMs: number): Promise<boolean> {
    const host = this.#hostOf(botId)
    const seat = host?.bots.get(botId)
    if (!host || !seat) return false
    return new Promise((resolve) => {
      seat.onGone = () => resolve(true)
      setTimeout(() => resolve(false), withinMs).unref()
      send(host, { kind: 'leave', botId, message })
    })
  }

  /** Null when the bot has done it. */
  async perform(botId: BotId, command: MeetingCommand): Promise<CommandProblem | null> {
    const host = this.#hostOf(botId)
    if (!host) return { fault: 'bot', message: 'The bot is on no host of this node' }
    const requestId = newId('cmd', new Date())
    const problem = await new Promise<CommandProblem | null>((resolve) => {
      this.#answers.set(requestId, resolve)
      setTimeout(() => resolve({ fault: 'bot', message: 'The bot did not confirm in time' }), PERFORM_WITHIN_MS).unref()
      send(host, { kind: 'perform', botId, requestId, command })
    })
    this.#answers.delete(requestId)
    return problem
  }

  /** The right to these meetings is lost: every bot leaves, and nothing that is still said of it is heard. */
  abandon(): void {
    for (const host of this.#hosts) {
      host.bots.clear()
      this.#hosts.delete(host)
      void endOf(host)
    }
  }

  /** Ends the host of a bot that hangs; whoever else sat there is sent again. */
  evict(botId: BotId): void {
    const host = this.#hostOf(botId)
    host?.bots.delete(botId)
    host?.child.kill('SIGKILL')
  }

  /** Every bot leaves its meeting. Those that were not done are sent again by whoever starts next. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#hosts].map(endOf))
  }

  #keepWarm(): void {
    const { seatsPerHost, mostHosts, warmHosts } = this.#options
    const waiting = [...this.#hosts].filter(({ bots }) => bots.size < seatsPerHost).length
    const missing = Math.min(warmHosts - waiting, mostHosts - this.#hosts.size)
    for (let count = 0; count < missing; count++) this.#start()
  }

  #start(): Host {
    const { chromium, chromiumFlags } = this.#options
    const host: Host = { child: startHostProcess(chromium, chromiumFlags), bots: new Map() }
    host.child.on('message', (report: FromHost) => this.#hear(host, report))
    host.child.once('exit', () => this.#lose(host))
    this.#hosts.add(host)
    return host
  }

  #hear(host: Host, report: FromHost): void {
    if (!this.#hosts.has(host)) return
    if (report.kind === 'performed') this.#answers.get(report.requestId)?.(report.problem)
    else this.#options.onReport(report)
    if (report.kind === 'finished' || report.kind === 'broken') free(host, report.botId)
  }

  #lose(host: Host): void {
    this.#hosts.delete(host)
    const bots = claimsOf(host)
    for (const { botId } of bots) free(host, botId)
    if (this.#stopping) return
    if (bots.length > 0) this.#options.onLost(bots)
  }

  #hostOf(botId: BotId): Host | undefined {
    return [...this.#hosts].find(({ bots }) => bots.has(botId))
  }
}

function claimsOf({ bots }: Host): Claim[] {
  return [...bots].map(([botId, { fence }]) => ({ botId, fence }))
}

function free(host: Host, botId: BotId): void {
  host.bots.get(botId)?.onGone()
  host.bots.delete(botId)
}

function send({ child }: Host, message: ToHost): void {
  // A host that is going has no ears; its end is noticed by itself.
  if (child.connected) child.send(message)
}

/** Closing the channel is the sign to leave; a host that does not is ended. */
function endOf({ child }: Host): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS).unref()
    if (child.connected) child.disconnect()
  })
}
