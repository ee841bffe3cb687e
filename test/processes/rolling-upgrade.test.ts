// Rolling upgrades: the database of the previous release under this version, and both versions at once.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import { type Db, openPool } from '../../src/service/db/database.ts'
import { lapseNodes, renewClaims } from '../../src/service/db/fleet/node-leases.ts'
import { migrate } from '../../src/service/db/migrate.ts'
import { LOOK } from '../helpers/service/fleet.ts'
import { until } from '../helpers/until.ts'

const MIGRATIONS = 'src/service/db/migrations'

/** The previous release: its migrations with their SHA-256, and the statements that it sends. */
type Release = { readonly migrations: Readonly<Record<string, string>>; readonly statements: readonly string[] }
const PREVIOUS: Release = JSON.parse(readFileSync('test/fixtures/previous-release.json', 'utf8'))

const textOf = (name: string) => readFileSync(join(MIGRATIONS, name), 'utf8')
const newMigrations = () => readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql') && !(name in PREVIOUS.migrations))

let name: string
let client: pg.Client
let pools: Db[]
beforeEach(async () => {
  name = `upgrade_${randomBytes(6).toString('hex')}`
  await asSuperuser(`create database ${name}`)
  client = new pg.Client({ ...inject('postgres'), database: name })
  await client.connect()
  pools = []
  // As the previous release left it.
  await client.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
  for (const migration of Object.keys(PREVIOUS.migrations).sort()) {
    await client.query(textOf(migration))
    await client.query('insert into migrations (name) values ($1)', [migration])
  }
})
afterEach(async () => {
  await client.end()
  for (const pool of pools) await pool.destroy()
  await asSuperuser(`drop database ${name} with (force)`)
})

async function asSuperuser(statement: string): Promise<void> {
  const superuser = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await superuser.connect()
  await superuser.query(statement)
  await superuser.end()
}

function newPool(): Db {
  const pool = openPool({ connection: { ...inject('postgres'), database: name }, connections: 2, onError: () => undefined })
  pools.push(pool)
  return pool
}

type Column = { readonly place: string; readonly type: string; readonly required: boolean }

async function columns(): Promise<ReadonlyMap<string, Column>> {
  const { rows } = await client.query<Column>(`
    select table_name || '.' || column_name as place, udt_name as type, is_nullable = 'NO' and column_default is null as required
    from information_schema.columns where table_schema = 'public'`)
  return new Map(rows.map((row) => [row.place, row]))
}

test('leaves the migrations of the previous release as they were', () => {
  for (const [migration, hash] of Object.entries(PREVIOUS.migrations))
    expect(createHash('sha256').update(textOf(migration)).digest('hex'), migration).toBe(hash)
})

test('migrates the database of the previous release once when two nodes start together, and keeps its rows', async () => {
  await client.query(`insert into nodes (id, address, key, seats, free_seats, started_at, alive_until)
    values ('node_old', 'http://old', 'key', 4, 4, now(), now() + interval '8 s')`)
  const applied = await Promise.all([migrate(newPool()), migrate(newPool())])
  expect(applied.flat().toSorted()).toEqual(newMigrations().toSorted())
  expect((await client.query('select id from nodes')).rows).toEqual([{ id: 'node_old' }])
})

test('lets other statements use a table while its migration waits for a backup', async () => {
  await client.query('begin')
  await client.query('select from nodes')
  const sentences: string[] = []
  const migrated = migrate(newPool(), { onProgress: (it) => sentences.push(it) })
  const asking = newPool()
  const waits = sql<{ pid: number }>`select pid from pg_locks where not granted and relation = 'nodes'::regclass`
  await until('the migration waits for the table', async () => (await waits.execute(asking)).rows.length > 0)
  await sql`select from nodes`.execute(asking)
  await client.query('commit')
  expect(await migrated).toEqual(newMigrations().toSorted())
  expect(sentences[0]).toContain('waits')
})

test('keeps every column of the previous release, and requires no new one in its tables', async () => {
  const before = await columns()
  await migrate(newPool())
  const after = await columns()
  const tables = new Set([...before.keys()].map((place) => place.split('.')[0]))
  for (const [place, column] of before) expect(after.get(place), place).toEqual(column)
  const added = [...after.values()].filter(({ place }) => !before.has(place) && tables.has(place.split('.')[0]))
  expect(added.filter(({ required }) => required)).toEqual([])
})

test('accepts every statement of the previous release after the migration', async () => {
  expect(PREVIOUS.statements.length).toBeGreaterThan(100)
  await migrate(newPool())
  const refused: string[] = []
  for (const [index, statement] of PREVIOUS.statements.entries())
    await client.query(`prepare old_${index} as ${statement}`).catch((error: Error) => refused.push(`${error.message}: ${statement}`))
  expect(refused).toEqual([])
})

const previous = (beginning: string) =>
  PREVIOUS.statements.find((it) => it.startsWith(beginning)) ?? expect.fail(`no statement: ${beginning}`)

test('loses no bot of a node of the previous release, and shows it the bots of a lost newer node', async () => {
  const db = newPool()
  await migrate(db)
  for (const node of ['old', 'new'])
    await client.query(
      `with node as (insert into nodes (id, address, key, seats, free_seats, started_at, alive_until) values ($1, '', '', 1, 0, now(), now()))
      insert into bots (id, workspace_id, platform, meeting_id, meeting_url, name, status, message, created_at, launch_at, node_id,
        custom_attributes, timeline, request, spec)
      values ($1, '', 'zoom', '', '', '', 'InMeeting', '', now(), now() + interval '1 s', $1, '{}', '{}', '{}', '{}')`,
      [node],
    )
  const claims = [{ botId: 'new' as BotId, fence: 0 }]
  for (const time of ['first', 'second'])
    expect([time, ...(await renewClaims(db, { nodeId: 'new', claims, leaseSeconds: 7.5, knows: null }))]).toEqual([time, 'new'])
  await client.query(previous('update bots set launch_at = now() + make_interval(secs => $1) from unnest'), [7.5, ['old'], [0]])
  const lapsed = async () => {
    await lapseNodes(db, LOOK)
    return (await client.query(previous('select id as "botId", fence, launch_at as "lapsedAt"'), [10])).rows.map(({ botId }) => botId)
  }
  expect(await lapsed()).toEqual([])
  await client.query(`update nodes set holds_until = now() - interval '1 s' where id = 'new'`)
  expect(await lapsed()).toEqual(['new'])
})

test('starts on a database with a newer migration, unless that one removes something', async () => {
  await migrate(newPool())
  await client.query(`insert into migrations (name) values ('9998-later-table.sql')`)
  expect(await migrate(newPool())).toEqual([])
  await client.query(`insert into migrations (name) values ('9999-contract-nodes.sql')`)
  await expect(migrate(newPool())).rejects.toThrow(
    'The database is newer than this Emissary: it has the migrations 9999-contract-nodes.sql.',
  )
})
