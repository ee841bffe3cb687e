// Ends a bot on request, and deletes what it left behind.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bot } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import { next, RUNNING } from '../../domain/lifecycle.ts'
import type { ObjectStore } from '../../storage/store.ts'
import { disown, eraseContent } from '../db/bots.ts'
import { eraseMeeting } from '../db/meetings.ts'
import { processUnrecorded } from '../db/recordings.ts'
import { removeKeepsakes } from './keepsakes.ts'
import type { Reach } from './reach.ts'
import { type TransitionDeps, together, transition } from './transition.ts'

/** A bot that has not left by then hangs. */
const LEAVE_WITHIN_MS = 8_000

/** Works in every state that is not an ending: a scheduled bot is cancelled, a running one leaves. */
export async function removeBot(
  deps: TransitionDeps,
  reach: Pick<Reach, 'leave' | 'evict'>,
  bot: Bot,
  at: Date,
): Promise<'cancelled' | 'removed'> {
  const message = 'Removed on request'
  if (await transition(deps, { bot: bot.id, by: 'cancelled', at, message: 'Scheduled bot cancelled on request' })) return 'cancelled'
  if (await reach.leave(bot.id, message, LEAVE_WITHIN_MS)) return 'removed'

  // Nobody has it, or it hangs: the bot ends here and now, and whatever its owner still says is no longer heard.
  await reach.evict(bot.id)
  await together(deps, async (inside) => {
    await disown(inside.db, bot.id)
    await transition(inside, { bot: bot.id, by: 'leaving', at, message })
    if (!(await transition(inside, { bot: bot.id, by: 'left', at, message }))) throw notInMeeting(bot)
    await processUnrecorded(inside.db, bot.id)
  })
  return 'removed'
}

export type DeletionDeps = TransitionDeps & {
  readonly store: ObjectStore
  /** Where this node has recordings: as bots leave them, and where they are worked at. */
  readonly recordings: readonly string[]
}

/** Deletes stored data for good. The record stays, as MediaExpired. */
export async function deleteContent(deps: DeletionDeps, bot: Bot, at: Date): Promise<number> {
  if (bot.status === 'MediaExpired') throw new ServiceError('bot_not_found')
  if (!next(bot.status, 'media_deleted', bot.platform)) {
    const still = RUNNING.includes(bot.status) ? 'it is in a meeting' : `its status is ${bot.status}`
    throw new ServiceError('conflict', `The bot's data cannot be deleted while ${still}.`)
  }
  // Before the record changes: a crash in between leaves a record whose deletion can be asked for again, never objects without one.
  const objects = await removeKeepsakes(deps, bot.id)
  for (const folder of deps.recordings) await rm(join(folder, bot.id), { recursive: true, force: true })
  return together(deps, async (inside) => {
    const deleted = objects + (await eraseContent(inside.db, bot.id)) + (await eraseMeeting(inside.db, bot.id))
    const extra = { status: 'success', deleted_objects: deleted }
    const gone = await transition(inside, { bot: bot.id, by: 'media_deleted', at, extra })
    if (!gone) throw new ServiceError('bot_not_found')
    return deleted
  })
}

export function notInMeeting(bot: Bot): ServiceError {
  const error = 'Bot is not currently in a meeting.'
  return new ServiceError('not_in_meeting', error, { error, bot_status: bot.status, detail: bot.message })
}
