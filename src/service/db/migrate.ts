// Migrates the database to the schema of this version: numbered files, forward only.
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { monotonicMs } from '../../kit/monotonic.ts'
import { retry, type Schedule } from '../../kit/retry.ts'
import { type Db, inTransaction, lockWork, PATIENT } from './database.ts'
import { sqlState } from './unreachable.ts'

const FOLDER = new URL('migrations/', import.meta.url)
const MIGRATING = 4_021_977
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Removes what older versions use, so they refuse to start. Other migrations only add: during a rolling upgrade old and new versions share
 * the database. A removal comes at least one release after the last version that needs it.
 */
const CONTRACTING = /^\d{4}-contract-/

/** The migrations of this version, oldest first. */
export async function knownMigrations(): Promise<readonly string[]> {
  return (await readdir(FOLDER)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort()
}

/** No service starts before the end of the transaction, because each one migrates first. */
export async function holdMigrations(tx: Db): Promise<void> {
  await lockWork(tx, MIGRATING)
}

/**
 * While a migration waits for a table that a backup or a long query reads, every later statement on the table waits behind it, also renewals of
 * leases. So it waits this long at a time, and lets them pass before it tries again.
 */
const LOCK_WAIT_MS = 1_000
const TRY_AGAIN: Schedule = { firstMs: 2_000, longestMs: 4_000, attempts: Number.POSITIVE_INFINITY }

export type MigrateOptions = {
  readonly only?: ReadonlySet<string>
  /** Receives a message when a migration waits. */
  readonly onProgress?: (sentence: string) => void
}

/**
 * Runs the missing migrations, or those of them in `only`, and returns their names. Each has a transaction of its own, unless `db` is one. Of
 * several services that start at once, one runs a migration and the others wait for it.
 */
export async function migrate(db: Db, { only, onProgress }: MigrateOptions = {}): Promise<readonly string[]> {
  const ran: string[] = []
  const untilMs = monotonicMs() + PATIENT.statementMs
  const again = (error: unknown): boolean => {
    if (db.isTransaction || sqlState(error) !== LOCK_NOT_AVAILABLE || monotonicMs() > untilMs) return false
    onProgress?.('A migration waits for statements that use its tables, such as those of a backup …')
    return true
  }
  const next = () =>
    retry(TRY_AGAIN, () => inTransaction(db, (tx) => runNext(tx, { only, isPatient: db.isTransaction })), { again, random: Math.random })
  for (let name = await next(); name !== null; name = await next()) ran.push(name)
  return ran
}

type NextOptions = { readonly only: ReadonlySet<string> | undefined; readonly isPatient: boolean }

/** Null: no migration is missing. */
async function runNext(tx: Db, { only, isPatient }: NextOptions): Promise<string | null> {
  // The limit of the role, which is short behind a pooler, is not for migrations.
  await sql`set local statement_timeout = ${sql.lit(PATIENT.statementMs)}`.execute(tx)
  await lockWork(tx, MIGRATING)
  await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`.execute(tx)
  const applied = new Set((await sql<{ name: string }>`select name from migrations`.execute(tx)).rows.map((row) => row.name))
  const files = await knownMigrations()
  const unknown = [...applied].filter((name) => !files.includes(name) && CONTRACTING.test(name))
  if (unknown.length > 0)
    throw new Error(`The database is newer than this Emissary: it has the migrations ${unknown.join(', ')}. Start a newer version.`)

  const name = files.find((it) => !applied.has(it) && (only?.has(it) ?? true))
  if (name === undefined) return null
  // Not before: the wait for another service that migrates is a wait for a lock too.
  if (!isPatient) await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(tx)
  await sql.raw(await readFile(new URL(name, FOLDER), 'utf8')).execute(tx)
  await sql`insert into migrations (name) values (${name})`.execute(tx)
  return name
}
