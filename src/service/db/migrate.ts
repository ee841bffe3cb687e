// Brings the database's tables to the shape this version expects: numbered files, forward only.
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { type Db, inTransaction, oneAtATime } from './database.ts'

const FOLDER = new URL('migrations/', import.meta.url)
const MIGRATING = 4_021_977

/** Runs what has not run yet. Several services may start at once: the first one does it, the others wait. */
export async function migrate(db: Db): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort()
  return inTransaction(db, async (tx) => {
    await oneAtATime(tx, MIGRATING)
    await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`.execute(tx)
    const applied = new Set((await sql<{ name: string }>`select name from migrations`.execute(tx)).rows.map((row) => row.name))

    const unknown = [...applied].filter((name) => !files.includes(name))
    if (unknown.length > 0)
      throw new Error(`The database is newer than this Emissary: it has ${unknown.join(', ')}. Start a newer version.`)

    const missing = files.filter((name) => !applied.has(name))
    for (const name of missing) {
      await sql.raw(await readFile(new URL(name, FOLDER), 'utf8')).execute(tx)
      await sql`insert into migrations (name) values (${name})`.execute(tx)
    }
    return missing
  })
}
