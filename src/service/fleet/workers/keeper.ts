// Keeps the bots of this node in their meetings: owns the processes of the workers, renews the claims, and sends each worker how long its bots may
// stay. It runs in a thread of its own (keeper-thread.ts), so that a busy API costs no bot its meeting.
import type { ChildProcess } from 'node:child_process'
import type { BotId } from '../../../domain/bot.ts'
import type { FromWorker, ToWorker, WorkerLog } from '../../../domain/protocol.ts'
import { type Loop, startLoop } from '../../../kit/loop.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import { holdByPromise, holdUntil, LEASES } from '../../leases.ts'
import type { KnownNodes } from './known-nodes.ts'
import type { WorkerLaunch } from './worker-process.ts'

const RETRY_MS = 500
/** A renewal that is this late has probably failed. Several questions fit into the rest of the hold. */
const LATE_AFTER_MS = 2_500
const ASK_EVERY_MS = 500
/**
 * The service names its claims every second. After this much silence it is taken for hung: nothing would act on the reports of its bots, so
 * they leave, and another node may send them.
 */
const MOST_SILENCE_MS = 60_000

/** An order of the service to its keeper. `worker` is a number that the service gives each worker. */
export type KeeperOrder =
  | { readonly kind: 'start'; readonly worker: number; readonly launch: WorkerLaunch }
  | { readonly kind: 'send'; readonly worker: number; readonly message: ToWorker }
  /** The worker leaves its meetings and exits. */
  | { readonly kind: 'disconnect'; readonly worker: number }
  | { readonly kind: 'kill'; readonly worker: number }
  /** Replaces the claims that are renewed. */
  | { readonly kind: 'claims'; readonly claims: readonly Claim[] }

export type WorkerEvent =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'message'; readonly message: FromWorker | WorkerLog }
  | { readonly kind: 'stderr'; readonly text: string }
  | { readonly kind: 'problem'; readonly message: string }
  /** Also of a process that could not be started. */
  | { readonly kind: 'exited' }

/** Of the claims that were named, `kept` are still those of this node. Their bots may stay until `untilMs`, on the monotonic clock. */
export type Renewed = { readonly claims: readonly Claim[]; readonly kept: ReadonlySet<BotId>; readonly untilMs: number }

export type KeeperEvent =
  | { readonly kind: 'worker'; readonly worker: number; readonly event: WorkerEvent }
  | ({ readonly kind: 'renewed' } & Renewed)
  | { readonly kind: 'not_renewed'; readonly message: string }

export type KeeperOptions = {
  /** `knows`: for the row of this node. */
  readonly renew: (claims: readonly Claim[], knows: string | null) => Promise<ReadonlySet<BotId>>
  readonly outage: OutageOptions | null
  readonly fork: (launch: WorkerLaunch) => ChildProcess
  readonly onEvent: (event: KeeperEvent) => void
  /** The machine's monotonic clock. */
  readonly nowMs?: () => number
}

/** Null: the bots of this node leave when they cannot be renewed. */
export type OutageOptions = { readonly known: Pick<KnownNodes, 'refresh' | 'promisedMs'>; readonly seconds: number }

/** The last renewal that was answered. */
type LastRenewal = {
  readonly requestedMs: number
  readonly named: ReadonlySet<BotId>
  readonly kept: ReadonlySet<BotId>
  readonly asks: boolean
}

type KeptWorker = { readonly child: ChildProcess; readonly bots: Set<BotId> }

export class Keeper {
  readonly #options: KeeperOptions
  readonly #workers = new Map<number, KeptWorker>()
  #claims: readonly Claim[] = []
  #lastOrderMs: number
  readonly #nowMs: () => number
  readonly #renewal: Loop
  readonly #stay: Loop
  #last: LastRenewal | null = null

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? monotonicMs
    this.#lastOrderMs = this.#nowMs()
    this.#renewal = startLoop({
      work: () => this.#renew(),
      onError: (error) => this.#failToRenew(error),
      retryMs: RETRY_MS,
    })
    this.#stay = startLoop({ work: () => this.#stayByPromise(), onError: (error) => this.#failToRenew(error), retryMs: ASK_EVERY_MS })
  }

  receive(order: KeeperOrder): void {
    this.#lastOrderMs = this.#nowMs()
    if (order.kind === 'claims') this.#claims = order.claims
    else if (order.kind === 'start') this.#start(order)
    else if (order.kind === 'send') this.#send(order.worker, order.message)
    else if (order.kind === 'kill') this.#workers.get(order.worker)?.child.kill('SIGKILL')
    else this.#disconnect(order.worker)
  }

  async stop(): Promise<void> {
    await Promise.all([this.#renewal.stop(), this.#stay.stop()])
  }

  async #renew(): Promise<number> {
    if (this.#isServiceSilent()) {
      this.#sendToAll({ kind: 'not_renewed', reason: 'ServiceBusy' })
      return LEASES.bot.renewEveryMs
    }
    this.#forgetEnded()
    const knows = this.#claims.length > 0 ? ((await this.#options.outage?.known.refresh()) ?? null) : null
    const requestedMs = this.#nowMs()
    const claims = this.#claims
    const kept = await this.#options.renew(claims, knows)
    this.#last = { requestedMs, named: new Set(claims.map(({ botId }) => botId)), kept, asks: knows !== null }
    const untilMs = holdUntil(requestedMs)
    for (const worker of this.#workers.values()) hold(worker, kept, untilMs)
    this.#options.onEvent({ kind: 'renewed', claims, kept, untilMs })
    return LEASES.bot.renewEveryMs
  }

  /** The database is away: the bots stay as long as no other node ends their leases, or up to the limit. */
  async #stayByPromise(): Promise<number> {
    const { outage } = this.#options
    const last = this.#last
    const askedMs = this.#nowMs()
    if (!outage || !last?.asks || askedMs - last.requestedMs < LATE_AFTER_MS || this.#isServiceSilent()) return ASK_EVERY_MS
    const promisedMs = await outage.known.promisedMs()
    // After a renewal the database may know more nodes.
    if (this.#last !== last) return ASK_EVERY_MS
    const untilMs = Math.min(holdByPromise(askedMs, promisedMs), last.requestedMs + outage.seconds * 1000)
    if (untilMs > holdUntil(last.requestedMs))
      for (const worker of this.#workers.values()) {
        // A bot of a newer claim was not named yet.
        hold(worker, { has: (botId) => last.kept.has(botId) || !last.named.has(botId) }, untilMs)
      }
    return ASK_EVERY_MS
  }

  #isServiceSilent(): boolean {
    return this.#nowMs() - this.#lastOrderMs > MOST_SILENCE_MS
  }

  /** A worker may live for weeks: bots that the service no longer names have left it. */
  #forgetEnded(): void {
    const named = new Set(this.#claims.map(({ botId }) => botId))
    for (const { bots } of this.#workers.values()) for (const botId of bots) if (!named.has(botId)) bots.delete(botId)
  }

  /** A missing renewal needs no other action: a worker leaves its meetings by its own clock. */
  #failToRenew(error: unknown): void {
    this.#sendToAll({ kind: 'not_renewed', reason: 'DatabaseUnreachable' })
    this.#options.onEvent({ kind: 'not_renewed', message: error instanceof Error ? error.message : String(error) })
  }

  #start({ worker, launch }: Extract<KeeperOrder, { kind: 'start' }>): void {
    const report = (event: WorkerEvent): void => this.#options.onEvent({ kind: 'worker', worker, event })
    const child = this.#options.fork(launch)
    const onExit = (): void => {
      if (this.#workers.delete(worker)) report({ kind: 'exited' })
    }
    this.#workers.set(worker, { child, bots: new Set() })
    if (child.pid !== undefined) report({ kind: 'started', pid: child.pid })
    child.stderr?.on('data', (chunk: Buffer) => report({ kind: 'stderr', text: chunk.toString('utf8') }))
    child.on('message', (message: FromWorker | WorkerLog) => report({ kind: 'message', message }))
    child.once('exit', onExit)
    child.on('error', (error) => {
      report({ kind: 'problem', message: error.message })
      // A process that never started does not exit either.
      if (child.pid === undefined) onExit()
    })
  }

  #send(number: number, message: ToWorker): void {
    const worker = this.#workers.get(number)
    if (!worker) return
    if (message.kind === 'attend') {
      const { botId, fence } = message.orders
      worker.bots.add(botId)
      // The service may be busy for a while before it names its claims again.
      this.#claims = [...this.#claims, { botId, fence }]
    }
    deliver(worker, message)
  }

  #disconnect(number: number): void {
    const child = this.#workers.get(number)?.child
    if (child?.connected) child.disconnect()
  }

  #sendToAll(message: ToWorker): void {
    for (const worker of this.#workers.values()) deliver(worker, message)
  }
}

/** A worker learns of its own bots only. */
function hold(worker: KeptWorker, kept: Pick<ReadonlySet<BotId>, 'has'>, untilMs: number): void {
  const bots = [...worker.bots].filter((it) => kept.has(it))
  if (bots.length > 0) deliver(worker, { kind: 'hold', bots, untilMs })
}

function deliver({ child }: KeptWorker, message: ToWorker): void {
  // A channel that closes meanwhile is no error: the exit of the worker follows.
  if (child.connected) child.send(message, () => undefined)
}
