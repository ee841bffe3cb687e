// The nodes that hold bots.
import { sql } from 'kysely'
import type { BotId } from '../../domain/bot.ts'
import type { Db } from './database.ts'

export type NodeRow = {
  readonly id: string
  readonly address: string
  readonly key: string
  readonly seats: number
  readonly freeSeats: number
  /** Seats that became free in the last ten minutes. */
  readonly freedSeats: number
  readonly startedAt: Date
}

/** Says that the node lives, and forgets those that have been gone for a day. */
export async function renewNode(db: Db, node: NodeRow, leaseSeconds: number): Promise<void> {
  await sql`insert into nodes (id, address, key, seats, free_seats, freed_seats, started_at, alive_until)
    values (${node.id}, ${node.address}, ${node.key}, ${node.seats}, ${node.freeSeats}, ${node.freedSeats}, ${node.startedAt},
      now() + make_interval(secs => ${leaseSeconds}))
    on conflict (id) do update set address = excluded.address, seats = excluded.seats, free_seats = excluded.free_seats,
      freed_seats = excluded.freed_seats, alive_until = excluded.alive_until`.execute(db)
  await sql`delete from nodes where alive_until < now() - interval '1 day'`.execute(db)
}

export async function removeNode(db: Db, id: string): Promise<void> {
  await sql`delete from nodes where id = ${id}`.execute(db)
}

export type FleetNode = Pick<NodeRow, 'id' | 'address' | 'seats' | 'freeSeats' | 'startedAt'> & { readonly isAlive: boolean }

export async function listNodes(db: Db): Promise<FleetNode[]> {
  const { rows } = await sql<FleetNode>`
    select id, address, seats, free_seats as "freeSeats", started_at as "startedAt", alive_until > now() as "isAlive"
    from nodes order by started_at, id`.execute(db)
  return rows
}

export type Waiting = { readonly waiting: number; readonly longestSeconds: number; readonly scheduled: number }

/** Bots that wait for a seat, and those whose time comes within a day. */
export async function waitingBots(db: Db): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*) filter (where launch_at <= now())::int as waiting,
      coalesce(extract(epoch from now() - min(launch_at) filter (where launch_at <= now())), 0)::float8 as "longestSeconds",
      count(*) filter (where launch_at > now() and launch_at < now() + interval '1 day')::int as scheduled
    from bots where node_id is null and launch_at is not null`.execute(db)
  return rows[0] ?? { waiting: 0, longestSeconds: 0, scheduled: 0 }
}

/** Ids are in the order of creation, so the newest bots need no other index. */
const NEWEST = 500

export type Lateness = { readonly bots: number; readonly median: number | null; readonly p95: number | null; readonly most: number | null }

/** How many seconds after its time each of the newest bots began to join. */
export async function latenessOf(db: Db): Promise<Lateness> {
  const { rows } = await sql<Lateness>`
    with late as (
      select greatest(0, extract(epoch from (timeline->'Joining'->>'timestamp')::timestamptz - coalesce(join_at, created_at)))::float8 as seconds
      from (select timeline, join_at, created_at from bots order by id desc limit ${NEWEST}) as newest where timeline ? 'Joining'
    )
    select count(*)::int as bots, percentile_cont(0.5) within group (order by seconds) as median,
      percentile_cont(0.95) within group (order by seconds) as p95, max(seconds) as most from late`.execute(db)
  return rows[0] ?? { bots: 0, median: null, p95: null, most: null }
}

export type NodeAddress = { readonly id: string; readonly address: string; readonly key: string }

/** The node that held the bot last fell silent, a day ago at the most: what it has on its disk comes when it is back. */
export async function recorderIsAway(db: Db, bot: BotId): Promise<boolean> {
  const { rows } = await sql`select from bots join nodes on nodes.id = bots.recorded_by
    where bots.id = ${bot} and alive_until <= now()`.execute(db)
  return rows.length > 0
}

/** The node that holds the bot, if it lives. */
export async function nodeOf(db: Db, bot: BotId): Promise<NodeAddress | null> {
  const { rows } = await sql<NodeAddress>`select nodes.id, address, key from bots join nodes on nodes.id = bots.node_id
    where bots.id = ${bot} and alive_until > now()`.execute(db)
  return rows[0] ?? null
}
