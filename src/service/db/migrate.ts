// Migrates the database to the schema of this version: numbered files, forward only.
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { type Db, inTransaction, lockWork } from './database.ts'

const FOLDER = new URL('migrations/', import.meta.url)
const MIGRATING = 4_021_977

/**
 * Removes what older versions use, so they refuse to start. Other migrations only add: during a rolling upgrade old and new versions share
 * the database. A removal comes at least one release after the last version that needs it.
 */
const CONTRACTING = /^\d{4}-contract-/

/** Runs the missing migrations. Of several services that start at once, the first runs them and the others wait. */
export async function migrate(db: Db): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort()
  return inTransaction(db, async (tx) => {
    await lockWork(tx, MIGRATING)
    await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`.execute(tx)
    const applied = new Set((await sql<{ name: string }>`select name from migrations`.execute(tx)).rows.map((row) => row.name))

    const unknown = [...applied].filter((name) => !files.includes(name) && CONTRACTING.test(name))
    if (unknown.length > 0)
      throw new Error(`The database is newer than this Emissary: it has the migrations ${unknown.join(', ')}. Start a newer version.`)

    const missing = files.filter((name) => !applied.has(name))
    for (const name of missing) {
      await sql.raw(await readFile(new URL(name, FOLDER), 'utf8')).execute(tx)
      await sql`insert into migrations (name) values (${name})`.execute(tx)
    }
    return missing
  })
}
