// Rows of a whole database on their way from the embedded PostgreSQL to Debian's, which is an older one, and back.
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Db, openPool } from '../../../src/service/db/database.ts'
import { listSequences, type Table } from '../../../src/service/db/transfer/catalogue.ts'
import { type LoadOptions, load } from '../../../src/service/db/transfer/load.ts'
import type { Digest } from '../../../src/service/db/transfer/row-digest.ts'
import { isBeingRead, type Snapshot, whileRead, withSnapshot } from '../../../src/service/db/transfer/snapshot.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { createTestDatabase } from '../../helpers/service/database.ts'
import { startDebianPostgres } from '../../helpers/service/debian-postgres.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { NO_DRIVER } from '../../helpers/service/service.ts'

const service = serviceForFile()
const debian = openForFile(startDebianPostgres)

/** Text that COPY must escape, and bytes, times and numbers whose text depends on settings. */
const HARD = { text: 'tab\t line\n feed\r back\\slash \\N \\. ü 😀', deep: { null: null, list: [1.5, '\u2028'] } }

async function loaded(url: string, snapshot: Snapshot, more: Partial<LoadOptions> = {}): Promise<Map<string, Digest>> {
  const digests = new Map<string, Digest>()
  const onTable = ({ name }: Table, digest: Digest): void => void digests.set(name, digest)
  await load({ url }, snapshot, { finish: async () => undefined, onTable, ...more })
  return digests
}

test('stores every row and sequence of the embedded PostgreSQL in an older one, and back', async () => {
  for (let bots = 0; bots < 3; bots += 1)
    await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, custom_attributes: HARD })
  const there = await debian.database()
  const first = await withSnapshot({ url: service.databaseUrl }, (snapshot) => loaded(there, snapshot))
  expect(first.get('bots')?.rows).toBe(3)
  expect(first.get('events')?.rows).toBeGreaterThanOrEqual(3)

  const back = await createTestDatabase({ isEmpty: true })
  try {
    expect(await withSnapshot({ url: there }, (snapshot) => loaded(back.url, snapshot))).toEqual(first)
    const { rows } = await sql<{ attributes: object }>`select custom_attributes as attributes from bots`.execute(back.db)
    expect(rows.map(({ attributes }) => attributes)).toEqual([HARD, HARD, HARD])
    expect(await listSequences(back.db)).toEqual(await listSequences(service.db))
  } finally {
    await back.drop()
  }
})

/** Indexes and constraints with their definitions. */
async function schemaOf(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ line: string }>`
    select indexdef as line from pg_indexes where schemaname = 'public'
    union all
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n' order by 1`.execute(db)
  return rows.map(({ line }) => line)
}

test('leaves the indexes and constraints that the migrations make', async () => {
  const copy = await createTestDatabase({ isEmpty: true })
  try {
    await withSnapshot({ url: service.databaseUrl }, (snapshot) => loaded(copy.url, snapshot))
    expect(await schemaOf(copy.db as never)).toEqual(await schemaOf(service.db as never))
  } finally {
    await copy.drop()
  }
})

test('reads one moment while other connections write', async () => {
  const there = await debian.database()
  await withSnapshot({ url: service.databaseUrl }, async (snapshot) => {
    const before = snapshot.bots.size
    await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
    expect((await loaded(there, snapshot)).get('bots')?.rows).toBe(before)
  })
})

test('refuses a database that has tables, and leaves it as it is', async () => {
  const there = await debian.database()
  const db = openPool({ connection: { url: there }, connections: 1, onError: () => undefined })
  try {
    await sql`create table notes (line text)`.execute(db)
    const failed = withSnapshot({ url: service.databaseUrl }, (snapshot) => loaded(there, snapshot))
    await expect(failed).rejects.toThrow('The database already has tables')
    expect((await sql`select from information_schema.tables where table_schema = 'public'`.execute(db)).rows).toHaveLength(1)
  } finally {
    await db.destroy()
  }
})

test('leaves the database empty if the rows break off, and says where', async () => {
  const there = await debian.database()
  await withSnapshot({ url: service.databaseUrl }, async (snapshot) => {
    const broken = {
      ...snapshot,
      rows: (table: Table) => (table.name === 'bots' ? Readable.from([Buffer.from('bot_1\tw')]) : snapshot.rows(table)),
    }
    await expect(loaded(there, broken)).rejects.toThrow(/missing data for column|cut off/)
  })
  await withSnapshot({ url: service.databaseUrl }, async (snapshot) => {
    expect((await loaded(there, snapshot)).get('workspaces')?.rows).toBe(1)
  })
})

test('is known to other connections while it reads, and not after', async () => {
  const connection = { url: service.databaseUrl }
  expect(await isBeingRead(service.db)).toBe(false)
  await whileRead(connection, async () => expect(await isBeingRead(service.db)).toBe(true))
  expect(await isBeingRead(service.db)).toBe(false)
})
