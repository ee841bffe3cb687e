// Prepares the bots of a copied database for a new fleet: those of the old fleet have no session any more.
import type { BotId } from '../../domain/bot.ts'
import { PRESENT } from '../../domain/lifecycle.ts'
import type { Tariff } from '../accounts/credits.ts'
import type { Db } from '../db/database.ts'
import { heldClaims, type Overdue, overdueBots } from '../db/fleet/claims.ts'
import { forgetNodes } from '../db/fleet/nodes.ts'
import { processUnrecorded } from '../db/media/recordings.ts'
import { exhaustBot, failBot } from '../fleet/bot/fail.ts'
import { loseBot } from '../fleet/bot/lose.ts'
import { RETRY_WINDOW_MS } from '../fleet/bot/schedule.ts'
import { type TransitionDeps, transition } from '../fleet/bot/transition.ts'

export type Settling = {
  readonly tariff: Tariff
  /** The moment of the copied rows. */
  readonly copiedAt: Date
  readonly now: Date
  readonly seatWaitSeconds: number
}

const AT_ONCE = 200

/**
 * Bots continue as after a restart of the service, if they can be sent within `seatWaitSeconds` after the copy. Later their meetings may be over,
 * or others may meet under the same link: then they end, and what was recorded is processed.
 */
export async function settleBots(tx: Db, { tariff, copiedAt, now, seatWaitSeconds }: Settling): Promise<void> {
  const deps = { db: tx, tariff, onNews: () => undefined }
  await forgetNodes(tx)
  for (const claim of await heldClaims(tx)) await loseBot(deps, claim, { reason: 'ServerRestarted', from: copiedAt })
  const before = (ms: number): Date => new Date(now.getTime() - ms)
  const waits = { startedBefore: before(seatWaitSeconds * 1000), joinBefore: before(RETRY_WINDOW_MS), limit: AT_ONCE }
  const said = `The service was restored as it was at ${copiedAt.toISOString()}, too late to send the bot again`
  const ended = new Set<BotId>()
  for (let late = await overdueBots(tx, waits); late.length > 0; late = await overdueBots(tx, waits))
    for (const bot of late) {
      if (ended.has(bot.id)) throw new Error(`The bot ${bot.id} of the copy is ${bot.status}, which could not be ended`)
      ended.add(bot.id)
      await endLate(deps, bot, { at: copiedAt, message: said })
    }
}

/** A bot that may have recorded ends as one that left: its recording is processed on every platform. */
async function endLate(
  deps: TransitionDeps,
  { id: bot, fence, status }: Overdue,
  { at, message }: { at: Date; message: string },
): Promise<void> {
  if (status === 'Scheduled') return exhaustBot(deps, { id: bot, fence }, at)
  if (!PRESENT.has(status)) return failBot(deps, { bot, fence, at, step: 'restore', reason: 'WorkerLost', message })
  for (const by of ['leaving', 'left'] as const) await transition(deps, { bot, fence, at, by, message })
  await processUnrecorded(deps.db, bot)
}
