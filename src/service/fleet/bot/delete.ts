// Deletes a bot's stored data, on request or after its retention time. A deletion that fails midway is retried; its data is unreadable meanwhile.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bot, BotId } from '../../../domain/bot.ts'
import { counted } from '../../../domain/counted.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { next, RUNNING } from '../../../domain/lifecycle.ts'
import { startDueWork } from '../../../kit/due-work.ts'
import type { Logger } from '../../../kit/log.ts'
import type { Loop } from '../../../kit/loop.ts'
import { botPrefix, bundlePrefix, type ObjectStore } from '../../../storage/store.ts'
import { inTransaction } from '../../db/database.ts'
import { findBot } from '../../db/fleet/bots.ts'
import {
  claimDeletions,
  countDeleted,
  DEFAULT_RETENTION_HOURS,
  type DueDeletion,
  deleteLater,
  erase,
  findRetention,
} from '../../db/fleet/retention.ts'
import { LEASES } from '../../leases.ts'
import { atomically, type TransitionDeps, transition } from './transition.ts'

export type DeletionDeps = TransitionDeps & {
  readonly store: ObjectStore
  /** Folders of this node with recordings: as bots leave them, and work in progress. */
  readonly recordings: readonly string[]
}

const BATCH = 100

/** A scheduled bot is cancelled first. If it starts meanwhile, it cannot be deleted. */
export async function deleteOnRequest(deps: DeletionDeps, bot: Bot, at: Date): Promise<number> {
  const deletion = { at, message: 'Stored media was deleted on request' }
  if (bot.status !== 'Scheduled') return deleteContent(deps, bot, deletion)
  await transition(deps, { bot: bot.id, by: 'cancelled', at, message: 'The scheduled bot was deleted on request' })
  return deleteContent(deps, (await findBot(deps.db, bot.workspaceId, bot.id)) ?? bot, deletion)
}

/** Deletes stored data for good. The record stays as MediaExpired. Repeating it finishes an interrupted deletion. */
async function deleteContent(deps: DeletionDeps, bot: Bot, { at, message }: { at: Date; message: string }): Promise<number> {
  if (bot.status === 'MediaExpired') throw new ServiceError('bot_not_found')
  if (!isDeletable(bot)) {
    const state = RUNNING.includes(bot.status) ? 'it is in a meeting' : `its status is ${bot.status}`
    throw new ServiceError('conflict', `The bot's data cannot be deleted while ${state}.`)
  }
  await inTransaction(deps.db, (tx) => erase(tx, bot.id, { at, retrySeconds: LEASES.deletion.seconds }))
  await removeObjects(deps, bot.id)
  for (const folder of deps.recordings) await rm(join(folder, bot.id), { recursive: true, force: true })
  return atomically(deps, async (inside) => {
    const deleted = await countDeleted(inside.db, bot.id, 0)
    const extra = { status: 'success', deleted_objects: deleted }
    if (!(await transition(inside, { bot: bot.id, by: 'media_deleted', at, message, extra }))) throw new ServiceError('bot_not_found')
    return deleted
  })
}

const isDeletable = ({ status, platform }: Bot): boolean => next(status, 'media_deleted', platform) !== null

/** Counts each batch, so that an interrupted deletion reports the same total. */
async function removeObjects({ db, store }: DeletionDeps, botId: BotId): Promise<void> {
  const keys = [...(await store.list(bundlePrefix(botId))), ...(await store.list(botPrefix(botId)))]
  for (let done = 0; done < keys.length; done += BATCH) {
    await countDeleted(db, botId, await store.remove(keys.slice(done, done + BATCH)))
  }
}

export type RetentionDeps = DeletionDeps & { readonly log: Logger; readonly now: () => Date }

const LOOK_EVERY_MS = 30_000
/** Deletion is never urgent, and each claim has its whole lease. */
const AT_ONCE = 1

/** Finds data past its retention time, and unfinished deletions. */
export function startRetention(deps: RetentionDeps): Loop {
  const { db, log } = deps
  return startDueWork({
    atOnce: AT_ONCE,
    lookEveryMs: LOOK_EVERY_MS,
    claim: (limit) => claimDeletions(db, { limit, leaseSeconds: LEASES.deletion.seconds }),
    workAt: (due) =>
      deleteDue(deps, due).catch((error: unknown) => log.error({ err: error, botId: due.id }, 'stored data could not be deleted')),
    onError: (error) => log.error({ err: error }, 'data due for deletion could not be claimed; it is tried again'),
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
