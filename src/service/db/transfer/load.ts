// Fills an empty database with the rows of another one, in one transaction: a failure leaves it empty.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Connection, Db } from '../database.ts'
import { migrate } from '../migrate.ts'
import { hasTables, listTables, type Sequence, setSequence, type Table, withoutIndexes } from './catalogue.ts'
import { copyIn } from './copy.ts'
import { type Digest, RowDigest, through } from './row-digest.ts'
import { prepareForStreams, type Session, withSession } from './session.ts'
import { nameOf, rowsIn } from './snapshot.ts'

export type Rows = {
  readonly migrations: readonly string[]
  readonly tables: readonly Table[]
  rows(table: Table): Readable
  sequences(): Promise<readonly Sequence[]>
}

export type LoadOptions = {
  /** Runs after the last migration, before the commit. */
  readonly finish: (tx: Db) => Promise<void>
  readonly onTable: (table: Table, digest: Digest) => void
}

/** Migrates to the schema of the rows, loads and compares them, and then runs newer migrations. */
export async function load(connection: Connection, source: Rows, { finish, onTable }: LoadOptions): Promise<void> {
  await withSession(connection, ({ client, db }) =>
    db.transaction().execute(async (tx) => {
      if (await hasTables(tx)) throw new DatabaseNotEmpty()
      await migrate(tx, { only: new Set(source.migrations) })
      // After the migrations, which set limits for their transaction.
      await prepareForStreams(tx)
      await withoutIndexes(tx, () => loadTables({ client, db: tx }, source, onTable))
      await migrate(tx)
      await finish(tx)
    }),
  )
}

async function loadTables(session: Session, source: Rows, onTable: LoadOptions['onTable']): Promise<void> {
  const known = new Set((await listTables(session.db)).map(({ name }) => name))
  for (const table of source.tables) {
    if (!known.has(table.name)) throw new Error(`The migrations of this version make no table ${table.name}`)
    onTable(table, await loadTable(session, table, source.rows(table)))
  }
  for (const sequence of await source.sequences()) await setSequence(session.db, sequence)
}

export class DatabaseNotEmpty extends Error {
  constructor() {
    super('The database already has tables, and only an empty one can be filled.')
  }
}

/** Reads the stored rows again, so that the digest is of what the server has, and not of what it was sent. */
async function loadTable(session: Session, table: Table, rows: Readable): Promise<Digest> {
  const sent = new RowDigest()
  await pipeline(rows, through(sent), copyIn(session.client, `copy ${nameOf(table)} from stdin`))
  const stored = new RowDigest()
  for await (const chunk of rowsIn(session, table)) stored.add(chunk)
  const [before, after] = [sent.result(), stored.result()]
  if (before.hash !== after.hash || before.rows !== after.rows)
    throw new Error(`The table ${table.name} has ${after.rows} rows and not the ${before.rows} that were sent, or other ones`)
  return after
}
