// The state of one bot host: its process, its bots and their heartbeats.
import type { LossReason } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import { type CpuWaits, cpuWaits } from '../../kit/cpu-wait.ts'
import { Silence } from '../../kit/silence.ts'
import type { Claim } from '../db/claims.ts'
import type { HostSandbox } from './host-sandbox.ts'
import type { HostProcess } from './keeper-client.ts'

const STOP_WITHIN_MS = 5_000
/** A host that omits a bot from more heartbeats in a row has lost its session. */
const MOST_MISSED = 2
/** A starting host has this long for its first heartbeat. */
const STARTING_TICKS = 45

type Seat = {
  readonly fence: number
  /** When the bot was placed, on the monotonic clock. */
  readonly sinceMs: number
  silentTicks: number
  missedBeats: number
  /** `left`: the bot ended by itself. Otherwise its session was lost. */
  readonly onGone: ((left: boolean) => void)[]
}

export type Host = {
  readonly process: HostProcess
  readonly sandbox: HostSandbox
  readonly bots: Map<BotId, Seat>
  /** The workspace whose bots it has seated; null: its browser is new. */
  workspace: WorkspaceId | null
  hasStarted: boolean
  /** The silent bots for which this node kills the host. The host takes no new bots, and the loss does not count for its other bots. */
  killedFor: readonly BotId[] | null
  /** Judges how long its bots may go without a heartbeat. */
  readonly silence: Silence
}

export function newHost(process: HostProcess, sandbox: HostSandbox): Host {
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

export function isIdle({ bots, killedFor }: Host): boolean {
  return bots.size === 0 && killedFor === null
}

export function claimsOf({ bots }: Host): Claim[] {
  return [...bots].map(([botId, { fence }]) => ({ botId, fence }))
}

export function noteAlive(host: Host, bots: readonly BotId[]): void {
  host.hasStarted = true
  for (const [botId, seat] of host.bots) {
    const isAlive = bots.includes(botId)
    if (isAlive) seat.silentTicks = 0
    seat.missedBeats = isAlive ? 0 : seat.missedBeats + 1
  }
}

/** Called once a second. Returns the bots without a heartbeat for too long. */
export function silentBots(host: Host): readonly BotId[] {
  for (const seat of host.bots.values()) seat.silentTicks += 1
  const limit = host.silence.limit(Math.max(0, ...[...host.bots.values()].map(({ silentTicks }) => silentTicks)))
  const most = host.hasStarted ? limit : STARTING_TICKS
  const isSilent = ({ silentTicks, missedBeats }: Seat): boolean => silentTicks > most || missedBeats > MOST_MISSED
  return [...host.bots].filter(([, seat]) => isSilent(seat)).map(([botId]) => botId)
}

function waitsOf({ pid }: HostProcess): CpuWaits {
  return pid === null ? new Map() : cpuWaits(pid)
}

export function kill(host: Host, because: readonly BotId[]): void {
  host.killedFor ??= because
  host.process.kill()
}

/** The loss counts against the bots that the host was killed for. After a crash it counts only against a bot that was alone. */
export function lossOf({ killedFor }: Host, botId: BotId, bots: number): LossReason {
  const isCause = killedFor ? killedFor.includes(botId) : bots === 1
  return isCause ? 'WorkerLost' : 'NeighbourCrashed'
}

/** Closing the channel makes the host leave. A host that does not exit in time is killed. */
export function endOf({ process }: Host): Promise<void> {
  if (process.hasExited) return Promise.resolve()
  return new Promise((resolve) => {
    process.onEvent(({ kind }) => kind === 'exited' && resolve())
    setTimeout(() => process.kill(), STOP_WITHIN_MS).unref()
    process.disconnect()
  })
}
