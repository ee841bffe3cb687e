// The nodes: every running service process of this database, with its roles and seats.
import { sql } from 'kysely'
import type { BotId } from '../../domain/bot.ts'
import type { NodeRole } from '../../domain/node-roles.ts'
import type { Db } from './database.ts'

export type NodeRow = {
  readonly id: string
  readonly address: string
  readonly key: string
  readonly seats: number
  readonly freeSeats: number
  /** Seats that became free in the last ten minutes. */
  readonly freedSeats: number
  readonly roles: readonly NodeRole[]
  /** True: the node takes no new bots, and stops when its last bot has left or is handed over. */
  readonly draining: boolean
  readonly version: string
  readonly startedAt: Date
}

/** Says that the node lives, and what it offers. */
export async function renewNode(db: Db, node: NodeRow, leaseSeconds: number): Promise<void> {
  await sql`
    insert into nodes (id, address, key, seats, free_seats, freed_seats, roles, draining, version, started_at, alive_until)
    values (${node.id}, ${node.address}, ${node.key}, ${node.seats}, ${node.freeSeats}, ${node.freedSeats}, ${node.roles}::text[],
      ${node.draining}, ${node.version}, ${node.startedAt}, now() + make_interval(secs => ${leaseSeconds}))
    on conflict (id) do update set address = excluded.address, seats = excluded.seats, free_seats = excluded.free_seats,
      freed_seats = excluded.freed_seats, draining = excluded.draining, alive_until = excluded.alive_until`.execute(db)
}

/** The node stops. Each of its bots has a lease of its own from now on, because the bots leave their meetings after this. */
export async function removeNode(db: Db, id: string, leaseSeconds: number): Promise<void> {
  // `launch_at` has no other condition: a renewal that ends meanwhile may have moved it on.
  await sql`with removed as (delete from nodes where id = ${id} returning id)
    update bots set launch_at = least(launch_at, now() + make_interval(secs => ${leaseSeconds}))
    from removed where node_id = removed.id and launch_at is not null`.execute(db)
}

export type FleetNode = Omit<NodeRow, 'key' | 'freedSeats'> & { readonly isAlive: boolean; readonly aliveUntil: Date }

export async function listNodes(db: Db): Promise<FleetNode[]> {
  const { rows } = await sql<FleetNode>`
    select id, address, seats, free_seats as "freeSeats", roles, draining, version, started_at as "startedAt",
      alive_until > now() as "isAlive", alive_until as "aliveUntil"
    from nodes order by started_at, id`.execute(db)
  return rows
}

export type Waiting = { readonly waiting: number; readonly longestSeconds: number; readonly scheduled: number }

/** Bots that wait for a seat, and bots that are due within a day. */
export async function waitingBots(db: Db): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*) filter (where launch_at <= now())::int as waiting,
      coalesce(extract(epoch from now() - min(launch_at) filter (where launch_at <= now())), 0)::float8 as "longestSeconds",
      count(*) filter (where launch_at > now() and launch_at < now() + interval '1 day')::int as scheduled
    from bots where node_id is null and launch_at is not null`.execute(db)
  return rows[0] ?? { waiting: 0, longestSeconds: 0, scheduled: 0 }
}

/** Ids sort by creation time, so the newest bots need no other index. */
const NEWEST = 500

export type Lateness = { readonly bots: number; readonly median: number | null; readonly p95: number | null; readonly most: number | null }

/** How many seconds after its due time each of the newest bots began to join. */
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

/** The node that last held the bot fell silent less than a day ago, so the recording on its disk may arrive later. */
export async function recorderIsAway(db: Db, bot: BotId): Promise<boolean> {
  const { rows } = await sql`select from bots join nodes on nodes.id = bots.recorded_by
    where bots.id = ${bot} and alive_until <= now()`.execute(db)
  return rows.length > 0
}

/** The node that holds the bot, if its lease is valid. */
export async function nodeOf(db: Db, bot: BotId): Promise<NodeAddress | null> {
  const { rows } = await sql<NodeAddress>`select nodes.id, address, key from bots join nodes on nodes.id = bots.node_id
    where bots.id = ${bot} and alive_until > now()`.execute(db)
  return rows[0] ?? null
}
