// Ends a bot on request.
import type { Bot } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { revokeClaim } from '../../db/fleet/claims.ts'
import { processUnrecorded } from '../../db/media/recordings.ts'
import type { BotRequests } from '../node/bot-requests.ts'
import { atomically, type TransitionDeps, transition } from './transition.ts'

/** A bot that has not left by then hangs. */
const LEAVE_WITHIN_MS = 8_000

/** Works in every state that is not final: a scheduled bot is cancelled, a running one leaves. */
export async function removeBot(
  deps: TransitionDeps,
  botRequests: Pick<BotRequests, 'leave' | 'evict'>,
  bot: Bot,
  at: Date,
): Promise<'cancelled' | 'removed'> {
  const message = 'Removed on request'
  if (await transition(deps, { bot: bot.id, by: 'cancelled', at, message: 'Scheduled bot cancelled on request' })) return 'cancelled'
  if (await botRequests.leave(bot.id, message, LEAVE_WITHIN_MS)) return 'removed'

  // No node holds it, or it hangs: the bot ends here, and later reports under its claim change nothing.
  await botRequests.evict(bot.id)
  await atomically(deps, async (inside) => {
    await revokeClaim(inside.db, bot.id)
    await transition(inside, { bot: bot.id, by: 'leaving', at, message })
    if (!(await transition(inside, { bot: bot.id, by: 'left', at, message }))) throw notInMeeting(bot)
    await processUnrecorded(inside.db, bot.id)
  })
  return 'removed'
}

export function notInMeeting(bot: Bot): ServiceError {
  const error = 'Bot is not currently in a meeting.'
  return new ServiceError('not_in_meeting', error, { error, bot_status: bot.status, detail: bot.message })
}
