// Reads a whole database at one moment: the rows of all tables in one read-only transaction, while others write.
import type { Readable } from 'node:stream'
import pg from 'pg'
import type { Connection, Db } from '../database.ts'
import { idsOf, onlyRow } from '../query.ts'
import { listMigrations, listSequences, listTables, type Sequence, type Table } from './catalogue.ts'
import { copyOut } from './copy.ts'
import { prepareForStreams, type Session, whileHeld, withSession } from './session.ts'

export type Snapshot = {
  readonly at: Date
  readonly migrations: readonly string[]
  readonly tables: readonly Table[]
  readonly bots: ReadonlySet<string>
  /** The rows of a table in COPY's text format. One table at a time. */
  rows(table: Table): Readable
  /** Sequences are outside transactions, so they are read after the rows that have their values. */
  sequences(): Promise<readonly Sequence[]>
}

export async function withSnapshot<Result>(connection: Connection, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  return withSession(connection, ({ client, db }) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await prepareForStreams(tx)
        const migrations = await listMigrations(tx)
        if (!migrations) throw new Error('The database has no tables of Emissary. Set DATABASE_URL or DATA_DIR to one that has.')
        const { at } = await onlyRow<{ at: Date }>(tx)`select now() as at`
        const bots = new Set(await idsOf(tx)`select id from bots`)
        const rows = (table: Table) => rowsIn({ client, db: tx }, table)
        return work({ at, migrations, tables: await listTables(tx), bots, rows, sequences: () => listSequences(tx) })
      }),
  )
}

export function rowsIn({ client }: Session, table: Table): Readable {
  return copyOut(client, `copy ${nameOf(table)} to stdout`)
}

/** The table with its columns in order, for COPY. */
export function nameOf({ name, columns }: Table): string {
  return `${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`
}

/** Work on a database while nothing that the snapshot names may be removed from the store. See `isBeingRead`. */
export function whileRead<Result>(connection: Connection, work: (expectHeld: () => Promise<void>) => Promise<Result>): Promise<Result> {
  return whileHeld(connection, holdReadLock, work)
}

async function holdReadLock(tx: Db): Promise<void> {
  await onlyRow(tx)`select pg_advisory_xact_lock_shared(${BEING_READ}::bigint)`
}

/** An arbitrary number that no other lock of this database uses. */
const BEING_READ = 4_021_978

/**
 * True while a backup reads the database and its objects. A recording that was processed meanwhile is kept until retention: the backup may
 * have its bot as it was before. Ask after the commit that ends the processing, so that a backup that begins later has the bot as it is then.
 */
export async function isBeingRead(db: Db): Promise<boolean> {
  const { held } = await onlyRow<{ held: boolean }>(db)`
    select exists (
      select from pg_locks where locktype = 'advisory' and classid = 0 and objid = ${BEING_READ} and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
    ) as held`
  return held
}
