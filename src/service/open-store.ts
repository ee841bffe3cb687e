// The database: the operator's own, or one that runs in DATA_DIR; with its tables as this version wants them.
import { join } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Config } from './config.ts'
import { type Connection, type Db, type Limits, limitsOf, openDatabase, PATIENT, URGENT } from './db/database.ts'
import { startEmbeddedPostgres } from './db/embedded-postgres.ts'
import { migrate } from './db/migrate.ts'

export type Store = {
  readonly db: Db
  /** A few connections with short limits, for what must not wait behind ordinary statements: leases, and whether the database answers. */
  readonly urgent: Db
}

type Opening = {
  readonly log: Logger
  /** What is to be undone at the end, last first. */
  readonly stops: (() => Promise<unknown>)[]
  /** Told in a sentence what takes time. */
  readonly onProgress: (sentence: string) => void
  /** The database is gone for good. */
  readonly onLost: (error: Error) => void
}

const URGENT_CONNECTIONS = 3

export async function openStore(config: Config, { log, stops, onProgress, onLost }: Opening): Promise<Store> {
  let connection: Connection
  if (config.DATABASE_URL) connection = { url: config.DATABASE_URL }
  else {
    const embedded = await startEmbeddedPostgres({ directory: join(config.DATA_DIR, 'postgres'), log: onProgress, onLost })
    stops.push(() => embedded.stop())
    connection = embedded.connection
  }
  const open = (connections: number, limits: Limits): Db =>
    openDatabase({ connection, connections, limits, onError: (error) => log.warn({ err: error }, 'database connection lost') })
  await migrateWith(open(1, PATIENT))
  const db = open(config.DATABASE_CONNECTIONS, limitsOf(config.DATABASE_TIMEOUT_SECONDS))
  stops.push(() => db.destroy())
  const urgent = open(URGENT_CONNECTIONS, URGENT)
  stops.push(() => urgent.destroy())
  return { db, urgent }
}

async function migrateWith(db: Db): Promise<void> {
  await migrate(db).finally(() => db.destroy())
}
