// Connection pools with a time limit for every wait, and transactions. Numbers and dates arrive as JavaScript values.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { isReadOnlySession, limitedClient } from './client.ts'
import type { Tables } from './tables.ts'
import { DatabaseUnreachable } from './unreachable.ts'

/** A pool, or a transaction of it. */
export type Db = Kysely<Tables>

export type Address =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string }

/** What reaches the server. A connection pooler between may lose prepared statements, and may refuse start-up parameters. */
export type Route = { readonly prepares: boolean; readonly sendsLimits: boolean }

export const DIRECT: Route = { prepares: true, sendsLimits: true }

/** Default of the route: `DIRECT`. */
export type Connection = Address & { readonly route?: Route }

export type Limits = {
  /** The limit for connecting, and for waiting for a free connection. */
  readonly connectMs: number
  /** The limit for one statement. */
  readonly statementMs: number
}

export type PoolOptions = {
  readonly connection: Connection
  readonly connections: number
  readonly limits?: Limits
  /** While it returns true, statements fail at once instead of waiting for their limit. */
  readonly isDown?: () => boolean
  /** Connections opened earlier may have a session that cannot write. On `performance.now`'s clock. */
  readonly writableSinceMs?: () => number
  readonly onError: (error: Error) => void
}

export const limitsOf = (seconds: number): Limits => ({ connectMs: seconds * 1000, statementMs: seconds * 1000 })

/** For statements that must not wait behind others, such as the renewal of a lease. */
export const URGENT: Limits = { connectMs: 2_000, statementMs: 2_000 }

/** For migrations, which wait for each other and build indexes. */
export const PATIENT: Limits = { connectMs: 10_000, statementMs: 30 * 60_000 }

/** The server ends an idle transaction after this many statement limits, so that a stalled service does not keep its locks. */
const IDLE_LIMITS = 3

export const idleLimitMs = (statementMs: number): number => statementMs * IDLE_LIMITS

const KEEP_ALIVE_AFTER_MS = 10_000

export function openPool({ connection, connections, limits = limitsOf(10), isDown, writableSinceMs, onError }: PoolOptions): Db {
  const pool = new pg.Pool({
    ...clientConfig(connection, limits),
    max: connections,
    Client: clientClass(connection, limits),
  })
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', onError)
  const openedMs = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => openedMs.set(client, performance.now()))
  const canWrite = (client: pg.PoolClient) => !isReadOnlySession(client) && (openedMs.get(client) ?? 0) >= (writableSinceMs?.() ?? 0)
  const connect = async (): Promise<pg.PoolClient> => {
    if (isDown?.()) throw new DatabaseUnreachable(new Error('The database did not answer the last health check'))
    const client = await pool.connect().catch((error: unknown) => {
      throw new DatabaseUnreachable(error)
    })
    if (canWrite(client)) return client
    client.release(true)
    return connect()
  }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } }) })
}

/** A connection outside any pool. The caller ends it. */
export async function openClient(connection: Connection, limits: Limits): Promise<pg.Client> {
  const client = new (clientClass(connection, limits))(clientConfig(connection, limits))
  await client.connect()
  return client
}

function clientClass({ route = DIRECT }: Connection, { statementMs }: Limits): typeof pg.Client {
  return limitedClient({ statementMs, prepares: route.prepares })
}

function clientConfig({ route = DIRECT, ...address }: Connection, { connectMs, statementMs }: Limits): pg.ClientConfig {
  return {
    ...('url' in address ? { connectionString: address.url } : address),
    types: { getTypeParser },
    application_name: 'emissary',
    connectionTimeoutMillis: connectMs,
    ...(route.sendsLimits && { statement_timeout: statementMs, idle_in_transaction_session_timeout: idleLimitMs(statementMs) }),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  }
}

export function inTransaction<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}

/** An advisory lock for the transaction: one service at a time does this work. `work` identifies it across versions. */
export async function lockWork(tx: Db, work: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(work)})`.execute(tx)
}

const INT8 = 20
const NUMERIC = 1700

/** Counters and amounts of money fit a double. By default pg returns them as text. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8 || oid === NUMERIC) return Number
  return pg.types.getTypeParser(oid, format as 'text')
}
