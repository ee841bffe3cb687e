// The list of a workspace's bots: newest first, filtered, a page at a time.
import { sql } from 'kysely'
import type { Bot, WorkspaceId } from '../../domain/bot.ts'
import type { Status } from '../../domain/lifecycle.ts'
import type { Platform } from '../../domain/platforms.ts'
import { filterTerms } from './attribute-terms.ts'
import { botFrom } from './bots.ts'
import type { Db } from './database.ts'

export type BotFilter = {
  readonly status?: Status | undefined
  readonly platform?: Platform | undefined
  readonly createdFrom?: Date | undefined
  readonly createdBefore?: Date | undefined
  readonly attributes: readonly (readonly [name: string, text: string])[]
  /** Only bots older than this one: the last of the page before. */
  readonly after?: { readonly createdAt: Date; readonly id: string } | undefined
  readonly limit: number
}

export async function listBots(db: Db, workspace: WorkspaceId, filter: BotFilter): Promise<Bot[]> {
  let query = db.selectFrom('bots').selectAll().where('workspace_id', '=', workspace)
  if (filter.status) query = query.where('status', '=', filter.status)
  if (filter.platform) query = query.where('platform', '=', filter.platform)
  if (filter.createdFrom) query = query.where('created_at', '>=', filter.createdFrom)
  if (filter.createdBefore) query = query.where('created_at', '<', filter.createdBefore)
  for (const [name, text] of filter.attributes) {
    query = query.where(sql<boolean>`attribute_terms && ${filterTerms(workspace, name, text)} and attribute_terms <> '{}'`)
  }
  if (filter.after) query = query.where(sql<boolean>`(created_at, id) < (${filter.after.createdAt}, ${filter.after.id})`)
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(filter.limit).execute()
  return rows.map(botFrom)
}
