// The nodes: every running service process of this database, with its roles and seats.
import { sql } from 'kysely'
import type { BotId } from '../../../domain/bot.ts'
import type { NodeRole } from '../../../domain/node-roles.ts'
import type { Db } from '../database.ts'
import { firstRow, hasRow, onlyRow, rowsOf } from '../query.ts'

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
  /** `DATABASE_OUTAGE_SECONDS` of the node. */
  readonly outageSeconds: number
}

/**
 * Says that the node lives, and what it offers. A node whose row has lapsed joins again: other nodes may have forgotten it. So does one whose row
 * was changed after this statement began: an earlier renewal was committed late, and the row that others saw meanwhile may have lapsed.
 */
export async function renewNode(db: Db, node: NodeRow, leaseSeconds: number): Promise<void> {
  await sql`
    insert into nodes (id, address, key, seats, free_seats, freed_seats, roles, draining, version, reads_bundles, started_at, outage_seconds,
      joined_at, alive_until)
    values (${node.id}, ${node.address}, ${node.key}, ${node.seats}, ${node.freeSeats}, ${node.freedSeats}, ${node.roles}::text[],
      ${node.draining}, ${node.version}, true, ${node.startedAt}, ${node.outageSeconds}, now(), now() + make_interval(secs => ${leaseSeconds}))
    on conflict (id) do update set address = excluded.address, seats = excluded.seats, free_seats = excluded.free_seats,
      freed_seats = excluded.freed_seats, draining = excluded.draining, alive_until = excluded.alive_until,
      joined_at = case when nodes.alive_until > now() and nodes.alive_until = (select alive_until from nodes as seen where seen.id = excluded.id)
        then nodes.joined_at else now() end`.execute(db)
}

/** The node stops. Each of its bots has a lease of its own from now on, because the bots leave their meetings after this. */
export async function removeNode(db: Db, id: string, leaseSeconds: number): Promise<void> {
  // `launch_at` has no other condition: a renewal that ends meanwhile may have moved it on.
  await sql`with removed as (delete from nodes where id = ${id} returning id)
    update bots set launch_at = least(launch_at, now() + make_interval(secs => ${leaseSeconds}))
    from removed where node_id = removed.id and launch_at is not null`.execute(db)
}

export type FleetNode = Omit<NodeRow, 'key' | 'freedSeats' | 'outageSeconds'> & { readonly isAlive: boolean; readonly aliveUntil: Date }

export function listNodes(db: Db): Promise<FleetNode[]> {
  return rowsOf<FleetNode>(db)`
    select id, address, seats, free_seats as "freeSeats", roles, draining, version, started_at as "startedAt",
      alive_until > now() as "isAlive", alive_until as "aliveUntil"
    from nodes order by started_at, id`
}

export type Waiting = { readonly waiting: number; readonly longestSeconds: number; readonly scheduled: number }

/** Bots that wait for a seat, and bots that are due within a day. */
export function countWaitingBots(db: Db): Promise<Waiting> {
  return onlyRow<Waiting>(db)`
    select count(*) filter (where launch_at <= now())::int as waiting,
      coalesce(extract(epoch from now() - min(launch_at) filter (where launch_at <= now())), 0)::float8 as "longestSeconds",
      count(*) filter (where launch_at > now() and launch_at < now() + interval '1 day')::int as scheduled
    from bots where node_id is null and launch_at is not null`
}

/** Ids sort by creation time, so the newest bots need no other index. */
const NEWEST = 500

export type Lateness = { readonly bots: number; readonly median: number | null; readonly p95: number | null; readonly most: number | null }

/** How many seconds after its due time each of the newest bots began to join. */
export function latenessOf(db: Db): Promise<Lateness> {
  return onlyRow<Lateness>(db)`
    with late as (
      select greatest(0, extract(epoch from (timeline->'Joining'->>'timestamp')::timestamptz - coalesce(join_at, created_at)))::float8 as seconds
      from (select timeline, join_at, created_at from bots order by id desc limit ${NEWEST}) as newest where timeline ? 'Joining'
    )
    select count(*)::int as bots, percentile_cont(0.5) within group (order by seconds) as median,
      percentile_cont(0.95) within group (order by seconds) as p95, max(seconds) as most from late`
}

/** False during an upgrade from a release that reads recordings only file by file. */
export async function allReadBundles(db: Db): Promise<boolean> {
  return !(await hasRow(db)`select from nodes where alive_until > now() and not reads_bundles`)
}

export type NodeAddress = { readonly id: string; readonly address: string; readonly key: string }

export type KnownNodes = {
  readonly others: readonly NodeAddress[]
  /** Every node that joined before is among them, unless it has lapsed since: then it joins again. */
  readonly knows: string
}

/** The nodes that may end leases. `leaseSeconds`: of a node. Null: this node has no row. */
export async function knownNodes(db: Db, nodeId: string, leaseSeconds: number): Promise<KnownNodes | null> {
  // A renewal in progress is not visible yet, and may be for as long as its commit takes. A node that is alive began it less than a lease ago,
  // and it found a row that was alive then. So a node that keeps its `joined_at` is on each list since.
  const slack = sql`make_interval(secs => ${leaseSeconds})`
  const rows = await rowsOf<NodeAddress & Pick<KnownNodes, 'knows'>>(db)`
    select id, address, key, (now() - ${slack})::text as knows from nodes where 'fleet' = any(roles) and alive_until > now() - ${slack} order by id`
  const own = rows.find(({ id }) => id === nodeId)
  return own ? { knows: own.knows, others: rows.filter((it) => it !== own).map(({ id, address, key }) => ({ id, address, key })) } : null
}

/** The node that last held the bot fell silent less than a day ago, so the recording on its disk may arrive later. */
export function recorderIsAway(db: Db, bot: BotId): Promise<boolean> {
  return hasRow(db)`select from bots join nodes on nodes.id = bots.recorded_by
    where bots.id = ${bot} and alive_until <= now()`
}

/** The node that holds the bot, if its lease is valid. */
export function nodeOf(db: Db, bot: BotId): Promise<NodeAddress | null> {
  return firstRow<NodeAddress>(db)`select nodes.id, address, key from bots join nodes on nodes.id = bots.node_id
    where bots.id = ${bot} and alive_until > now()`
}

/** For a copy of the database, whose nodes are those of another fleet. */
export async function forgetNodes(tx: Db): Promise<void> {
  await sql`delete from nodes`.execute(tx)
}
