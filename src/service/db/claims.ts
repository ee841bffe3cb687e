// Claims on bots: a bot's row is its own queue. `node_id` is the holder. `launch_at` is the end of its lease or, without a holder, the due time.
// Nodes renew their claims by leases of their own: node-leases.ts.
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
  /** Since when the bot was due. */
  readonly dueAt: Date
  readonly fence: number
  readonly spec: BotSpec
  readonly customAttributes: JsonObject
  /** The greeting has been posted, and a bot that rejoins does not repeat it. */
  readonly isGreeted: boolean
}

export type Claim = { readonly botId: BotId; readonly fence: number }

/** Free seats of a node. An `open` browser takes bots of any one workspace. A browser in use has seats for its own workspace only. */
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
  /** The most bots of one workspace that run at the same time; null: no limit. */
  readonly mostPerWorkspace: number | null
}

/**
 * True if one of the columns is null. No partial index has this condition, so the rows are found by their id. Statistics lag behind a queue that
 * fills in seconds: by them an index of all claimed or due bots seems to be almost empty, and would be read once for each row.
 */
export const hasNull = (...columns: readonly string[]) => sql`(num_nulls(${sql.join(columns.map((it) => sql.ref(it)))}) > 0)`

/** Workspaces with more running bots than this take turns. So the cost of a claim does not grow with the fleet. */
export const MOST_COUNTED = 100

/**
 * Bots that wait for a seat, with their turn: lost bots first, then one per workspace and round, so that a workspace with many bots does not
 * delay one with few. `place` is the bot's position in its own workspace. `each` limits the bots of a workspace, and `counted` its running bots.
 * Workspaces are found by an index skip scan, so the cost does not grow with the queue. It grows with the workspaces that have scheduled bots, so
 * there is none if no bot is due.
 */
const turns = (each: number | null, counted: number) => sql`
  workspaces as (
    (select workspace_id, launch_at as next_at from bots where node_id is null and launch_at is not null
      and (select launch_at from bots where node_id is null and launch_at is not null order by launch_at limit 1) <= now()
      order by workspace_id, launch_at limit 1)
    union all
    select later.* from workspaces cross join lateral (
      select bots.workspace_id, launch_at from bots where node_id is null and launch_at is not null and bots.workspace_id > workspaces.workspace_id
      order by bots.workspace_id, launch_at limit 1) as later
  ), waiting as (
    select due.*, row_number() over (partition by due.workspace_id order by is_new, launch_at, id) as place
    from workspaces cross join lateral (
      (select id, bots.workspace_id, false as is_new, launch_at from bots where bots.workspace_id = workspaces.workspace_id
        and lost_at is not null and node_id is null and launch_at <= now() order by launch_at, id limit ${each}::int)
      union all
      (select id, bots.workspace_id, true, launch_at from bots where bots.workspace_id = workspaces.workspace_id
        and lost_at is null and node_id is null and launch_at <= now() order by launch_at, id limit ${each}::int)
    ) as due where next_at <= now()
  ), load as materialized (
    -- Counted once for each workspace. Otherwise the planner would count again for each waiting bot.
    select workspace_id, (select count(*) from (select from bots where bots.workspace_id = it.workspace_id
      and node_id is not null and launch_at is not null limit ${counted}::int) as running) as claimed
    from workspaces as it where next_at <= now()
  ), turns as (
    select waiting.*, claimed + place as turn from waiting join load using (workspace_id)
  )`

/** Claims due bots that can be seated, each by a lease of its own. A claim that is not renewed lapses. */
export async function claimDue(db: Db, { nodeId, seats, limit, leaseSeconds, mostPerWorkspace }: ClaimOrder): Promise<DueBot[]> {
  const [workspaces, own] = [[...seats.own.keys()], [...seats.own.values()]]
  const { rows } = await sql<DueBot>`
    with recursive ${turns(limit, Math.max(MOST_COUNTED, mostPerWorkspace ?? 0))}, seated as (
      -- A bot without a seat in a browser of its workspace opens one, and the next bots of the workspace share it.
      select turns.*, place <= coalesce(own.seats, 0) as has_own_seat,
        place > coalesce(own.seats, 0) and (place - coalesce(own.seats, 0) - 1) % ${seats.seatsPerBrowser}::int = 0 as opens
      from turns left join unnest(${workspaces}::text[], ${own}::int[]) as own (workspace_id, seats) using (workspace_id)
      where not is_new or ${mostPerWorkspace}::int is null or turn <= ${mostPerWorkspace}::int
    ), ranked as (
      select *, count(*) filter (where opens) over (order by is_new, turn, launch_at, id) as opened from seated
    ), chosen as (
      select id from ranked where has_own_seat or opened <= ${seats.open} order by is_new, turn, launch_at, id limit ${limit}
    ), taken as (
      select id, launch_at as due_at from bots
      where id in (select id from chosen) and launch_at <= now() and ${hasNull('node_id')} for update skip locked
    )
    update bots set launch_at = now() + make_interval(secs => ${leaseSeconds}), fence = fence + 1, node_id = ${nodeId}, recorded_by = ${nodeId}
    from taken where bots.id = taken.id
    returning bots.id, workspace_id as "workspaceId", platform, status, join_at as "joinAt", due_at as "dueAt", fence, spec, custom_attributes as "customAttributes",
      greeted_at is not null as "isGreeted"`.execute(db)
  return rows
}

/** Returns a bot that could not be launched to the queue. A claim that is not the bot's newest changes nothing. */
export async function releaseClaim(db: Db, { botId, fence }: Claim, seconds: number): Promise<void> {
  await sql`update bots set node_id = null, launch_at = now() + make_interval(secs => ${seconds})
    where id = ${botId} and fence = ${fence} and node_id is not null and launch_at is not null`.execute(db)
}

/** Locks the bot for the transaction if the claim is its newest. False: another node claimed it, or the claim was revoked. */
export async function lockClaim(tx: Db, { botId, fence }: Claim): Promise<boolean> {
  const { rows } = await sql`select from bots where id = ${botId} and fence = ${fence} for no key update`.execute(tx)
  return rows.length > 0
}

/** Raises the fence: reports under an earlier claim change nothing. */
export async function revokeClaim(db: Db, id: BotId): Promise<void> {
  await sql`update bots set fence = fence + 1, node_id = null where id = ${id}`.execute(db)
}

export type LapsedClaim = Claim & { readonly lapsedAt: Date; readonly status: Status }

/** Claims whose lease has lapsed: their node died, hangs, or cannot reach the database. */
export async function lapsedClaims(db: Db, limit: number): Promise<LapsedClaim[]> {
  const { rows } = await sql<LapsedClaim>`
    select id as "botId", fence, launch_at as "lapsedAt", status from bots
    where launch_at <= now() and node_id is not null order by launch_at limit ${limit}`.execute(db)
  return rows
}

export type Overdue = { readonly id: BotId; readonly status: Status; readonly fence: number }

/** Bots that have waited too long for a seat: scheduled ones since their join time, others since they were created or lost. */
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

export type WaitingBot = Pick<DueBot, 'id' | 'workspaceId' | 'platform' | 'status' | 'fence' | 'spec'>

/** Bots that have waited for a seat since before `dueBefore`, and whose timeline does not say so yet. */
export async function waitingBots(
  db: Db,
  { dueBefore, limit }: { readonly dueBefore: Date; readonly limit: number },
): Promise<WaitingBot[]> {
  const { rows } = await sql<WaitingBot>`
    select id, workspace_id as "workspaceId", platform, status, fence, spec from bots
    where launch_at <= ${dueBefore} and node_id is null and not timeline ? 'Queued' order by launch_at limit ${limit}`.execute(db)
  return rows
}

export type Queue = { readonly position: number; readonly expectedWaitSeconds: number | null }

/** The bot's position among those that wait for a seat; null: it does not wait. */
export async function queueOf(db: Db, bot: BotId): Promise<Queue | null> {
  const { rows } = await sql<{ position: number; freed: number }>`
    with recursive ${turns(null, MOST_COUNTED)}, ranked as (select id, row_number() over (order by is_new, turn, launch_at, id) as position from turns)
    select position, coalesce((select sum(freed_seats) from nodes where alive_until > now()), 0)::int as freed
    from ranked where id = ${bot}`.execute(db)
  const [row] = rows
  if (!row) return null
  return {
    position: row.position,
    expectedWaitSeconds: row.freed > 0 ? Math.ceil((row.position / row.freed) * FREED_WITHIN_SECONDS) : null,
  }
}

/** The period over which a node counts the seats that became free. */
export const FREED_WITHIN_SECONDS = 600
