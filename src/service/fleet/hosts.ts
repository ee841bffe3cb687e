// The bot hosts of this node: child processes with a few seats each. Orders go in, reports come out, a host that dies or falls silent is lost.
import type { ChildProcess } from 'node:child_process'
import type { LossReason } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { MeetingCommand } from '../../domain/meeting.ts'
import type { BotOrders, CommandProblem, FromHost, ToHost } from '../../domain/protocol.ts'
import { newId } from '../../kit/id.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import { type Claim, FREED_WITHIN_SECONDS, type FreeSeats } from '../db/claims.ts'
import { startHostProcess } from './host-process.ts'

const PERFORM_WITHIN_MS = 5_000
const STOP_WITHIN_MS = 8_000
/** Bots say once a second that they live. Counted in our own ticks, so that a pause of this process blames no host. */
const SILENT_TICKS = 7
/** A host that is starting has this long for its first sign. */
const STARTING_TICKS = 45

export type HostOptions = {
  readonly seatsPerHost: number
  readonly mostHosts: number
  /** Hosts with a free seat that wait for bots with their browser open. */
  readonly warmHosts: number
  readonly chromium: string | undefined
  readonly chromiumFlags: readonly string[]
  readonly onReport: (report: Report) => void
  /** The bot lost its session without a report of its host. */
  readonly onLost: (bot: Claim, reason: LossReason) => void
}

/** What a host says of one bot. */
export type Report = Exclude<FromHost, { kind: 'performed' | 'alive' }>

type Seat = { readonly fence: number; silentTicks: number; onGone: () => void }
type Host = {
  readonly child: ChildProcess
  readonly bots: Map<BotId, Seat>
  hasStarted: boolean
  /** We end it because of these bots: it takes no others, and its end is not held against their neighbours. */
  endedFor: readonly BotId[] | null
}

export class Hosts {
  readonly #options: HostOptions
  readonly #hosts = new Set<Host>()
  readonly #answers = new Map<string, (problem: CommandProblem | null) => void>()
  /** When seats became free, on the monotonic clock. */
  #freedMs: number[] = []
  #stopping = false

  constructor(options: HostOptions) {
    this.#options = options
    this.#keepWarm()
  }

  freeSeats(): FreeSeats {
    const { mostHosts, seatsPerHost } = this.#options
    return { open: mostHosts * seatsPerHost - this.bots().length, own: new Map<WorkspaceId, number>() }
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

  /** Throws when no seat is free, or the claim may have lapsed meanwhile. */
  place(orders: BotOrders, holdUntilMs: number): void {
    if (holdUntilMs <= monotonicMs()) throw new Error('The claim lapsed before the bot was seated')
    const host = [...this.#hosts].find((it) => this.#hasSeat(it)) ?? this.#start()
    host.bots.set(orders.botId, { fence: orders.fence, silentTicks: 0, onGone: () => undefined })
    send(host, { kind: 'attend', orders, holdUntilMs })
    this.#keepWarm()
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
      for (const seat of host.bots.values()) seat.silentTicks += 1
      const most = host.hasStarted ? SILENT_TICKS : STARTING_TICKS
      const silent = [...host.bots].filter(([, { silentTicks }]) => silentTicks > most).map(([botId]) => botId)
      if (silent.length > 0) kill(host, silent)
    }
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

  /** Ends the host of a bot that hangs. Its neighbours are sent again. */
  evict(botId: BotId): void {
    const host = this.#hostOf(botId)
    if (!host) return
    this.#free(host, botId)
    kill(host, [botId])
  }

  /** Every bot leaves its meeting. Resolves with the bots that were not done, once no session of theirs is left. */
  async stop(): Promise<readonly Claim[]> {
    this.#stopping = true
    const bots = this.bots()
    await Promise.all([...this.#hosts].map(endOf))
    return bots
  }

  #keepWarm(): void {
    const { mostHosts, warmHosts } = this.#options
    const waiting = [...this.#hosts].filter((it) => this.#hasSeat(it)).length
    const missing = Math.min(warmHosts - waiting, mostHosts - this.#hosts.size)
    for (let count = 0; count < missing; count++) this.#start()
  }

  #start(): Host {
    const { chromium, chromiumFlags } = this.#options
    const host: Host = { child: startHostProcess(chromium, chromiumFlags), bots: new Map(), hasStarted: false, endedFor: null }
    host.child.on('message', (report: FromHost) => this.#receive(host, report))
    host.child.once('exit', () => this.#lose(host))
    this.#hosts.add(host)
    return host
  }

  #receive(host: Host, message: FromHost): void {
    if (!this.#hosts.has(host)) return
    if (message.kind === 'alive') {
      host.hasStarted = true
      for (const botId of message.bots) resetSilence(host.bots.get(botId))
    } else if (message.kind === 'performed') this.#answers.get(message.requestId)?.(message.problem)
    else {
      this.#options.onReport(message)
      if (message.kind === 'finished' || message.kind === 'lost') this.#free(host, message.botId)
    }
  }

  #lose(host: Host): void {
    this.#hosts.delete(host)
    const bots = claimsOf(host)
    for (const { botId } of bots) this.#free(host, botId)
    if (this.#stopping) return
    for (const bot of bots) this.#options.onLost(bot, reasonFor(host, bot.botId, bots.length))
  }

  #free(host: Host, botId: BotId): void {
    host.bots.get(botId)?.onGone()
    if (host.bots.delete(botId)) this.#freedMs.push(monotonicMs())
  }

  #hasSeat({ bots, endedFor }: Host): boolean {
    return endedFor === null && bots.size < this.#options.seatsPerHost
  }

  #hostOf(botId: BotId): Host | undefined {
    return [...this.#hosts].find(({ bots }) => bots.has(botId))
  }
}

function claimsOf({ bots }: Host): Claim[] {
  return [...bots].map(([botId, { fence }]) => ({ botId, fence }))
}

/** Which of several bots ended a host is unknown, unless we ended it: then it is held against none of them. */
function reasonFor({ endedFor }: Host, botId: BotId, bots: number): LossReason {
  const isCause = endedFor ? endedFor.includes(botId) : bots === 1
  return isCause ? 'WorkerLost' : 'NeighbourCrashed'
}

function kill(host: Host, because: readonly BotId[]): void {
  host.endedFor ??= because
  host.child.kill('SIGKILL')
}

function resetSilence(seat: Seat | undefined): void {
  if (seat) seat.silentTicks = 0
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
