// The state of one worker: its process, its bots and their heartbeats.
import type { LossReason } from '../../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { Trigger } from '../../../domain/lifecycle.ts'
import { type CpuWaits, cpuWaits } from '../../../kit/cpu-wait.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import { Silence } from '../../../kit/silence.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import { ENTER_MS, JOIN_MS } from './joins.ts'
import type { WorkerProcess } from './keeper-client.ts'
import type { WorkerSandbox } from './worker-sandbox.ts'

const STOP_WITHIN_MS = 5_000
/** A worker that omits a bot from more heartbeats in a row has lost its session. */
const MOST_MISSED = 2
/** A starting worker has this long for its first heartbeat. */
const STARTING_TICKS = 45

type Seat = {
  readonly fence: number
  /** When the bot was placed, on the monotonic clock. */
  readonly sinceMs: number
  /** The bot takes the CPU of a join until then, on the monotonic clock. */
  joinsUntilMs: number
  silentTicks: number
  missedBeats: number
  /** `left`: the bot ended by itself. Otherwise its session was lost. */
  readonly onGone: ((left: boolean) => void)[]
}

export type Worker = {
  readonly process: WorkerProcess
  readonly sandbox: WorkerSandbox
  readonly bots: Map<BotId, Seat>
  /** The workspace whose bots it has seated; null: its browser is new. */
  workspace: WorkspaceId | null
  hasStarted: boolean
  /** The silent bots for which this node kills the worker. The worker takes no new bots, and the loss does not count for its other bots. */
  killedFor: readonly BotId[] | null
  /** Judges how long its bots may go without a heartbeat. */
  readonly silence: Silence
}

export function newWorker(process: WorkerProcess, sandbox: WorkerSandbox): Worker {
  return {
    process,
    sandbox,
    bots: new Map(),
    workspace: null,
    hasStarted: false,
    killedFor: null,
    silence: new Silence(() => waitsOf(process)),
  }
}

/** Takes the order to attend. */
export function seatBot(worker: Worker, { botId, fence }: Claim, workspace: WorkspaceId): void {
  const sinceMs = monotonicMs()
  worker.workspace = workspace
  worker.bots.set(botId, { fence, sinceMs, joinsUntilMs: sinceMs + JOIN_MS, silentTicks: 0, missedBeats: 0, onGone: [] })
}

/** Ends a join. After the request to join, the bot enters at once or waits in a lobby. Any other move is the entry or an end. */
export function noteMove({ bots }: Worker, botId: BotId, by: Trigger): void {
  const seat = bots.get(botId)
  if (seat) seat.joinsUntilMs = Math.min(seat.joinsUntilMs, monotonicMs() + (by === 'join_requested' ? ENTER_MS : 0))
}

export function countJoins({ bots }: Worker): number {
  return [...bots.values()].filter(({ joinsUntilMs }) => joinsUntilMs > monotonicMs()).length
}

export function isIdle({ bots, killedFor }: Worker): boolean {
  return bots.size === 0 && killedFor === null
}

export function claimsOf({ bots }: Worker): Claim[] {
  return [...bots].map(([botId, { fence }]) => ({ botId, fence }))
}

export function noteAlive(worker: Worker, bots: readonly BotId[]): void {
  worker.hasStarted = true
  for (const [botId, seat] of worker.bots) {
    const isAlive = bots.includes(botId)
    if (isAlive) seat.silentTicks = 0
    seat.missedBeats = isAlive ? 0 : seat.missedBeats + 1
  }
}

/** Called once a second. Returns the bots without a heartbeat for too long. */
export function silentBots(worker: Worker): readonly BotId[] {
  for (const seat of worker.bots.values()) seat.silentTicks += 1
  const limit = worker.silence.limit(Math.max(0, ...[...worker.bots.values()].map(({ silentTicks }) => silentTicks)))
  const most = worker.hasStarted ? limit : STARTING_TICKS
  const isSilent = ({ silentTicks, missedBeats }: Seat): boolean => silentTicks > most || missedBeats > MOST_MISSED
  return [...worker.bots].filter(([, seat]) => isSilent(seat)).map(([botId]) => botId)
}

function waitsOf({ pid }: WorkerProcess): CpuWaits {
  return pid === null ? new Map() : cpuWaits(pid)
}

export function kill(worker: Worker, because: readonly BotId[]): void {
  worker.killedFor ??= because
  worker.process.kill()
}

/** The loss counts against the bots that the worker was killed for. After a crash it counts only against a bot that was alone. */
export function lossOf({ killedFor }: Worker, botId: BotId, bots: number): LossReason {
  const isCause = killedFor ? killedFor.includes(botId) : bots === 1
  return isCause ? 'WorkerLost' : 'NeighbourCrashed'
}

/** Closing the channel makes the worker leave. A worker that does not exit in time is killed. */
export function endOf({ process }: Worker): Promise<void> {
  if (process.hasExited) return Promise.resolve()
  return new Promise((resolve) => {
    process.onEvent(({ kind }) => kind === 'exited' && resolve())
    setTimeout(() => process.kill(), STOP_WITHIN_MS).unref()
    process.disconnect()
  })
}
