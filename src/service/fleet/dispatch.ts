// Starts bots when they are due: claims as many as can be seated, and launches them side by side.
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import { claimDue, type DueBot, type FreeSeats, nextDue, releaseClaim } from '../db/claims.ts'
import type { Db } from '../db/database.ts'
import type { Launching } from './launching.ts'
import { holdUntil, LEASE_SECONDS } from './lease.ts'

/** Started side by side; few enough to leave the API its share of the database. */
const BATCH = 8
/** Other nodes may add due bots without a signal to this one. */
const LONGEST_PAUSE_MS = 250
const RETRY_MS = 1_000
/** A bot that could not be launched is tried again after this. */
const RELAUNCH_SECONDS = 2

export type DispatchDeps = {
  readonly db: Db
  readonly log: Logger
  /** In whose name bots are claimed. */
  readonly nodeId: string
  readonly launch: (bot: DueBot) => Promise<void>
  readonly launching: Launching
  /** No more bots are claimed than can be seated. */
  readonly freeSeats: () => FreeSeats
  readonly mostPerWorkspace: number | null
  readonly now: () => Date
}

export function startDispatch(deps: DispatchDeps): Loop {
  const loop: Loop = startLoop({
    work: () => dispatchDue(deps, () => loop.wake()),
    onError: (error) => deps.log.error({ err: error }, 'dispatch failed'),
    retryMs: RETRY_MS,
  })
  return loop
}

async function dispatchDue(deps: DispatchDeps, onLaunched: () => void): Promise<number> {
  const { db, nodeId, launching, mostPerWorkspace, now } = deps
  const seats = launching.leave(deps.freeSeats())
  if (seats.open === 0 && Math.max(0, ...seats.own.values()) === 0) return LONGEST_PAUSE_MS
  const askedMs = monotonicMs()
  const due = await claimDue(db, { nodeId, seats, limit: BATCH, leaseSeconds: LEASE_SECONDS, mostPerWorkspace })
  for (const bot of due) launching.add(bot, holdUntil(askedMs))
  // Not waited for: a launch that hangs keeps no other bot from its seat.
  for (const bot of due) void launchOne(deps, bot).finally(onLaunched)
  if (due.length > 0) return 0
  const next = await nextDue(db)
  const untilNext = next ? next.getTime() - now().getTime() : LONGEST_PAUSE_MS
  // What is due and was not claimed has no seat.
  return untilNext > 0 ? Math.min(untilNext, LONGEST_PAUSE_MS) : LONGEST_PAUSE_MS
}

/** A bot that cannot be launched goes back into the queue. */
async function launchOne({ db, log, launch, launching }: DispatchDeps, bot: DueBot): Promise<void> {
  try {
    await launch(bot)
  } catch (error) {
    log.error({ err: error, botId: bot.id }, 'launch failed')
    // Where the database does not answer either, the lease gives the bot back.
    await releaseClaim(db, { botId: bot.id, fence: bot.fence }, RELAUNCH_SECONDS).catch((lost: unknown) =>
      log.warn({ err: lost }, 'claim kept'),
    )
  } finally {
    launching.delete(bot)
  }
}
