// Claims on bots: a bot's row is its own queue. `node_id` says who holds it, `launch_at` until when; without a holder, since when it is due.
import { sql } from 'kysely'
import type { BotId, BotSpec, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import type { Status } from '../../domain/lifecycle.ts'
import type { Platform } from '../../domain/platforms.ts'
import type { Db } from './database.ts'

export type DueBot = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly platform: Platform
  readonly status: Status
  readonly joinAt: Date | null
  readonly fence: number
  readonly spec: BotSpec
  readonly customAttributes: JsonObject
  /** Its greeting has been posted: a bot that comes back does not repeat it. */
  readonly isGreeted: boolean
}

export type Claim = { readonly botId: BotId; readonly fence: number }

/** Free seats of a node. A browser that is `open` takes bots of any one workspace; those in use have seats for their own workspace only. */
export type FreeSeats = {
  readonly open: number
  readonly seatsPerBrowser: number
  readonly own: ReadonlyMap<WorkspaceId, number>
}

export type ClaimOrder = {
  readonly nodeId: string
  readonly seats: FreeSeats
  readonly limit: number
  readonly leaseSeconds: number
  /** Bots of one workspace that run at the same time; null: as many as there are seats. */
  readonly mostPerWorkspace: number | null
}

/**
 * The bots that wait for a seat, with their turn: lost bots first, then round by round, so that a workspace with many bots waits behind one
 * with few. `place` is the bot's place among its own workspace's. With `each`, only so many of a workspace: workspaces are found by jumping
 * along the index, so that the cost does not grow with the length of the queue.
 */
const turns = (each: number | null) => sql`
  workspaces as (
    (select workspace_id from bots where node_id is null and launch_at is not null order by workspace_id limit 1)
    union all
    select (select bots.workspace_id from bots where node_id is null and launch_at is not null and bots.workspace_id > workspaces.workspace_id
      order by bots.workspace_id limit 1) from workspaces where workspaces.workspace_id is not null
  ), waiting as (
    select due.*, row_number() over (partition by due.workspace_id order by is_new, launch_at, id) as place
    from workspaces cross join lateral (
      (select id, bots.workspace_id, false as is_new, launch_at from bots where bots.workspace_id = workspaces.workspace_id
        and lost_at is not null and node_id is null and launch_at <= now() order by launch_at, id limit ${each}::int)
      union all
      (select id, bots.workspace_id, true, launch_at from bots where bots.workspace_id = workspaces.workspace_id
        and lost_at is null and node_id is null and launch_at <= now() order by launch_at, id limit ${each}::int)
    ) as due
  ), load as (
    select workspace_id, count(*) as claimed from bots
    where node_id is not null and launch_at is not null and workspace_id in (select workspace_id from waiting) group by workspace_id
  ), turns as (
    select waiting.*, coalesce(claimed, 0) + place as turn from waiting left join load using (workspace_id)
  )`

/** Takes due bots that can be seated, for `leaseSeconds`. A claim that is not renewed lapses by itself. */
export async function claimDue(db: Db, { nodeId, seats, limit, leaseSeconds, mostPerWorkspace }: ClaimOrder): Promise<DueBot[]> {
  const [workspaces, own] = [[...seats.own.keys()], [...seats.own.values()]]
  const { rows } = await sql<DueBot>`
    with recursive ${turns(limit)}, seated as (
      -- A bot without a seat in a browser of its own workspace opens one, and the next few of the workspace sit beside it.
      select turns.*, place <= coalesce(own.seats, 0) as has_own_seat,
        place > coalesce(own.seats, 0) and (place - coalesce(own.seats, 0) - 1) % ${seats.seatsPerBrowser}::int = 0 as opens
      from turns left join unnest(${workspaces}::text[], ${own}::int[]) as own (workspace_id, seats) using (workspace_id)
      where not is_new or ${mostPerWorkspace}::int is null or turn <= ${mostPerWorkspace}::int
    ), ranked as (
      select *, count(*) filter (where opens) over (order by is_new, turn, launch_at, id) as opened from seated
    ), chosen as (
      select id from ranked where has_own_seat or opened <= ${seats.open} order by is_new, turn, launch_at, id limit ${limit}
    ), taken as (
      select id from bots where id in (select id from chosen) and launch_at <= now() and node_id is null for update skip locked
    )
    update bots set launch_at = now() + make_interval(secs => ${leaseSeconds}), fence = fence + 1, node_id = ${nodeId}, recorded_by = ${nodeId}
    where id in (select id from taken)
    returning id, workspace_id as "workspaceId", platform, status, join_at as "joinAt", fence, spec, custom_attributes as "customAttributes",
      greeted_at is not null as "isGreeted"`.execute(db)
  return rows
}

/** Keeps these claims, and returns the bots that are still held: neither ended, nor lost, nor claimed by another node since. */
export async function renewClaims(db: Db, claims: readonly Claim[], leaseSeconds: number): Promise<ReadonlySet<BotId>> {
  if (claims.length === 0) return new Set()
  const { rows } = await sql<{ id: BotId }>`update bots set launch_at = now() + make_interval(secs => ${leaseSeconds})
    from unnest(${claims.map(({ botId }) => botId)}::text[], ${claims.map(({ fence }) => fence)}::int[]) as claim (id, fence)
    where bots.id = claim.id and bots.fence = claim.fence and node_id is not null and launch_at is not null returning bots.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Puts a bot that could not be launched back into the queue. A claim that is no longer the bot's changes nothing. */
export async function releaseClaim(db: Db, { botId, fence }: Claim, seconds: number): Promise<void> {
  await sql`update bots set node_id = null, launch_at = now() + make_interval(secs => ${seconds})
    where id = ${botId} and fence = ${fence} and node_id is not null and launch_at is not null`.execute(db)
}

/** Locks the bot for the transaction if the claim is still the bot's newest. False: another node claimed it, or its owner lost it. */
export async function lockClaim(tx: Db, { botId, fence }: Claim): Promise<boolean> {
  const { rows } = await sql`select from bots where id = ${botId} and fence = ${fence} for no key update`.execute(tx)
  return rows.length > 0
}

/** From now on, reports under an earlier claim change nothing. */
export async function disown(db: Db, id: BotId): Promise<void> {
  await sql`update bots set fence = fence + 1, node_id = null where id = ${id}`.execute(db)
}

/** The moment the next bot is due that no node holds, or null when none waits. */
export async function nextDue(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`
    select launch_at as at from bots where launch_at is not null and node_id is null order by launch_at limit 1`.execute(db)
  return rows[0]?.at ?? null
}

export type LapsedClaim = Claim & { readonly lapsedAt: Date; readonly status: Status }

/** Claims whose lease has run out: their node died, hangs, or has lost the database. */
export async function lapsedClaims(db: Db, limit: number): Promise<LapsedClaim[]> {
  const { rows } = await sql<LapsedClaim>`
    select id as "botId", fence, launch_at as "lapsedAt", status from bots
    where launch_at <= now() and node_id is not null order by launch_at limit ${limit}`.execute(db)
  return rows
}

export type Overdue = { readonly id: BotId; readonly status: Status; readonly fence: number }

/** Bots that have waited for a seat for too long: scheduled ones since their join time, others since they were created or lost. */
export async function overdueBots(
  db: Db,
  { startedBefore, joinBefore, limit }: { readonly startedBefore: Date; readonly joinBefore: Date; readonly limit: number },
): Promise<Overdue[]> {
  const { rows } = await sql<Overdue>`
    select id, status, fence from bots where launch_at <= now() and node_id is null
      and case when status = 'Scheduled' then join_at < ${joinBefore} else coalesce(lost_at, join_at, created_at) < ${startedBefore} end
    order by launch_at limit ${limit}`.execute(db)
  return rows
}

export type Queue = { readonly position: number; readonly expectedWaitSeconds: number | null }

/** Where the bot stands among those that wait for a seat; null when it does not wait. */
export async function queueOf(db: Db, bot: BotId): Promise<Queue | null> {
  const { rows } = await sql<{ position: number; freed: number }>`
    with recursive ${turns(null)}, ranked as (select id, row_number() over (order by is_new, turn, launch_at, id) as position from turns)
    select position, coalesce((select sum(freed_seats) from nodes where alive_until > now()), 0)::int as freed
    from ranked where id = ${bot}`.execute(db)
  const [row] = rows
  if (!row) return null
  return {
    position: row.position,
    expectedWaitSeconds: row.freed > 0 ? Math.ceil((row.position / row.freed) * FREED_WITHIN_SECONDS) : null,
  }
}

/** The time over which a node counts the seats that became free. */
export const FREED_WITHIN_SECONDS = 600
