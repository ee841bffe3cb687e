// Opens the database, the operator's own or an embedded one in DATA_DIR, and runs migrations.
import { join } from 'node:path'
import type { Logger } from '../kit/log.ts'
import type { Stops } from '../kit/stop-all.ts'
import type { Config } from './config.ts'
import { type Connection, type Db, type Limits, limitsOf, openPool, PATIENT, URGENT } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { type Reachability, watchReachability } from './db/reachability.ts'
import { findEmbeddedPostgres, startEmbeddedPostgres } from './postgres/embedded-postgres.ts'

export type Database = {
  readonly connection: Connection
  readonly db: Db
  /** A few connections with short limits, for the node's row and health checks, which must not wait behind ordinary statements. */
  readonly urgent: Db
  readonly reachability: Reachability
}

type Opening = {
  readonly log: Logger
  /** Stop functions, called in reverse order. */
  readonly stops: Stops
  /** Receives a message before each slow step. */
  readonly onProgress: (sentence: string) => void
}

/** The keeper's thread has a third one, for leases of bots. */
const URGENT_CONNECTIONS = 2

export async function openDatabase(config: Config, { log, stops, onProgress }: Opening): Promise<Database> {
  let connection: Connection
  if (config.DATABASE_URL) connection = { url: config.DATABASE_URL }
  else {
    const embedded = await startEmbeddedPostgres({
      directory: join(config.DATA_DIR, 'postgres'),
      log: onProgress,
      onLost: (error) => log.error({ err: error }, 'the embedded database exited; restarting it'),
      onRestartFailed: (error) => log.error({ err: error }, 'could not restart the embedded database; trying again'),
      onRestarted: (tookMs) => log.warn({ tookMs }, 'restarted the embedded database'),
    })
    stops.push(() => embedded.stop())
    connection = embedded.connection
  }
  const onError = (error: Error): void => log.warn({ err: error }, 'database connection lost')
  const open = (connections: number, limits: Limits, watched?: Pick<Reachability, 'isDown' | 'writableSinceMs'>): Db =>
    openPool({ connection, connections, limits, onError, ...watched })
  await migrateWith(open(1, PATIENT))

  const urgent = open(URGENT_CONNECTIONS, URGENT)
  stops.push(() => urgent.destroy())
  const reachability = watchReachability({
    urgent,
    onDown: (cause) => log.error({ err: cause }, 'the database does not answer, or is read-only'),
    onUp: () => log.warn('the database works again'),
  })
  stops.push(() => reachability.stop())
  const db = open(config.DATABASE_CONNECTIONS, limitsOf(config.DATABASE_TIMEOUT_SECONDS), reachability)
  stops.push(() => db.destroy())
  return { connection, db, urgent, reachability }
}

/** The database of a running service, for a command beside it. Nothing is started, migrated or owned. */
export async function openRunningDatabase(config: Config): Promise<Db> {
  const embedded = config.DATABASE_URL ? null : await findEmbeddedPostgres(join(config.DATA_DIR, 'postgres'))
  if (!config.DATABASE_URL && !embedded)
    throw new Error(`No database runs in ${config.DATA_DIR}. Start the service, or set DATABASE_URL to the database of the fleet.`)
  const connection = embedded ?? { url: config.DATABASE_URL ?? '' }
  return openPool({ connection, connections: 2, limits: limitsOf(config.DATABASE_TIMEOUT_SECONDS), onError: () => undefined })
}

async function migrateWith(db: Db): Promise<void> {
  await migrate(db).finally(() => db.destroy())
}
