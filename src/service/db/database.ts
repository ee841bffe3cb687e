// The way to PostgreSQL: one pool, every statement prepared, numbers and dates as JavaScript has them.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

/** Everything that asks the database takes one of these: the pool, or a transaction of it. */
export type Db = Kysely<Tables>

export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string }

export type DatabaseOptions = { readonly connection: Connection; readonly connections: number; readonly onError: (error: Error) => void }

export function openDatabase({ connection, connections, onError }: DatabaseOptions): Db {
  const pool = new pg.Pool({
    ...('url' in connection ? { connectionString: connection.url } : connection),
    max: connections,
    Client: PreparingClient,
    types: { getTypeParser },
    application_name: 'emissary',
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', onError)
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

export function inTransaction<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}

/** Of several services, one at a time does this; the others wait. The number names the work, the same in every Emissary. */
export async function oneAtATime(tx: Db, work: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(work)})`.execute(tx)
}

/** SQLSTATE of an error PostgreSQL answered with, such as 23505 for a broken unique index. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Ends a statement whose best plan depends on its values, so that it is planned with them every time. */
export const PLAN_ANEW = '/* plan anew */'

const statementNames = new Map<string, string>()

/** Kysely writes few distinct texts, so each is parsed and planned once a connection and then only bound. */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg overloads `query` nine ways; Kysely uses one of them.
  override query(text: any, values?: any, ...rest: any[]): any {
    const plain = typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || text.endsWith(PLAN_ANEW)
    if (plain) return super.query(text, values, ...(rest as []))
    return super.query({ name: statementName(text), text, values })
  }
}

function statementName(text: string): string {
  let name = statementNames.get(text)
  if (!name) {
    name = `s${statementNames.size}`
    statementNames.set(text, name)
  }
  return name
}

const INT8 = 20
const NUMERIC = 1700

/** Counters and money fit a double; pg would hand them over as text. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === INT8 || oid === NUMERIC) return Number
  return pg.types.getTypeParser(oid, format as 'text')
}

const REACHABLE_WITHIN_MS = 2_000

/** Whether the database answers a trivial question in time. */
export async function isReachable(db: Db): Promise<boolean> {
  const late = AbortSignal.timeout(REACHABLE_WITHIN_MS)
  const answered = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  return Promise.race([answered, new Promise<boolean>((resolve) => late.addEventListener('abort', () => resolve(false)))])
}
