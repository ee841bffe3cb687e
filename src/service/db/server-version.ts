// Reads the PostgreSQL version for `emissary doctor`, without changing anything in the database.
import { sql } from 'kysely'
import { openPool, URGENT } from './database.ts'

/** Throws if the server does not answer. */
export async function readServerVersion(url: string): Promise<string> {
  const db = openPool({ connection: { url }, connections: 1, limits: URGENT, onError: () => undefined })
  try {
    const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
    return rows[0]?.version ?? 'unknown'
  } finally {
    await db.destroy()
  }
}
