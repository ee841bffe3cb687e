// A workspace's events in the order of their commit: no event ever appears before a position that was read.
import { sql } from 'kysely'
import type { WorkspaceId } from '../../../domain/bot.ts'
import { type Db, inTransaction } from '../database.ts'
import { firstRow } from '../query.ts'

/** More than a page, so that a page is full while any event lacks a position. */
const PLACED_AT_ONCE = 1_000

/** A page ends early at this size: every event has its bot's custom attributes. */
const MOST_BYTES = 1024 * 1024

type FeedEvent = { readonly position: number; readonly body: string }

export type FeedPage = { readonly events: readonly FeedEvent[]; readonly hasMore: boolean; readonly end: number }

/**
 * Events after a position, at least one if any has a position. `end` is the last position given out. A read takes no lock unless committed
 * events lack a position, and it never waits: `hasMore` is true while another reader gives out positions.
 */
export async function readFeed(db: Db, workspace: WorkspaceId, { after, limit }: { after: number; limit: number }): Promise<FeedPage> {
  const page = await readPlaced(db, workspace, { after, limit })
  if (page.hasMore || !page.hasUnplaced) return page
  if (!(await placeNew(db, workspace))) return { ...page, hasMore: true }
  return readPlaced(db, workspace, { after, limit })
}

/** One statement, so one snapshot: it contains every position up to `end`, because positions are committed in their order. */
async function readPlaced(
  db: Db,
  workspace: WorkspaceId,
  { after, limit }: { after: number; limit: number },
): Promise<FeedPage & { readonly hasUnplaced: boolean }> {
  const { rows } = await sql<State & { position: number | null; body: string | null }>`
    with feed as (
      select coalesce((select position from event_feeds where workspace_id = ${workspace}), 0) as last,
        exists (select from events where workspace_id = ${workspace} and position is null) as "hasUnplaced"
    ), found as (
      select position, body from events where workspace_id = ${workspace} and position > least(${after}::bigint, (select last from feed))
      order by position limit ${limit + 1}
    ), sized as (
      select position, body, row_number() over oldest as place, sum(octet_length(body)) over oldest as bytes
      from found window oldest as (order by position rows unbounded preceding)
    )
    select last, "hasUnplaced", (select count(*) from found) as count, position, body
    from feed left join sized on place = 1 or (place <= ${limit} and bytes <= ${MOST_BYTES}) order by place`.execute(db)
  const { last: end, hasUnplaced, count } = rows[0] ?? { last: 0, hasUnplaced: false, count: 0 }
  const events = rows.flatMap(({ position, body }) => (position === null || body === null ? [] : [{ position, body }]))
  return { events, hasMore: count > events.length, end, hasUnplaced }
}

type State = { readonly last: number; readonly hasUnplaced: boolean; readonly count: number }

/**
 * Gives positions to committed events. Events committed later get later positions. A bot's events are written one after another, so they keep
 * their order. Returns false if another reader has the lock.
 */
async function placeNew(db: Db, workspace: WorkspaceId): Promise<boolean> {
  await sql`
    insert into event_feeds (workspace_id, position)
    select ${workspace}, 0 where not exists (select from event_feeds where workspace_id = ${workspace}) on conflict do nothing`.execute(db)
  return inTransaction(db, async (tx) => {
    // A statement of its own: the next one must see the positions that the last holder of the lock gave out.
    const feed = await firstRow<{ position: number }>(tx)`
      select position from event_feeds where workspace_id = ${workspace} for update skip locked`
    if (!feed) return false
    await sql`
      with waiting as (
        select id, seq from events where workspace_id = ${workspace} and position is null order by seq limit ${PLACED_AT_ONCE}
      ), placed as (
        update events set position = ${feed.position}::bigint + place
        from (select id, row_number() over (order by seq) as place from waiting) as it
        where events.id = it.id returning events.id
      )
      update event_feeds set position = position + (select count(*) from placed)
      where workspace_id = ${workspace} and exists (select from placed)`.execute(tx)
    return true
  })
}
