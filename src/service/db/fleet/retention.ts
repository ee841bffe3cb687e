// Deletion of stored data: due bots, unreadable data, and the number of deleted objects.
import { sql } from 'kysely'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { Db } from '../database.ts'
import { firstValue, onlyRow, rowsOf } from '../query.ts'
import { eraseContent } from './bots.ts'
import { eraseMeeting } from './meetings.ts'

/** If neither the bot nor its workspace sets one. */
export const DEFAULT_RETENTION_HOURS = 720

/** For bots that set none; null: the default of the service. */
export function findRetention(db: Db, workspace: WorkspaceId): Promise<number | null> {
  return firstValue<number>(db)`select retention_hours from workspaces where id = ${workspace}`
}

/** Bots that have ended keep the deletion time they have. */
export async function setRetention(db: Db, workspace: WorkspaceId, hours: number | null): Promise<void> {
  await sql`update workspaces set retention_hours = ${hours} where id = ${workspace}`.execute(db)
}

export type StoredMedia = { readonly bots: number; readonly files: number; readonly bytes: number }

export function storedMedia(db: Db, workspace: WorkspaceId): Promise<StoredMedia> {
  return onlyRow<StoredMedia>(db)`
    select count(distinct bot_id)::int as bots, count(*)::int as files, coalesce(sum((facts->>'bytes')::bigint), 0)::float8 as bytes
    from artefacts join bots on bots.id = bot_id where workspace_id = ${workspace}`
}

export type DueDeletion = { readonly id: BotId; readonly workspaceId: WorkspaceId }

/** Claims bots whose data is due for deletion. A claim that is not finished lapses after `leaseSeconds`. */
export function claimDeletions(db: Db, { limit, leaseSeconds }: { limit: number; leaseSeconds: number }): Promise<DueDeletion[]> {
  return rowsOf<DueDeletion>(db)`
    update bots set delete_at = now() + make_interval(secs => ${leaseSeconds})
    where id in (select id from bots where delete_at <= now() order by delete_at limit ${limit} for update skip locked)
    returning id, workspace_id as "workspaceId"`
}

/** The bot has not ended: its end sets a new deletion time. */
export async function deleteLater(db: Db, bot: BotId): Promise<void> {
  await sql`update bots set delete_at = null where id = ${bot}`.execute(db)
}

/** Makes the data unreadable. The store's objects are deleted by the next attempt, after `retrySeconds`, until none is left. */
export async function erase(tx: Db, bot: BotId, { at, retrySeconds }: { at: Date; retrySeconds: number }): Promise<void> {
  const { numAffectedRows } = await sql`
    update bots set erased_at = ${at}, delete_at = now() + make_interval(secs => ${retrySeconds})
    where id = ${bot} and erased_at is null`.execute(tx)
  if (!numAffectedRows) return
  await countDeleted(tx, bot, (await eraseContent(tx, bot)) + (await eraseMeeting(tx, bot)))
}

/** Returns the total. */
export async function countDeleted(db: Db, bot: BotId, count: number): Promise<number> {
  const { rows } = await sql<{ all: number }>`
    update bots set deleted_objects = deleted_objects + ${count} where id = ${bot} returning deleted_objects as "all"`.execute(db)
  return rows[0]?.all ?? 0
}
