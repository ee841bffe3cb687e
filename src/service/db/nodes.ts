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
