// Scheduled bots: their launch time, and its changes.
import type { LeaveRules } from '../../../domain/automatic-leave.ts'
import type { Bot, JsonObject } from '../../../domain/bot.ts'
import { invalid, type ServiceError } from '../../../domain/errors.ts'
import type { Status } from '../../../domain/lifecycle.ts'
import { inTransaction } from '../../db/database.ts'
import { findBot, rewriteSchedule } from '../../db/fleet/bots.ts'
import type { FleetDeps } from './transition.ts'

/** A bot starts this long before its join time, so that it knocks on time. */
const LEAD_MS = 10_000
/** It starts up to this much sooner if more bots are due than can join at once: a minute before its join time at most. */
export const SOONEST_MS = 50_000

/** A scheduled bot that could not be started is retried until this long after its join time. */
export const RETRY_WINDOW_MS = 20 * 60_000

export const HORIZON_MS = 90 * 24 * 60 * 60_000

export function launchTime(joinAt: Date): Date {
  return new Date(joinAt.getTime() - LEAD_MS)
}

export type Reschedule = {
  readonly joinAt: Date
  readonly name?: string | undefined
  readonly customAttributes?: JsonObject | undefined
  readonly leave?: LeaveRules | undefined
}

export async function reschedule(deps: FleetDeps, bot: Bot, change: Reschedule): Promise<void> {
  const moved = await inTransaction(deps.db, (tx) =>
    rewriteSchedule(tx, bot, {
      joinAt: change.joinAt,
      launchAt: launchTime(change.joinAt),
      customAttributes: change.customAttributes ?? bot.customAttributes,
      spec: { ...bot.spec, name: change.name ?? bot.spec.name, leave: change.leave ?? bot.spec.leave },
    }),
  )
  if (!moved) throw notReschedulable((await findBot(deps.db, bot.workspaceId, bot.id))?.status)
  deps.onDue()
}

export function notReschedulable(status: Status | undefined): ServiceError {
  if (status === 'Cancelled') return invalid('The bot is cancelled; it cannot be rescheduled. Create another one.')
  return invalid('Bot has already joined; it cannot be rescheduled.')
}
