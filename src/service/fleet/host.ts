// One bot host as this node sees it: its process, its bots, and what is known of their lives.
import type { ChildProcess } from 'node:child_process'
import type { LossReason } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { ToHost } from '../../domain/protocol.ts'
import type { Claim } from '../db/claims.ts'
import type { Quarter } from './host-quarters.ts'

const STOP_WITHIN_MS = 5_000
/** Bots say once a second that they live. Counted in our own ticks, so that a pause of this process blames no host. */
const SILENT_TICKS = 7
/** A host that lives and leaves a bot out of its signs this often knows that the session is dead. */
const MISSED_SIGNS = 2
/** A host that is starting has this long for its first sign. */
const STARTING_TICKS = 45

type Seat = {
  readonly fence: number
  silentTicks: number
  missedSigns: number
  /** `left`: the bot ended by itself; otherwise its session was lost. */
  readonly onGone: ((left: boolean) => void)[]
}

export type Host = {
  readonly child: ChildProcess
  readonly quarter: Quarter
  readonly bots: Map<BotId, Seat>
  /** Whose bots it has seated; null while its browser is new. */
  workspace: WorkspaceId | null
  hasStarted: boolean
  /** This node ends it because of these bots: it takes no others, and its end is not held against their neighbours. */
  endedFor: readonly BotId[] | null
}

export function newHost(child: ChildProcess, quarter: Quarter): Host {
  return { child, quarter, bots: new Map(), workspace: null, hasStarted: false, endedFor: null }
}

export function isIdle({ bots, endedFor }: Host): boolean {
  return bots.size === 0 && endedFor === null
}

export function claimsOf({ bots }: Host): Claim[] {
  return [...bots].map(([botId, { fence }]) => ({ botId, fence }))
}

export function send({ child }: Host, message: ToHost): void {
  // A channel that closes meanwhile is no error: the end of the host is noticed by itself.
  if (child.connected) child.send(message, () => undefined)
}

export function noteAlive(host: Host, bots: readonly BotId[]): void {
  host.hasStarted = true
  for (const [botId, seat] of host.bots) {
    const isAlive = bots.includes(botId)
    if (isAlive) seat.silentTicks = 0
    seat.missedSigns = isAlive ? 0 : seat.missedSigns + 1
  }
}

/** Called once a second: the bots that have given no sign of life for too long. */
export function silentBots(host: Host): readonly BotId[] {
  const most = host.hasStarted ? SILENT_TICKS : STARTING_TICKS
  for (const seat of host.bots.values()) seat.silentTicks += 1
  const isSilent = ({ silentTicks, missedSigns }: Seat): boolean => silentTicks > most || missedSigns > MISSED_SIGNS
  return [...host.bots].filter(([, seat]) => isSilent(seat)).map(([botId]) => botId)
}

export function kill(host: Host, because: readonly BotId[]): void {
  host.endedFor ??= because
  host.child.kill('SIGKILL')
}

/** Which of several bots ended a host is unknown, unless this node ended it: then it is held against none of them. */
export function lossOf({ endedFor }: Host, botId: BotId, bots: number): LossReason {
  const isCause = endedFor ? endedFor.includes(botId) : bots === 1
  return isCause ? 'WorkerLost' : 'NeighbourCrashed'
}

/** Closing the channel is the sign to leave; a host that does not is ended. */
export function endOf({ child }: Host): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS).unref()
    if (child.connected) child.disconnect()
  })
}
