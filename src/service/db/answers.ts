// Whether a database answers, for `emissary doctor`: nothing in it is changed.
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase, URGENT } from './database.ts'
import { findPostmaster } from './postgres-postmaster.ts'

/** The version of the server. Throws where it does not answer. */
export async function askVersion(url: string): Promise<string> {
  const db = openDatabase({ connection: { url }, connections: 1, limits: URGENT, onError: () => undefined })
  try {
    const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db)
    return rows[0]?.version ?? 'unknown'
  } finally {
    await db.destroy()
  }
}

/** The embedded server in this folder, where it runs. */
export async function isEmbeddedRunning(directory: string): Promise<boolean> {
  return (await findPostmaster(join(directory, 'cluster')))?.ready === true
}
