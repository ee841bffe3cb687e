// Starts bots when they are due. A bot's row is its own queue: claiming it pushes its launch time into the future,
// so whoever dies with it in hand gives it back by itself.
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { claimDue, type DueBot, nextDue } from '../db/bots.ts'
import type { Db } from '../db/database.ts'

/** Started side by side; few enough to leave the API its share of the database. */
const BATCH = 8
const LEASE_SECONDS = 10
/** Other nodes may add due bots without telling us. */
const LONGEST_PAUSE_MS = 250
const RETRY_MS = 1_000

export type DispatchDeps = {
  readonly db: Db
  readonly log: Logger
  /** In whose name bots are claimed. */
  readonly nodeId: string
  readonly launch: (bot: DueBot) => Promise<void>
  /** No more bots are claimed than can be seated. */
  readonly freeSeats: () => number
  readonly now: () => Date
}

export function startDispatch(deps: DispatchDeps): Loop {
  return startLoop({
    work: () => dispatchDue(deps),
    onError: (error) => deps.log.error({ err: error }, 'dispatch failed'),
    retryMs: RETRY_MS,
  })
}

async function dispatchDue({ db, log, nodeId, launch, freeSeats, now }: DispatchDeps): Promise<number> {
  const limit = Math.min(BATCH, freeSeats())
  if (limit === 0) return LONGEST_PAUSE_MS
  const due = await claimDue(db, { limit, leaseSeconds: LEASE_SECONDS, nodeId })
  // One bot that cannot be started must not keep the others waiting; its lease brings it back.
  const failed = (bot: DueBot) => (error: unknown) => log.error({ err: error, botId: bot.id }, 'launch failed')
  await Promise.all(due.map((bot) => launch(bot).catch(failed(bot))))
  if (due.length === limit) return 0
  const next = await nextDue(db)
  const untilNext = next ? Math.max(0, next.getTime() - now().getTime()) : LONGEST_PAUSE_MS
  return Math.min(untilNext, LONGEST_PAUSE_MS)
}
