// Starts due bots: claims as many as have seats, and launches them side by side.
import { startDueWork } from '../../../kit/due-work.ts'
import type { Logger } from '../../../kit/log.ts'
import type { Loop } from '../../../kit/loop.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { Db } from '../../db/database.ts'
import { claimDue, type DueBot, type FreeSeats, releaseClaim } from '../../db/fleet/claims.ts'
import { untilDue } from '../../db/until-due.ts'
import { holdUntil, LEASES } from '../../leases.ts'
import { aheadMs, type FleetPace, type Looks, spreadMs } from './fleet-pace.ts'
import type { PendingLaunches } from './pending-launches.ts'

/**
 * Few enough to leave the API its share of the database, and usually far more than may join at once. Fewer would cost more: each claim counts the
 * running bots of the waiting workspaces. With 32, the last of 10,000 bots that are due at one instant began twice as late.
 */
const BATCH = 128
/** Other nodes make bots due without a signal to this one. */
const LOOKS: Looks = { everyMs: 250, perSecond: 100 }
/** The delay before a failed launch is repeated. */
const RELAUNCH_SECONDS = 2

export type DispatchDeps = {
  readonly db: Db
  readonly log: Logger
  /** The holder of the claims. */
  readonly nodeId: string
  readonly launch: (bot: DueBot) => Promise<void>
  readonly launching: PendingLaunches
  readonly pace: FleetPace
  /** Limits the claims to the bots that can be seated. */
  readonly freeSeats: () => FreeSeats
  readonly mostPerWorkspace: number | null
  /** How many more bots the machine can take, whatever its seats are. */
  readonly affordable: () => number
}

export function startDispatch(deps: DispatchDeps): Loop {
  const loop: Loop = startDueWork({
    atOnce: BATCH,
    lookEveryMs: LOOKS.everyMs,
    // A node that waits for a seat or CPU of its own does not ask the database.
    spreadMs: () => (canLaunch(deps) ? spreadMs(deps.pace, deps.pace.size.withSeats, LOOKS) : 0),
    claim: (limit) => claimSeated(deps, limit),
    // Not awaited: a launch that hangs must not delay other bots.
    workAt: async (bot) => void launchOne(deps, bot).finally(() => loop.wake()),
    untilDueMs: () => untilDueMs(deps),
    onError: (error) => deps.log.error({ err: error }, 'dispatch failed'),
  })
  return loop
}

async function claimSeated(deps: DispatchDeps, atOnce: number): Promise<readonly DueBot[]> {
  const { db, nodeId, launching, mostPerWorkspace, pace } = deps
  if (!canLaunch(deps)) return []
  const seats = launching.leave(deps.freeSeats())
  const limit = Math.min(atOnce, deps.affordable())
  const requestedMs = monotonicMs()
  const order = { nodeId, seats, limit, leaseSeconds: LEASES.bot.seconds, mostPerWorkspace, aheadMs: aheadMs(pace, requestedMs) }
  return launching.whileReserved(limit, async () => {
    const due = await claimDue(db, order)
    for (const bot of due) launching.add(bot, holdUntil(requestedMs))
    return due
  })
}

function hasSeat({ open, own }: FreeSeats): boolean {
  return open > 0 || Math.max(0, ...own.values()) > 0
}

function canLaunch({ launching, freeSeats, affordable }: DispatchDeps): boolean {
  return affordable() > 0 && hasSeat(launching.leave(freeSeats()))
}

async function untilDueMs(deps: DispatchDeps): Promise<number> {
  if (!canLaunch(deps)) return LOOKS.everyMs
  return (await untilDue(deps.db, 'launches')) - aheadMs(deps.pace, monotonicMs())
}

/** A bot that cannot be launched returns to the queue. */
async function launchOne({ db, log, launch, launching }: DispatchDeps, bot: DueBot): Promise<void> {
  try {
    await launch(bot)
  } catch (error) {
    log.error({ err: error, botId: bot.id }, 'launch failed')
    // If the database does not answer either, the lease lapses.
    await releaseClaim(db, { botId: bot.id, fence: bot.fence }, RELAUNCH_SECONDS).catch((lost: unknown) =>
      log.warn({ err: lost }, 'a claim could not be released; its lease lapses'),
    )
  } finally {
    launching.delete(bot)
  }
}
