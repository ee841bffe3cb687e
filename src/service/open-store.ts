// The database: the operator's own, or one that runs in DATA_DIR; with its tables as this version wants them.
import { join } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Stops } from '../kit/stop-all.ts'
import type { Config } from './config.ts'
import { type Connection, type Db, type Limits, limitsOf, openDatabase, PATIENT, URGENT } from './db/database.ts'
import { startEmbeddedPostgres } from './db/embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { type Reachability, watchReachability } from './db/reachability.ts'

export type Store = {
  readonly db: Db
  /** A few connections with short limits, for what must not wait behind ordinary statements: leases, and whether the database answers. */
  readonly urgent: Db
  readonly reachability: Reachability
}

type Opening = {
  readonly log: Logger
  /** What is to be undone at the end, last first. */
  readonly stops: Stops
  /** Told in a sentence what takes time. */
  readonly onProgress: (sentence: string) => void
}

const URGENT_CONNECTIONS = 3

export async function openStore(config: Config, { log, stops, onProgress }: Opening): Promise<Store> {
  let connection: Connection
  if (config.DATABASE_URL) connection = { url: config.DATABASE_URL }
  else {
    const embedded = await startEmbeddedPostgres({
      directory: join(config.DATA_DIR, 'postgres'),
      log: onProgress,
      onLost: (error) => log.error({ err: error }, 'the embedded database ended; it is started again'),
      onRestartFailed: (error) => log.error({ err: error }, 'the embedded database could not be started; it is tried again'),
      onRestarted: (tookMs) => log.warn({ tookMs }, 'the embedded database was started again'),
    })
    stops.push(() => embedded.stop())
    connection = embedded.connection
  }
  const onError = (error: Error): void => log.warn({ err: error }, 'database connection lost')
  const open = (connections: number, limits: Limits, isDown?: () => boolean): Db =>
    openDatabase({ connection, connections, limits, onError, ...(isDown && { isDown }) })
  await migrateWith(open(1, PATIENT))

  const urgent = open(URGENT_CONNECTIONS, URGENT)
  stops.push(() => urgent.destroy())
  const reachability = watchReachability({
    urgent,
    onDown: (cause) => log.error({ err: cause }, 'the database does not answer'),
    onUp: () => log.warn('the database answers again'),
  })
  stops.push(() => reachability.stop())
  const db = open(config.DATABASE_CONNECTIONS, limitsOf(config.DATABASE_TIMEOUT_SECONDS), reachability.isDown)
  stops.push(() => db.destroy())
  return { db, urgent, reachability }
}

async function migrateWith(db: Db): Promise<void> {
  await migrate(db).finally(() => db.destroy())
}
