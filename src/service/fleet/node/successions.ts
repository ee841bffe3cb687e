// Bots of draining nodes that this node joins beside their holder. It takes each over when its own session is in the meeting.
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import { newId } from '../../../kit/id.ts'
import type { Logger } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { Db } from '../../db/database.ts'
import type { Claim, DueBot, FreeSeats } from '../../db/fleet/claims.ts'
import { beginSuccession, endSuccession, type PauseState, takeOver } from '../../db/fleet/successions.ts'
import { holdUntil, LEASES } from '../../leases.ts'
import type { Workers } from '../workers/workers.ts'
import type { PendingLaunches } from './pending-launches.ts'

/** A bot that waits in a lobby for longer is handed over without a successor. */
export const SUCCEED_WITHIN_MS = 60_000

type SuccessionDeps = {
  readonly db: Db
  readonly log: Logger
  readonly nodeId: string
  readonly launching: PendingLaunches
  readonly workers: Pick<Workers, 'has' | 'perform' | 'freeSeats'>
}

export type Launching = {
  /** How many more bots may join here at this moment. */
  readonly affordable: () => number
  readonly launch: (bot: DueBot) => Promise<void>
}

export class Successions {
  readonly #deps: SuccessionDeps
  /** Those whose session here is not in the meeting yet. */
  readonly #pending = new Map<BotId, DueBot>()

  constructor(deps: SuccessionDeps) {
    this.#deps = deps
  }

  /** Joins beside the holder of this claim. False: the bot cannot be succeeded here. */
  async succeed(claim: Claim, { affordable, launch }: Launching): Promise<boolean> {
    if (affordable() < 1) return false
    const { log, launching, workers } = this.#deps
    const bot = await launching.whileReserved(1, () => this.#begin(claim))
    if (!bot) return false
    if (launching.untilMs(bot.id) > 0)
      await launch(bot).catch((error: unknown) => log.warn({ err: error, botId: bot.id }, 'a bot could not be succeeded'))
    launching.delete(bot)
    if (workers.has(bot.id, bot.fence)) return true
    await this.end({ botId: bot.id, fence: bot.fence })
    return false
  }

  /** The session under this claim is in the meeting. If the bot cannot be taken over any more, the next renewal sends the session away. */
  async takeOver(claim: Claim): Promise<void> {
    const bot = this.#pending.get(claim.botId)
    if (!bot || bot.fence !== claim.fence) return
    const now = await takeOver(this.#deps.db, claim, LEASES.bot.seconds)
    this.#pending.delete(claim.botId)
    if (now) this.#catchUp(bot, now)
    else this.#deps.log.info({ botId: claim.botId }, 'a bot was not taken over: it has ended, or another node has claimed it')
  }

  /** The session under this claim has ended. */
  async end({ botId, fence }: Claim): Promise<void> {
    if (this.#pending.get(botId)?.fence !== fence) return
    await endSuccession(this.#deps.db, { botId, fence })
    this.#pending.delete(botId)
  }

  /** The bot is about to be launched if there is a seat for it. */
  async #begin(claim: Claim): Promise<DueBot | null> {
    const { db, nodeId, launching, workers } = this.#deps
    const requestedMs = monotonicMs()
    const bot = await beginSuccession(db, { claim, nodeId, withinSeconds: SUCCEED_WITHIN_MS / 1000 })
    if (!bot) return null
    this.#pending.set(bot.id, bot)
    if (hasSeat(launching.leave(workers.freeSeats()), bot.workspaceId)) launching.add(bot, holdUntil(requestedMs))
    return bot
  }

  /** The recording was paused or resumed while this session joined. */
  #catchUp({ id, isPaused }: DueBot, now: PauseState): void {
    if (now.isPaused === isPaused) return
    const command = { kind: now.isPaused ? 'pause_recording' : 'resume_recording' } as const
    void this.#deps.workers.perform(id, newId('cmd', new Date()), command)
  }
}

function hasSeat({ open, own }: FreeSeats, workspace: WorkspaceId): boolean {
  return open > 0 || (own.get(workspace) ?? 0) > 0
}
