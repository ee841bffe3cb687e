// A database for one test file.
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Connection, openPool } from '../../../src/service/db/database.ts'
import type { TestTables } from './tables.ts'

/** The service's statements accept it too. */
export type TestDb = Kysely<TestTables>

export type TestDatabase = {
  readonly db: TestDb
  readonly connection: Connection
  /** A value for DATABASE_URL. */
  readonly url: string
  /** As after a failover to a standby that is not promoted yet. `true` ends all sessions. `false` lets them be, and new ones can write. */
  setReadOnly(isReadOnly: boolean): Promise<void>
  drop(): Promise<void>
}

/** A copy of the migrated template, or an empty one. */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const template = inject('postgres')
  const database = `test_${randomBytes(6).toString('hex')}`
  await asSuperuser(`create database ${database} template ${isEmpty ? 'template0' : template.database}`)
  const connection = { ...template, database }
  const db = openPool({ connection, connections: 8, onError: () => undefined })
  return {
    db,
    connection,
    url: `postgres://${template.user}@/${database}?host=${encodeURIComponent(template.host)}&port=${template.port}`,
    async setReadOnly(isReadOnly) {
      await asSuperuser(`alter database ${database} set default_transaction_read_only = ${isReadOnly}`)
      if (isReadOnly) await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
    },
    async drop() {
      await db.destroy()
      await asSuperuser(`drop database ${database} with (force)`)
    },
  }
}

async function asSuperuser(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await client.connect()
  await client.query(statement)
  await client.end()
}
