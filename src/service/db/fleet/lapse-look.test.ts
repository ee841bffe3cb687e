import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { claimAll } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import { until } from '../../../../test/helpers/until.ts'
import { openClient, URGENT } from '../database.ts'
import { lapsedClaims } from './claims.ts'
import { beginLook } from './lapse-look.ts'
import { lapseNodes, renewClaims } from './node-leases.ts'
import { knownNodes, renewNode } from './nodes.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)
const about = {
  address: 'http://h',
  key: 'key',
  seats: 4,
  freeSeats: 4,
  freedSeats: 0,
  roles: ['fleet'],
  version: '',
  draining: false,
} as const
const NODE_LEASE_SECONDS = 8
const register = (id: string, seconds = NODE_LEASE_SECONDS) =>
  renewNode(database.db, { ...about, id, startedAt: new Date(), outageSeconds: 600 }, seconds)
const age = (id: string, seconds: number) =>
  sql`update nodes set joined_at = joined_at - make_interval(secs => ${seconds}) where id = ${id}`.execute(database.db)
const lapse = (seconds: number) => sql`update nodes set holds_until = now() - make_interval(secs => ${seconds})`.execute(database.db)

beforeEach(async () => {
  await database.db.updateTable('bots').set({ launch_at: null }).execute()
  await database.db.deleteFrom('nodes').execute()
  await register('node_h')
  await register('node_old')
  await age('node_old', 60)
})

/** A bot of node_h, which knows node_old. */
async function hold(): Promise<string> {
  const id = await fleet.create()
  const claims = (await claimAll(database.db, 7.5, 'node_h')).map((bot) => ({ botId: bot.id, fence: bot.fence }))
  const knows = (await knownNodes(database.db, 'node_h', NODE_LEASE_SECONDS))?.knows ?? null
  for (let count = 0; count < 2; count++) await renewClaims(database.db, { nodeId: 'node_h', claims, leaseSeconds: 7.5, knows })
  return id
}

async function look(nodeId: string, { left = [] as readonly string[], validUntil = 'infinity' } = {}): Promise<readonly string[]> {
  const look = { nodeId, left, validUntil }
  await lapseNodes(database.db, look)
  return (await lapsedClaims(database.db, look, 10)).map(({ botId }) => botId)
}

test('lets a node that the holder knows end its lease', async () => {
  const id = await hold()
  await lapse(1)
  expect((await beginLook(database.db, 'node_old')).strangers).toEqual([])
  expect(await look('node_old')).toEqual([id])
})

test('lets a node that the holder does not know end its lease only when the bots have left, or when the limit is over', async () => {
  const id = await hold()
  await register('node_new')
  await lapse(1)
  expect((await beginLook(database.db, 'node_new')).strangers).toEqual([
    { id: 'node_h', address: 'http://h', key: 'key', validUntil: expect.any(String) },
  ])
  expect(await look('node_new')).toEqual([])
  expect(await look('node_new', { left: ['node_h'] })).toEqual([id])
  const other = await hold()
  await lapse(601)
  expect(await look('node_new')).toContain(other)
})

test('lets a holder that joined again after its last renewal end its own lease', async () => {
  const id = await hold()
  await lapse(1)
  await age('node_h', -60)
  expect((await beginLook(database.db, 'node_h')).strangers).toEqual([])
  expect(await look('node_h')).toEqual([id])
})

test('asks a silent holder before its lease lapses', async () => {
  await hold()
  await register('node_new')
  await lapse(-6)
  expect((await beginLook(database.db, 'node_new')).strangers).toEqual([])
  await lapse(-4)
  expect((await beginLook(database.db, 'node_new')).strangers).toHaveLength(1)
})

test('ends nothing by a statement that the database executes too late', async () => {
  const id = await hold()
  await lapse(1)
  expect(await look('node_old', { validUntil: '-infinity' })).toEqual([])
  expect(await look('node_old', { validUntil: (await beginLook(database.db, 'node_old')).validUntil })).toEqual([id])
})

test('takes a node for unknown after its row had lapsed', async () => {
  await hold()
  await register('node_old', -1)
  await register('node_old')
  await lapse(1)
  expect(await look('node_old')).toEqual([])
})

test('takes every holder for a stranger while its own row has lapsed', async () => {
  await hold()
  await register('node_old', -1)
  await lapse(1)
  expect((await beginLook(database.db, 'node_old')).strangers).toEqual([
    { id: 'node_h', address: 'http://h', key: 'key', validUntil: expect.any(String) },
  ])
  expect(await look('node_old')).toEqual([])
})

test('takes a node for unknown after a renewal that was committed late', async () => {
  await hold()
  const client = await openClient(database.connection, URGENT)
  onTestFinished(() => client.end())
  await client.query(`begin; update nodes set alive_until = alive_until + interval '1 s' where id = 'node_old'`)
  const renewed = register('node_old')
  const waiting = sql`select from pg_locks where not granted`
  await until('the renewal waits for the one before', async () => (await waiting.execute(database.db)).rows.length > 0)
  await client.query('commit')
  await renewed
  await lapse(1)
  expect(await look('node_old')).toEqual([])
})

test('names no node that has lapsed, or that runs no bots, and needs its own row', async () => {
  await register('node_gone', -9)
  await renewNode(database.db, { ...about, roles: ['api'], id: 'node_api', startedAt: new Date(), outageSeconds: 600 }, 8)
  expect((await knownNodes(database.db, 'node_h', NODE_LEASE_SECONDS))?.others.map(({ id }) => id)).toEqual(['node_old'])
  expect(await knownNodes(database.db, 'node_without_row', NODE_LEASE_SECONDS)).toBeNull()
})
