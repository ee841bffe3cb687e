// Deletes what is stored of a bot: on request, or when its time is over. What fails midway is finished later; nothing is readable meanwhile.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bot, BotId } from '../../domain/bot.ts'
import { counted } from '../../domain/counted.ts'
import { ServiceError } from '../../domain/errors.ts'
import { next, RUNNING } from '../../domain/lifecycle.ts'
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { botPrefix, type ObjectStore } from '../../storage/store.ts'
import { findBot } from '../db/bots.ts'
import { inTransaction } from '../db/database.ts'
import {
  claimDeletions,
  countDeleted,
  DEFAULT_RETENTION_HOURS,
  type DueDeletion,
  deleteLater,
  erase,
  findRetention,
} from '../db/retention.ts'
import { type TransitionDeps, together, transition } from './transition.ts'

export type DeletionDeps = TransitionDeps & {
  readonly store: ObjectStore
  /** Where this node has recordings: as bots leave them, and where they are worked at. */
  readonly recordings: readonly string[]
}

const RETRY_SECONDS = 60
const BATCH = 100

/** Deletes stored data for good. The record stays, as MediaExpired. Done again, it finishes what was begun. */
export async function deleteContent(deps: DeletionDeps, bot: Bot, { at, message }: { at: Date; message: string }): Promise<number> {
  if (bot.status === 'MediaExpired') throw new ServiceError('bot_not_found')
  if (!isDeletable(bot)) {
    const still = RUNNING.includes(bot.status) ? 'it is in a meeting' : `its status is ${bot.status}`
    throw new ServiceError('conflict', `The bot's data cannot be deleted while ${still}.`)
  }
  await inTransaction(deps.db, (tx) => erase(tx, bot.id, { at, retrySeconds: RETRY_SECONDS }))
  await removeObjects(deps, bot.id)
  for (const folder of deps.recordings) await rm(join(folder, bot.id), { recursive: true, force: true })
  return together(deps, async (inside) => {
    const deleted = await countDeleted(inside.db, bot.id, 0)
    const extra = { status: 'success', deleted_objects: deleted }
    if (!(await transition(inside, { bot: bot.id, by: 'media_deleted', at, message, extra }))) throw new ServiceError('bot_not_found')
    return deleted
  })
}

const isDeletable = ({ status, platform }: Bot): boolean => next(status, 'media_deleted', platform) !== null

/** Counted batch by batch, so that a removal in two goes tells the same number. */
async function removeObjects({ db, store }: DeletionDeps, botId: BotId): Promise<void> {
  const keys = await store.list(botPrefix(botId))
  for (let done = 0; done < keys.length; done += BATCH) {
    await countDeleted(db, botId, await store.remove(keys.slice(done, done + BATCH)))
  }
}

export type RetentionDeps = DeletionDeps & { readonly log: Logger; readonly now: () => Date }

const LOOK_EVERY_MS = 30_000
const AT_ONCE = 20

/** Looks for data whose time is over, and for deletions that were not finished. */
export function startRetention(deps: RetentionDeps): Loop {
  const { db, log } = deps
  return startLoop({
    async work() {
      const due = await claimDeletions(db, { limit: AT_ONCE, leaseSeconds: RETRY_SECONDS })
      for (const it of due) {
        await deleteDue(deps, it).catch((error: unknown) => log.error({ err: error, botId: it.id }, 'stored data could not be deleted'))
      }
      return due.length === AT_ONCE ? 0 : LOOK_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'data that is due to go could not be looked for'),
    retryMs: LOOK_EVERY_MS,
  })
}

async function deleteDue(deps: RetentionDeps, { id, workspaceId }: DueDeletion): Promise<void> {
  const bot = await findBot(deps.db, workspaceId, id)
  if (!bot) return
  if (!isDeletable(bot)) return deleteLater(deps.db, id)
  const hours = bot.spec.retentionHours ?? (await findRetention(deps.db, workspaceId)) ?? DEFAULT_RETENTION_HOURS
  const message = bot.isErased ? 'Stored media was deleted' : `Stored media was deleted after ${counted(hours, 'hour')}`
  await deleteContent(deps, bot, { at: deps.now(), message })
}
