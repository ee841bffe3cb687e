// The way to PostgreSQL: pools in which nothing waits without a limit; numbers and dates as JavaScript has them.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { limitedClient } from './client.ts'
import type { Tables } from './tables.ts'
import { DatabaseUnreachable } from './unreachable.ts'

/** Everything that asks the database takes one of these: the pool, or a transaction of it. */
export type Db = Kysely<Tables>

export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string }

export type Limits = {
  /** To connect, and to wait for a free connection. */
  readonly connectMs: number
  /** For one statement. */
  readonly statementMs: number
}

export type DatabaseOptions = {
  readonly connection: Connection
  readonly connections: number
  readonly limits?: Limits
  /** While it is true, work fails at once instead of waiting for its limit. */
  readonly isDown?: () => boolean
  readonly onError: (error: Error) => void
}

export const limitsOf = (seconds: number): Limits => ({ connectMs: seconds * 1000, statementMs: seconds * 1000 })

/** For what must not wait behind ordinary statements, such as the renewal of a lease. */
export const URGENT: Limits = { connectMs: 2_000, statementMs: 2_000 }

/** For migrations: they wait for each other, and build indexes. */
export const PATIENT: Limits = { connectMs: 10_000, statementMs: 30 * 60_000 }

/** A transaction whose service stands still gives its locks back after this many statement limits. */
const IDLE_LIMITS = 3

const KEEP_ALIVE_AFTER_MS = 10_000

export function openDatabase({ connection, connections, limits = limitsOf(10), isDown, onError }: DatabaseOptions): Db {
  const pool = new pg.Pool({
    ...('url' in connection ? { connectionString: connection.url } : connection),
    max: connections,
    Client: limitedClient(limits.statementMs),
    types: { getTypeParser },
    application_name: 'emissary',
    connectionTimeoutMillis: limits.connectMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.statementMs * IDLE_LIMITS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', onError)
  const connect = async () => {
    if (isDown?.()) throw new DatabaseUnreachable(new Error('it did not answer the last question'))
    return pool.connect().catch((error: unknown) => {
      throw new DatabaseUnreachable(error)
    })
  }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } }) })
}

export function inTransaction<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}

/** Of several services, one at a time does this; the others wait. The number names the work, the same in every Emissary. */
export async function oneAtATime(tx: Db, work: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(work)})`.execute(tx)
}

const INT8 = 20
const NUMERIC = 1700

/** Counters and money fit a double; pg would hand them over as text. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8 || oid === NUMERIC) return Number
  return pg.types.getTypeParser(oid, format as 'text')
}
