// Keeps the bots of this node in their meetings: owns the processes of the bot hosts, renews the claims, and sends each host how long its bots may
// stay. It runs in a thread of its own (keeper-thread.ts), so that a busy API costs no bot its meeting.
import type { ChildProcess } from 'node:child_process'
import type { BotId } from '../../domain/bot.ts'
import type { FromHost, HostLog, ToHost } from '../../domain/protocol.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import type { Claim } from '../db/claims.ts'
import { holdUntil, LEASES } from '../leases.ts'
import type { HostLaunch } from './host-process.ts'

const RETRY_MS = 500
/**
 * The service names its claims every second. After this much silence it is taken for hung: nothing would act on the reports of its bots, so
 * they leave, and another node may send them.
 */
const MOST_SILENCE_MS = 60_000

/** An order of the service to its keeper. `host` is a number that the service gives each host. */
export type KeeperOrder =
  | { readonly kind: 'start'; readonly host: number; readonly launch: HostLaunch }
  | { readonly kind: 'send'; readonly host: number; readonly message: ToHost }
  /** The host leaves its meetings and exits. */
  | { readonly kind: 'disconnect'; readonly host: number }
  | { readonly kind: 'kill'; readonly host: number }
  /** Replaces the claims that are renewed. */
  | { readonly kind: 'claims'; readonly claims: readonly Claim[] }

export type HostEvent =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'message'; readonly message: FromHost | HostLog }
  | { readonly kind: 'stderr'; readonly text: string }
  | { readonly kind: 'problem'; readonly message: string }
  /** Also of a process that could not be started. */
  | { readonly kind: 'exited' }

/** Of the claims that were named, `kept` are still those of this node. Their bots may stay until `untilMs`, on the monotonic clock. */
export type Renewed = { readonly claims: readonly Claim[]; readonly kept: ReadonlySet<BotId>; readonly untilMs: number }

export type KeeperEvent =
  | { readonly kind: 'host'; readonly host: number; readonly event: HostEvent }
  | ({ readonly kind: 'renewed' } & Renewed)
  | { readonly kind: 'not_renewed'; readonly message: string }

export type KeeperOptions = {
  readonly renew: (claims: readonly Claim[]) => Promise<ReadonlySet<BotId>>
  readonly fork: (launch: HostLaunch) => ChildProcess
  readonly onEvent: (event: KeeperEvent) => void
  /** The machine's monotonic clock. */
  readonly nowMs?: () => number
}

type KeptHost = { readonly child: ChildProcess; readonly bots: Set<BotId> }

export class Keeper {
  readonly #options: KeeperOptions
  readonly #hosts = new Map<number, KeptHost>()
  #claims: readonly Claim[] = []
  #lastOrderMs: number
  readonly #nowMs: () => number
  readonly #renewal: Loop

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? monotonicMs
    this.#lastOrderMs = this.#nowMs()
    this.#renewal = startLoop({
      work: () => this.#renew(),
      onError: (error) => this.#failToRenew(error),
      retryMs: RETRY_MS,
    })
  }

  receive(order: KeeperOrder): void {
    this.#lastOrderMs = this.#nowMs()
    if (order.kind === 'claims') this.#claims = order.claims
    else if (order.kind === 'start') this.#start(order)
    else if (order.kind === 'send') this.#send(order.host, order.message)
    else if (order.kind === 'kill') this.#hosts.get(order.host)?.child.kill('SIGKILL')
    else this.#disconnect(order.host)
  }

  stop(): Promise<void> {
    return this.#renewal.stop()
  }

  async #renew(): Promise<number> {
    const requestedMs = this.#nowMs()
    if (requestedMs - this.#lastOrderMs > MOST_SILENCE_MS) {
      this.#sendToAll({ kind: 'not_renewed', reason: 'ServiceBusy' })
      return LEASES.bot.renewEveryMs
    }
    const claims = this.#claims
    this.#forgetEnded()
    const kept = await this.#options.renew(claims)
    const untilMs = holdUntil(requestedMs)
    for (const host of this.#hosts.values()) hold(host, kept, untilMs)
    this.#options.onEvent({ kind: 'renewed', claims, kept, untilMs })
    return LEASES.bot.renewEveryMs
  }

  /** A host may live for weeks: bots that the service no longer names have left it. */
  #forgetEnded(): void {
    const named = new Set(this.#claims.map(({ botId }) => botId))
    for (const { bots } of this.#hosts.values()) for (const botId of bots) if (!named.has(botId)) bots.delete(botId)
  }

  /** A missing renewal needs no other action: a host leaves its meetings by its own clock. */
  #failToRenew(error: unknown): void {
    this.#sendToAll({ kind: 'not_renewed', reason: 'DatabaseUnreachable' })
    this.#options.onEvent({ kind: 'not_renewed', message: error instanceof Error ? error.message : String(error) })
  }

  #start({ host, launch }: Extract<KeeperOrder, { kind: 'start' }>): void {
    const report = (event: HostEvent): void => this.#options.onEvent({ kind: 'host', host, event })
    const child = this.#options.fork(launch)
    const onExit = (): void => {
      if (this.#hosts.delete(host)) report({ kind: 'exited' })
    }
    this.#hosts.set(host, { child, bots: new Set() })
    if (child.pid !== undefined) report({ kind: 'started', pid: child.pid })
    child.stderr?.on('data', (chunk: Buffer) => report({ kind: 'stderr', text: chunk.toString('utf8') }))
    child.on('message', (message: FromHost | HostLog) => report({ kind: 'message', message }))
    child.once('exit', onExit)
    child.on('error', (error) => {
      report({ kind: 'problem', message: error.message })
      // A process that never started does not exit either.
      if (child.pid === undefined) onExit()
    })
  }

  #send(number: number, message: ToHost): void {
    const host = this.#hosts.get(number)
    if (!host) return
    if (message.kind === 'attend') {
      const { botId, fence } = message.orders
      host.bots.add(botId)
      // The service may be busy for a while before it names its claims again.
      this.#claims = [...this.#claims, { botId, fence }]
    }
    deliver(host, message)
  }

  #disconnect(number: number): void {
    const child = this.#hosts.get(number)?.child
    if (child?.connected) child.disconnect()
  }

  #sendToAll(message: ToHost): void {
    for (const host of this.#hosts.values()) deliver(host, message)
  }
}

/** A host learns of its own bots only. */
function hold(host: KeptHost, kept: ReadonlySet<BotId>, untilMs: number): void {
  const bots = [...host.bots].filter((it) => kept.has(it))
  if (bots.length > 0) deliver(host, { kind: 'hold', bots, untilMs })
}

function deliver({ child }: KeptHost, message: ToHost): void {
  // A channel that closes meanwhile is no error: the exit of the host follows.
  if (child.connected) child.send(message, () => undefined)
}
