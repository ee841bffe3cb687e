// Prepares a database for simulations: its tables, and the workspaces that every scenario uses.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Connection, type Db, openPool } from '../src/service/db/database.ts'
import { migrate } from '../src/service/db/migrate.ts'
import { WORKSPACES } from './scenario.ts'

/** Written by simulated bots. A vacuum would move their rows, and a run of a seed would differ from the next one. */
const TABLES = ['bots', 'events', 'deliveries', 'delivery_attempts', 'absences', 'bot_terms', 'credit_entries', 'nodes', 'successions']

export async function prepareDatabase(connection: Connection): Promise<void> {
  const db = openPool({ connection, connections: 1, onError: () => undefined })
  await migrate(db)
  for (const table of TABLES) await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db)
  for (const id of WORKSPACES)
    await sql`insert into workspaces (id, name, created_at) values (${id}, ${id}, now()) on conflict do nothing`.execute(db)
  await db.destroy()
}

/** As in start-fleet.ts. */
const ASK_WITHIN_MS = 700

/** Whether a node reaches the database, on the virtual clock. */
export function reaches(db: Db): Promise<boolean> {
  const late = delay(ASK_WITHIN_MS, false)
  const answered = sql`select 1`.execute(db)
  return Promise.race([answered.then(() => true).catch(() => false), late])
}
