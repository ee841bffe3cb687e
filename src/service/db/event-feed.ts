// A workspace's events in the order of their commit: no event ever appears before a position that was read.
import { sql } from 'kysely'
import type { WorkspaceId } from '../../domain/bot.ts'
import { type Db, inTransaction } from './database.ts'

/** More than a page, so that a page is full while any event lacks a position. */
const PLACED_AT_ONCE = 1_000

/** A page ends early at this size: every event has its bot's custom attributes. */
const MOST_BYTES = 1024 * 1024

type FeedEvent = { readonly position: number; readonly body: string }

export type FeedPage = { readonly events: readonly FeedEvent[]; readonly hasMore: boolean; readonly end: number }

/** Events after a position, at least one if any exists. `end` is the last position given out. */
export async function readFeed(db: Db, workspace: WorkspaceId, { after, limit }: { after: number; limit: number }): Promise<FeedPage> {
  return inTransaction(db, async (tx) => {
    const end = await placeNew(tx, workspace)
    const { rows } = await sql<FeedEvent & { count: number }>`
      select position, body, count from (
        select position, body, row_number() over oldest as place, sum(octet_length(body)) over oldest as bytes, count(*) over () as count
        from (
          select position, body from events where workspace_id = ${workspace} and position > ${Math.min(after, end)}
          order by position limit ${limit + 1}
        ) as found window oldest as (order by position rows unbounded preceding)
      ) as sized where place = 1 or (place <= ${limit} and bytes <= ${MOST_BYTES}) order by place`.execute(tx)
    return { events: rows, hasMore: (rows[0]?.count ?? 0) > rows.length, end }
  })
}

/**
 * Gives positions to committed events. Events committed later get later positions. The row lock admits one reader at a time. A bot's events
 * are written one after another, so they keep their order.
 */
async function placeNew(tx: Db, workspace: WorkspaceId): Promise<number> {
  const last = await lastPlace(tx, workspace)
  const { rows } = await sql<{ count: number }>`
    with waiting as (
      select id, seq from events where workspace_id = ${workspace} and position is null order by seq limit ${PLACED_AT_ONCE}
    ), placed as (
      update events set position = ${last} + place from (select id, row_number() over (order by seq) as place from waiting) as it
      where events.id = it.id returning events.id
    )
    select count(*) from placed`.execute(tx)
  const count = rows[0]?.count ?? 0
  if (count > 0) await sql`update event_feeds set position = position + ${count} where workspace_id = ${workspace}`.execute(tx)
  return last + count
}

async function lastPlace(tx: Db, workspace: WorkspaceId): Promise<number> {
  const read = () => sql<{ position: number }>`select position from event_feeds where workspace_id = ${workspace} for update`.execute(tx)
  const { rows } = await read()
  if (rows[0]) return rows[0].position
  await sql`insert into event_feeds (workspace_id, position) values (${workspace}, 0) on conflict do nothing`.execute(tx)
  return (await read()).rows[0]?.position ?? 0
}
