// One connection for work on a whole database: statements by the query builder, and streams of rows beside them.
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { type Connection, type Db, openClient, PATIENT } from '../database.ts'
import { onlyRow } from '../query.ts'
import type { Tables } from '../tables.ts'
import { asUnreachable } from '../unreachable.ts'

export type Session = { readonly client: pg.Client; readonly db: Db }

/** Ends the connection when the work has ended. */
export async function withSession<Result>(connection: Connection, work: (session: Session) => Promise<Result>): Promise<Result> {
  const client = await openClient(connection, PATIENT).catch((error: unknown) => {
    throw asUnreachable(error)
  })
  const only = { query: client.query.bind(client), release: () => undefined }
  const pool = { connect: async () => only, end: async () => undefined, options: {} }
  try {
    return await work({ client, db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) })
  } finally {
    await client.end()
  }
}

/** For the transaction: no limit of time, which streams and slow disks would exceed, and the same text of every value on every server. */
export async function prepareForStreams(tx: Db): Promise<void> {
  const settings = {
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    timezone: 'UTC',
    datestyle: 'ISO, MDY',
    intervalstyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
  }
  for (const [name, value] of Object.entries(settings)) await sql`select set_config(${name}, ${value}, true)`.execute(tx)
}

/** Work while another connection holds a lock of its transaction. `expectHeld` throws if that connection and with it the lock was lost. */
export async function whileHeld<Result>(
  connection: Connection,
  hold: (tx: Db) => Promise<void>,
  work: (expectHeld: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  return withSession(connection, ({ db }) =>
    db.transaction().execute(async (tx: Db) => {
      await prepareForStreams(tx)
      await hold(tx)
      return work(async () => void (await onlyRow(tx)`select 1 as one`))
    }),
  )
}
