// Claims on bots: a bot's row is its own queue. `node_id` is the holder. `launch_at` is the end of its lease or, without a holder, the due time.
// Nodes renew their claims by leases of their own: node-leases.ts.
import { sql } from 'kysely'
import type { Bot, BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { Status } from '../../../domain/lifecycle.ts'
import type { BotOrders } from '../../../domain/protocol.ts'
import type { Db } from '../database.ts'
import { hasRow, rowsOf } from '../query.ts'
import { type LapseLook, mayEnd } from './lapse-look.ts'

export type DueBot = Pick<Bot, 'id' | 'workspaceId' | 'platform' | 'status' | 'joinAt' | 'spec' | 'customAttributes'> & {
  /** Since when the bot was due. */
  readonly dueAt: Date
  readonly fence: number
  /** The greeting has been posted, and a bot that rejoins does not repeat it. */
  readonly isGreeted: boolean
  /** When an earlier session began the recording. */
  readonly recordedSince: Date | null
  readonly isPaused: boolean
  /** When the recording was last paused or resumed. */
  readonly pauseChangedAt: Date | null
  /** The bot joins beside its earlier session. */
  readonly beside?: BotOrders['beside']
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
  /** Scheduled bots may be claimed this long before they are due, after all that are due. */
  readonly aheadMs: number
}

/**
 * True if one of the columns is null. No partial index has this condition, so the rows are found by their id. Statistics lag behind a queue that
 * fills in seconds: by them an index of all claimed or due bots seems to be almost empty, and would be read once for each row.
 */
export const hasNull = (...columns: readonly string[]) => sql`(num_nulls(${sql.join(columns.map((it) => sql.ref(it)))}) > 0)`

/** Workspaces with more running bots than this take turns. So the cost of a claim does not grow with the fleet. */
export const MOST_COUNTED = 100

/** The order in which bots are claimed. */
const ORDER = sql`is_new, is_early, turn, launch_at, id`

/** Claims that meet choose the same bots. Each looks at as many as this many claims take, and takes those that no other one has locked. */
const CLAIMS_THAT_MEET = 4
const LEAST_LOOKED_AT = 32

const ahead = (ms: number) => sql`now() + make_interval(secs => ${ms / 1000})`

/**
 * Bots that wait for a seat, with their turn: lost bots first, then one per workspace and round, so that a workspace with many bots does not
 * delay one with few. `place` is the bot's position in its own workspace. `each` limits the bots of a workspace, and `counted` its running bots.
 * Workspaces are found by an index skip scan, so the cost does not grow with the queue. It grows with the workspaces that have scheduled bots, so
 * there is none if no bot is due. A bot that returned to the queue is not claimed ahead, because its time is a delay before the next attempt.
 */
const turns = (each: number | null, counted: number, aheadMs: number) => sql`
  workspaces as (
    (select workspace_id, launch_at as next_at from bots where node_id is null and launch_at is not null
      and (select launch_at from bots where node_id is null and launch_at is not null order by launch_at limit 1) <= ${ahead(aheadMs)}
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
      -- As a range, so that only the index of the workspace's own bots has the order: the one of all due bots would be read for each workspace.
      (select id, bots.workspace_id, true, launch_at from bots where bots.workspace_id >= workspaces.workspace_id
        and (bots.workspace_id, launch_at) <= (workspaces.workspace_id, ${ahead(aheadMs)})
        and lost_at is null and node_id is null and launch_at is not null and (launch_at <= now() or recorded_by is null)
        order by bots.workspace_id, launch_at, id limit ${each}::int)
    ) as due where next_at <= ${ahead(aheadMs)}
  ), load as materialized (
    -- Counted once for each workspace. Otherwise the planner would count again for each waiting bot.
    select workspace_id, (select count(*) from (select from bots where bots.workspace_id = it.workspace_id
      and node_id is not null and launch_at is not null limit ${counted}::int) as running) as claimed
    from workspaces as it where next_at <= ${ahead(aheadMs)}
  ), turns as (
    select waiting.*, claimed + place as turn, launch_at > now() as is_early from waiting join load using (workspace_id)
  )`

/** The columns of a claimed bot, besides its fence and since when it was due. */
export const DUE_BOT = sql`bots.id, workspace_id as "workspaceId", platform, status, join_at as "joinAt", spec, custom_attributes as "customAttributes",
  greeted_at is not null as "isGreeted", (timeline -> 'Recording' ->> 'timestamp')::timestamptz as "recordedSince",
  is_paused as "isPaused", pause_changed_at as "pauseChangedAt"`

/** Claims due bots that can be seated, each by a lease of its own. A claim that is not renewed lapses. */
export function claimDue(db: Db, { nodeId, seats, limit, leaseSeconds, mostPerWorkspace, aheadMs }: ClaimOrder): Promise<DueBot[]> {
  const [workspaces, own] = [[...seats.own.keys()], [...seats.own.values()]]
  const lookedAt = Math.max(limit * CLAIMS_THAT_MEET, limit + LEAST_LOOKED_AT)
  return rowsOf<DueBot>(db)`
    with recursive ${turns(Math.max(limit, LEAST_LOOKED_AT), Math.max(MOST_COUNTED, mostPerWorkspace ?? 0), aheadMs)}, seated as (
      -- A bot without a seat in a browser of its workspace opens one, and the next bots of the workspace share it.
      select turns.*, place <= coalesce(own.seats, 0) as has_own_seat,
        place > coalesce(own.seats, 0) and (place - coalesce(own.seats, 0) - 1) % ${seats.seatsPerBrowser}::int = 0 as opens
      from turns left join unnest(${workspaces}::text[], ${own}::int[]) as own (workspace_id, seats) using (workspace_id)
      where not is_new or ${mostPerWorkspace}::int is null or turn <= ${mostPerWorkspace}::int
    ), ranked as (
      select *, count(*) filter (where opens) over (order by ${ORDER}) as opened from seated
    ), chosen as (
      select id, row_number() over (order by ${ORDER}) as rank from ranked where has_own_seat or opened <= ${seats.open}
      order by rank limit ${lookedAt}
    ), taken as (
      -- Any of the chosen bots find seats, because fewer bots of a workspace need fewer browsers.
      select bots.id, launch_at as due_at from chosen join bots using (id)
      where launch_at <= ${ahead(aheadMs)} and ${hasNull('node_id')} order by rank limit ${limit} for update of bots skip locked
    )
    update bots set launch_at = now() + make_interval(secs => ${leaseSeconds}), fence = fence + 1, node_id = ${nodeId}, recorded_by = ${nodeId}
    from taken where bots.id = taken.id
    returning ${DUE_BOT}, fence, due_at as "dueAt"`
}

/** Returns a bot that could not be launched to the queue. A claim that is not the bot's newest changes nothing. */
export async function releaseClaim(db: Db, { botId, fence }: Claim, seconds: number): Promise<void> {
  await sql`update bots set node_id = null, launch_at = now() + make_interval(secs => ${seconds})
    where id = ${botId} and fence = ${fence} and node_id is not null and launch_at is not null`.execute(db)
}

/** Locks the bot for the transaction if the claim is its newest. False: another node claimed it, or the claim was revoked. */
export function lockClaim(tx: Db, { botId, fence }: Claim): Promise<boolean> {
  return hasRow(tx)`select from bots where id = ${botId} and fence = ${fence} for no key update`
}

/** Raises the fence: reports under an earlier claim change nothing. */
export async function revokeClaim(db: Db, id: BotId): Promise<void> {
  await sql`update bots set fence = fence + 1, node_id = null where id = ${id}`.execute(db)
}

export type LapsedClaim = Claim & { readonly lapsedAt: Date; readonly status: Status }

/** Claims whose lease has lapsed, and which the node may end: their holder died, hangs, or cannot reach the database. */
export function lapsedClaims(db: Db, look: LapseLook, limit: number): Promise<LapsedClaim[]> {
  return rowsOf<LapsedClaim>(db)`
    select bots.id as "botId", fence, launch_at as "lapsedAt", status from bots left join nodes as holder on holder.id = node_id
    where launch_at <= now() and node_id is not null and (holder.id is null or ${mayEnd(look)}) order by launch_at limit ${limit}`
}

/** All claims, lapsed or not. */
export function heldClaims(db: Db): Promise<Claim[]> {
  return rowsOf<Claim>(db)`select id as "botId", fence from bots where node_id is not null and launch_at is not null order by id`
}

export type Overdue = Pick<DueBot, 'id' | 'status' | 'fence'>

/** Bots that have waited too long for a seat: scheduled ones since their join time, others since they were created or lost. */
export function overdueBots(
  db: Db,
  { startedBefore, joinBefore, limit }: { readonly startedBefore: Date; readonly joinBefore: Date; readonly limit: number },
): Promise<Overdue[]> {
  return rowsOf<Overdue>(db)`
    select id, status, fence from bots where launch_at <= now() and node_id is null
      and case when status = 'Scheduled' then join_at < ${joinBefore} else coalesce(lost_at, join_at, created_at) < ${startedBefore} end
    order by launch_at limit ${limit}`
}

export type WaitingBot = Pick<DueBot, 'id' | 'workspaceId' | 'platform' | 'status' | 'fence' | 'spec'>

/** Bots that have waited for a seat since before `dueBefore`, and whose timeline does not say so yet. */
export function waitingBots(db: Db, { dueBefore, limit }: { readonly dueBefore: Date; readonly limit: number }): Promise<WaitingBot[]> {
  return rowsOf<WaitingBot>(db)`
    select id, workspace_id as "workspaceId", platform, status, fence, spec from bots
    where launch_at <= ${dueBefore} and node_id is null and not timeline ? 'Queued' order by launch_at limit ${limit}`
}

export type Queue = { readonly position: number; readonly expectedWaitSeconds: number | null }

/** The bot's position among those that wait for a seat; null: it does not wait. */
export async function queueOf(db: Db, bot: BotId): Promise<Queue | null> {
  const { rows } = await sql<{ position: number; freed: number }>`
    with recursive ${turns(null, MOST_COUNTED, 0)}, ranked as (select id, row_number() over (order by ${ORDER}) as position from turns)
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
