// The list of a workspace's bots: newest first, filtered, a page at a time.
import { sql } from 'kysely'
import type { Bot, BotId, WorkspaceId } from '../../domain/bot.ts'
import type { Status } from '../../domain/lifecycle.ts'
import type { Platform } from '../../domain/platforms.ts'
import { filterTerms } from './attribute-terms.ts'
import { PLAN_ANEW } from './client.ts'
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

export type ListedBot = Pick<Bot, 'id' | 'status' | 'name' | 'platform' | 'meetingUrl' | 'createdAt' | 'joinAt' | 'customAttributes'>

export async function listBots(db: Db, workspace: WorkspaceId, filter: BotFilter): Promise<ListedBot[]> {
  const { after } = filter
  const [first, ...others] = filter.attributes.map(([name, text]) => filterTerms(workspace, name, text))
  // With attributes the page is a walk along the first one's bots; without, along the workspace's.
  const walk = first ? sql`bot_terms walk join bots on bots.id = walk.bot_id` : sql`bots`
  const at = first ? sql`walk.created_at` : sql`bots.created_at`
  const id = first ? sql`walk.bot_id` : sql`bots.id`
  const conditions = [
    sql`bots.workspace_id = ${workspace}`,
    ...(first ? [sql`walk.term ${among(first)}`] : []),
    ...others.map(
      (terms) =>
        sql`exists (select from bot_terms it where it.term ${among(terms)} and it.created_at = walk.created_at and it.bot_id = walk.bot_id)`,
    ),
    ...(filter.status ? [sql`bots.status = ${filter.status}`] : []),
    ...(filter.platform ? [sql`bots.platform = ${filter.platform}`] : []),
    ...(filter.createdFrom ? [sql`${at} >= ${filter.createdFrom}`] : []),
    ...(filter.createdBefore ? [sql`${at} < ${filter.createdBefore}`] : []),
    ...(after ? [sql`(${at}, ${id}) < (${after.createdAt}, ${after.id})`] : []),
  ]
  const { rows } = await sql<ListedBot & { id: BotId }>`
    select bots.id, status, name, platform, meeting_url as "meetingUrl", bots.created_at as "createdAt", join_at as "joinAt",
      custom_attributes as "customAttributes"
    from ${walk} where ${sql.join(conditions, sql` and `)} order by ${at} desc, ${id} desc limit ${filter.limit} ${sql.raw(PLAN_ANEW)}`.execute(
    db,
  )
  return rows
}

/** One spelling is the rule, and equality lets the walk stay in order; several are the exception. */
function among(terms: readonly string[]) {
  return terms.length === 1 ? sql`= ${terms[0]}::bigint` : sql`= any(${terms}::bigint[])`
}
