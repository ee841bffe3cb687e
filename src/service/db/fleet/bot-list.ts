// The list of a workspace's bots: newest first, filtered, a page at a time.
import { type RawBuilder, sql } from 'kysely'
import type { Bot, BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { Status } from '../../../domain/lifecycle.ts'
import type { Platform } from '../../../domain/platforms.ts'
import { PLAN_ANEW } from '../client.ts'
import type { Db } from '../database.ts'
import { type AttributeFilter, wantedTerms } from './attribute-terms.ts'

export type BotFilter = {
  readonly status?: Status | undefined
  readonly platform?: Platform | undefined
  readonly createdFrom?: Date | undefined
  readonly createdBefore?: Date | undefined
  /** A part of the name or of the link, case-insensitive; or a whole id. */
  readonly search?: string | undefined
  readonly attributes: readonly AttributeFilter[]
  /** Only bots older than this one, which is the last of the previous page. */
  readonly after?: { readonly createdAt: Date; readonly id: string } | undefined
  readonly limit: number
}

export type ListedBot = Pick<Bot, 'id' | 'status' | 'name' | 'platform' | 'meetingUrl' | 'createdAt' | 'joinAt' | 'customAttributes'>

export type BotPage = { readonly bots: readonly ListedBot[]; readonly hasMore: boolean }

/** A page ends early at this size: a hundred bots with the largest attributes would take several megabytes. */
const MOST_BYTES = 1024 * 1024

/** `signal` also cancels the query in PostgreSQL. */
type Cancellation = { readonly signal?: AbortSignal }

type Terms = readonly string[]

export async function listBots(db: Db, workspace: WorkspaceId, filter: BotFilter, { signal }: Cancellation = {}): Promise<BotPage> {
  const wanted = wantedTerms(workspace, filter.attributes)
  if (wanted === 'none') return { bots: [], hasMore: false }
  const options = signal && { signal, inflightQueryAbortStrategy: 'cancel query' as const }
  // With attribute filters the query scans the bots of one attribute, otherwise those of the workspace.
  const walked = wanted.length > 1 ? await rarest(db, wanted, filter, options) : wanted[0]
  const { rows } = await page(found(workspace, filter, wanted, walked), filter.limit).execute(db, options)
  return { bots: rows.map(({ count: _count, ...bot }) => bot), hasMore: (rows[0]?.count ?? 0) > rows.length }
}

/** As many of the found bots as fit in a page, at least one. `count` is the number found. */
function page(bots: RawBuilder<unknown>, limit: number) {
  const size = sql`octet_length("customAttributes"::text) + 2 * octet_length("meetingUrl")`
  return sql<ListedBot & { readonly id: BotId; readonly count: number }>`
    select id, status, name, platform, "meetingUrl", "createdAt", "joinAt", "customAttributes", count from (
      select found.*, row_number() over newest as place, sum(${size}) over newest as bytes, count(*) over () as count
      from (${bots}) as found window newest as (order by "createdAt" desc, id desc rows unbounded preceding)
    ) as sized where place = 1 or (place <= ${limit} and bytes <= ${MOST_BYTES}) order by place ${sql.raw(PLAN_ANEW)}`
}

/** One row more than the page holds shows that another page exists. */
function found(workspace: WorkspaceId, filter: BotFilter, wanted: readonly Terms[], walked: Terms | undefined): RawBuilder<unknown> {
  const { after } = filter
  const at = walked ? sql`walk.created_at` : sql`bots.created_at`
  const id = walked ? sql`walk.bot_id` : sql`bots.id`
  const conditions = [
    sql`bots.workspace_id = ${workspace}`,
    ...(wanted.length > 1 ? [hasAll(wanted)] : []),
    ...(filter.status ? [sql`bots.status = ${filter.status}`] : []),
    ...(filter.platform ? [sql`bots.platform = ${filter.platform}`] : []),
    ...(filter.search ? [matches(filter.search)] : []),
    ...(filter.createdFrom ? [sql`${at} >= ${filter.createdFrom}`] : []),
    ...(filter.createdBefore ? [sql`${at} < ${filter.createdBefore}`] : []),
    ...(after ? [sql`(${at}, ${id}) < (${after.createdAt}, ${after.id})`] : []),
  ]
  return sql`
    select bots.id, status, name, platform, meeting_url as "meetingUrl", bots.created_at as "createdAt", join_at as "joinAt",
      custom_attributes as "customAttributes"
    from ${walked ? sql`(${botsWith(walked)}) as walk join bots on bots.id = walk.bot_id` : sql`bots`}
    where ${sql.join(conditions, sql` and `)} order by ${at} desc, ${id} desc limit ${filter.limit + 1}`
}

/**
 * Without an index: the scan reads the workspace's bots until the page is full. A search without a match takes 0.3 s among 180,000 bots. A
 * trigram index answers in 4 ms, but is larger than the table and makes the insert of a bot three to eight times as slow.
 */
function matches(search: string): RawBuilder<unknown> {
  const part = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`(bots.name ilike ${part} or bots.meeting_url ilike ${part} or bots.id = ${search})`
}

/** One branch for each spelling keeps the scan in index order. */
function botsWith(terms: Terms): RawBuilder<unknown> {
  const branches = terms.map((term) => sql`select created_at, bot_id from bot_terms where term = ${term}::bigint`)
  return sql.join(branches, sql` union all `)
}

/**
 * One subquery for all attributes: a join for each makes planning time grow without bound. A bot has one value for a name, so it has at most
 * one of a name's terms.
 */
function hasAll(wanted: readonly Terms[]): RawBuilder<unknown> {
  return sql`(select count(*) from bot_terms it
    where it.term = any(${wanted.flat()}::bigint[]) and it.created_at = walk.created_at and it.bot_id = walk.bot_id) = ${wanted.length}::bigint`
}

/** The number of bots of each attribute that are read to see how far back they reach. */
const SAMPLE = 100

/** The attribute whose next bots reach back farthest has the fewest bots, so its scan is the shortest. */
async function rarest(
  db: Db,
  wanted: readonly Terms[],
  { after, createdBefore }: BotFilter,
  options: Parameters<RawBuilder<unknown>['execute']>[1],
): Promise<Terms | undefined> {
  const spellings = wanted.flatMap((terms, place) => terms.map((term) => ({ term, place })))
  const start = after?.createdAt ?? createdBefore ?? 'infinity'
  const { rows } = await sql<{ place: number }>`
    select place from unnest(${spellings.map(({ term }) => term)}::bigint[], ${spellings.map(({ place }) => place)}::int[]) as it (term, place)
    group by place order by max((
      select created_at from bot_terms where bot_terms.term = it.term and created_at <= ${start}::timestamptz
      order by created_at desc offset ${SAMPLE} limit 1)) nulls first, place limit 1`.execute(db, options)
  return wanted[rows[0]?.place ?? 0]
}
