// The database: the operator's own, or one that runs in DATA_DIR; with its tables as this version wants them.
import { join } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Config } from './config.ts'
import { type Connection, type Db, openDatabase } from './db/database.ts'
import { startEmbeddedPostgres } from './db/embedded-postgres.ts'
import { migrate } from './db/migrate.ts'

type Opening = {
  readonly log: Logger
  /** What is to be undone at the end, last first. */
  readonly stops: (() => Promise<unknown>)[]
  /** Told in a sentence what takes time. */
  readonly onProgress: (sentence: string) => void
  /** The database is gone for good. */
  readonly onLost: (error: Error) => void
}

export async function openStore(config: Config, { log, stops, onProgress, onLost }: Opening): Promise<Db> {
  let connection: Connection
  if (config.DATABASE_URL) connection = { url: config.DATABASE_URL }
  else {
    const embedded = await startEmbeddedPostgres({ directory: join(config.DATA_DIR, 'postgres'), log: onProgress, onLost })
    stops.push(() => embedded.stop())
    connection = embedded.connection
  }
  const db = openDatabase({
    connection,
    connections: config.DATABASE_CONNECTIONS,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  stops.push(() => db.destroy())
  await migrate(db)
  return db
}
