// Leases of nodes: a node holds all its bots by one lease in its own row, so a renewal writes one row and not one for each bot.
import { sql } from 'kysely'
import type { BotId } from '../../../domain/bot.ts'
import type { Db } from '../database.ts'
import { onlyRow } from '../query.ts'
import { type Claim, hasNull } from './claims.ts'
import { type LapseLook, mayEnd } from './lapse-look.ts'

/**
 * The `launch_at` of a bot under its node's lease is this far ahead, and is moved on when half of it is left. It matters only to nodes of a
 * release that does not know node leases: they find the bot of a lost node by then, if no newer node has found it.
 */
const FAR = sql`interval '10 min'`
const HALF = sql`interval '5 min'`
/** A lease of the bot's own ends sooner: that of a fresh claim, or of a bot that its node does not name. */
export const SOON = sql`interval '1 min'`
const AT_ONCE = 10

export type Renewal = {
  readonly nodeId: string
  readonly claims: readonly Claim[]
  readonly leaseSeconds: number
  /** The node asks every node that joined before, if it cannot renew. Null: it asks none. */
  readonly knows: string | null
}

/**
 * Renews the claims of a node and returns the bots that are held: not ended, not lost, not claimed by another node.
 *
 * The node's lease counts if no other statement has changed it since the snapshot of this one. Then no bot under it was lost since, because
 * that begins with a change of the node's row. Otherwise, and for a node without a row, each bot's own lease is renewed. A bot under the
 * node's lease that is not named gets a lease of its own and lapses by it.
 */
export async function renewClaims(db: Db, { nodeId, claims, leaseSeconds, knows }: Renewal): Promise<ReadonlySet<BotId>> {
  if (claims.length === 0) return new Set()
  const lapse = sql`now() + make_interval(secs => ${leaseSeconds})`
  const { rows } = await sql<{ id: BotId }>`
    with claim as (
      select * from unnest(${claims.map(({ botId }) => botId)}::text[], ${claims.map(({ fence }) => fence)}::int[]) as claim (id, fence)
    ), before as (
      select id, holds_until from nodes where id = ${nodeId} for no key update
    ), holder as (
      update nodes set holds_until = ${lapse}, knows = ${knows}::timestamptz from before where nodes.id = before.id
      returning before.holds_until = (select holds_until from nodes where id = ${nodeId}) as is_unchanged
    ), node as (
      select coalesce((select is_unchanged from holder), false) as holds
    ), mine as materialized (
      -- Read once by the index of this node's bots, and not once for each purpose.
      select bots.id, bots.fence, launch_at, claim.id is not null as is_named from bots left join claim using (id, fence)
      where node_id = ${nodeId} and launch_at is not null
    ), renewed as (
      update bots set launch_at = case when holds then now() + ${FAR} else greatest(bots.launch_at, ${lapse}) end
      from mine cross join node where is_named and (not holds or mine.launch_at < now() + ${HALF})
        and bots.id = mine.id and bots.fence = mine.fence and not ${hasNull('node_id', 'bots.launch_at')} returning bots.id
    ), unnamed as (
      update bots set launch_at = ${lapse} from mine cross join node where holds and not is_named and mine.launch_at > now() + ${SOON}
        and bots.id = mine.id and bots.fence = mine.fence and not ${hasNull('node_id', 'bots.launch_at')}
    )
    select id from renewed
    union all
    select id from mine cross join node where is_named and holds and launch_at >= now() + ${HALF}
    union all
    -- A session beside the holder's may go on while the bot is that one's.
    select bot_id from successions join claim on claim.id = bot_id and claim.fence = successions.fence join bots on bots.id = bot_id
    where successions.node_id = ${nodeId} and ends_at > now() and bots.fence < successions.fence and launch_at is not null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Ends the leases of silent nodes: the claims under them have lapsed when the node's lease did. A bot with a lease of its own stays: a node
 * that returns from a pause may have just claimed it. A locked bot is left for the next look, and so is its node. The node's row is changed
 * in any case, so that a renewal which began before notices.
 *
 * Nodes that have been gone for a day are deleted: recordings on their disks are not awaited any longer.
 */
export async function lapseNodes(db: Db, look: LapseLook): Promise<void> {
  await sql`
    with gone as (
      delete from nodes where alive_until < now() - interval '1 day' and holds_until is null
    ), lapsed as (
      select id, holds_until from nodes as holder where holds_until <= now() and ${mayEnd(look)}
      order by holds_until limit ${AT_ONCE} for no key update skip locked
    ), free as (
      -- The array is for the planner: by its statistics, which age within seconds, it may expect the bots of all nodes and read the whole table.
      select bots.id, holds_until from bots join lapsed on lapsed.id = node_id
      where node_id = any(array(select id from lapsed)) and launch_at > holds_until + ${SOON}
        and not launch_at between now() and now() + ${SOON}
      for no key update of bots skip locked
    ), ended as (
      update bots set launch_at = holds_until from free where bots.id = free.id
    )
    update nodes set (holds_until, knows) = (select case when is_open then lapsed.holds_until - interval '1 us' end, case when is_open then knows end
      from (select exists (
        select from bots where node_id = nodes.id and launch_at > lapsed.holds_until + ${SOON} and not bots.id = any(array(select id from free))
      ) as is_open) as it)
    from lapsed where nodes.id = lapsed.id`.execute(db)
}

export type FleetSize = {
  /** Nodes that run bots. */
  readonly nodes: number
  /** Those of them that have a free seat. */
  readonly withSeats: number
}

export type Outlook = FleetSize & {
  /** The time until the next lease of a bot or node lapses unless it is renewed; null: none does within the time asked for. */
  readonly untilLapseMs: number | null
}

/** By the clock of the database. One statement, because each reads the rows of all nodes. */
export function lookAhead(db: Db, withinMs: number): Promise<Outlook> {
  const soon = sql`between now() and now() + make_interval(secs => ${withinMs / 1000})`
  return onlyRow<Outlook>(db)`
    select extract(epoch from least(
        (select launch_at from bots where launch_at ${soon} and node_id is not null order by launch_at limit 1),
        min(holds_until) filter (where holds_until ${soon})
      ) - now())::float8 * 1000 as "untilLapseMs",
      count(*) filter (where runs_bots)::int as nodes, count(*) filter (where runs_bots and not draining and free_seats > 0)::int as "withSeats"
    from (select *, alive_until > now() and 'fleet' = any(roles) as runs_bots from nodes) as it`
}
