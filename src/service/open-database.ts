// Opens the database, the operator's own or an embedded one in DATA_DIR, and runs migrations.
import { join } from 'node:path'
import type { Logger } from '../kit/log.ts'
import { type Stops, stopLater } from '../kit/stop-all.ts'
import type { Config } from './config.ts'
import { type Connection, type Db, type Limits, limitsOf, openPool, PATIENT, URGENT } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { type Reachability, watchReachability } from './db/reachability.ts'
import { examineServer, KEEP_PREPARED, keepsPrepared, LOSES_PREPARED, setRoleLimits } from './db/route.ts'
import { findEmbeddedPostgres, hasEmbeddedPostgres, startEmbeddedPostgres } from './postgres/embedded-postgres.ts'
import { ConfigError } from './setting-readers.ts'

export type Database = {
  readonly connection: Connection
  readonly db: Db
  /** A connection with short limits, for the node's row and health checks, which must not wait behind ordinary statements. */
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

/** The keeper's thread has another one, for leases of bots. Both do short statements only, and a hung one ends after two seconds. */
const URGENT_CONNECTIONS = 1

export async function openDatabase(config: Config, { log, stops, onProgress }: Opening): Promise<Database> {
  let connection: Connection
  if (config.DATABASE_URL) connection = await connectionTo(config.DATABASE_URL, config, log)
  else {
    const embedded = await startEmbeddedPostgres({
      directory: join(config.DATA_DIR, 'postgres'),
      log: onProgress,
      onLost: (error) => log.error({ err: error }, 'the embedded database exited; restarting it'),
      onRestartFailed: (error) => log.error({ err: error }, 'could not restart the embedded database; trying again'),
      onRestarted: (tookMs) => log.warn({ tookMs }, 'restarted the embedded database'),
    })
    connection = stopLater(stops, embedded).connection
  }
  const onError = (error: Error): void => log.warn({ err: error }, 'database connection lost')
  const open = (connections: number, limits: Limits, watched?: Pick<Reachability, 'isDown' | 'writableSinceMs'>): Db =>
    openPool({ connection, connections, limits, onError, ...watched })
  await migrateWith(open(1, PATIENT), onProgress)

  const urgent = open(URGENT_CONNECTIONS, URGENT)
  stops.push(() => urgent.destroy())
  const onDown = (cause: unknown): void => log.error({ err: cause }, 'the database does not answer, or is read-only')
  const onUp = (): void => log.warn('the database works again')
  const reachability = stopLater(stops, watchReachability({ urgent, onDown, onUp }))
  const db = open(config.DATABASE_CONNECTIONS, limitsOf(config.DATABASE_TIMEOUT_SECONDS), reachability)
  stops.push(() => db.destroy())
  return { connection, db, urgent, reachability }
}

/** The database of a running service, for a command beside it. Nothing is started, migrated or owned. */
export async function openRunningDatabase(config: Config): Promise<Db> {
  const embedded = config.DATABASE_URL ? null : await findEmbeddedPostgres(join(config.DATA_DIR, 'postgres'))
  if (!config.DATABASE_URL && !embedded)
    throw new Error(`No database runs in ${config.DATA_DIR}. Start the service, or set DATABASE_URL to the database of the fleet.`)
  const connection = embedded ?? (await connectionTo(config.DATABASE_URL ?? '', config))
  return openPool({ connection, connections: 2, limits: limitsOf(config.DATABASE_TIMEOUT_SECONDS), onError: () => undefined })
}

/** `shared`: a running service may use the embedded server too. `own`: no service does. `new`: it is created if it is missing. */
export type WholeUse = 'shared' | 'own' | 'new'

type WholeDatabase = Pick<Opening, 'stops' | 'onProgress'> & { readonly use: WholeUse }

/** For a command that reads or fills the whole database. Nothing is migrated. An embedded server that does not run is started. */
export async function connectToWhole(config: Config, { stops, onProgress, use }: WholeDatabase): Promise<Connection> {
  if (config.DATABASE_URL) return connectionTo(config.DATABASE_URL, config)
  const directory = join(config.DATA_DIR, 'postgres')
  if (use !== 'new' && !(await hasEmbeddedPostgres(directory)))
    throw new Error(`There is no database in ${config.DATA_DIR}. Set DATA_DIR to its folder, or DATABASE_URL to its URL.`)
  const running = use === 'shared' ? await findEmbeddedPostgres(directory) : null
  return running ?? stopLater(stops, await startEmbeddedPostgres({ directory, log: onProgress })).connection
}

type RouteSettings = Pick<Config, 'DATABASE_PREPARED' | 'DATABASE_TIMEOUT_SECONDS'>

/** Refuses a pooler that loses prepared statements. Where a pooler drops the time limits of connections, the role gets them. */
export async function connectionTo(url: string, settings: RouteSettings, log?: Logger): Promise<Connection> {
  const limits = limitsOf(settings.DATABASE_TIMEOUT_SECONDS)
  const facts = await examineServer({ url }, limits)
  const prepares = settings.DATABASE_PREPARED === 'on'
  const keeps = !prepares || !facts.isPooled || (await keepsPrepared({ url }, facts))
  if (keeps === null) log?.warn('the connection pooler is too busy to show whether it keeps prepared statements')
  if (keeps === false) throw new ConfigError(`${LOSES_PREPARED}. ${KEEP_PREPARED}`)
  if (facts.statementMs === 0)
    await setRoleLimits({ url }, facts, limits).catch((error: unknown) =>
      log?.warn({ err: error }, 'a connection pooler drops the time limit of statements, and the role cannot have one'),
    )
  return { url, route: { prepares, sendsLimits: facts.sendsLimits } }
}

async function migrateWith(db: Db, onProgress: Opening['onProgress']): Promise<void> {
  await migrate(db, { onProgress }).finally(() => db.destroy())
}
