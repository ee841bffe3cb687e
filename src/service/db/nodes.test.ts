import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/database.ts'
import { ALL_ROLES } from '../../domain/node-roles.ts'
import { lapseNodes } from './node-leases.ts'
import { listNodes, renewNode } from './nodes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const row = { address: 'http://one', key: 'key', seats: 4, freeSeats: 3, freedSeats: 0, startedAt: new Date() }

test('stores the roles and the version of a node, and that it drains', async () => {
  const node = { ...row, id: 'node_1', roles: ['fleet'] as const, version: '1.2.3' }
  await renewNode(database.db, { ...node, draining: false }, 8)
  await renewNode(database.db, { ...node, draining: true }, 8)
  expect(await listNodes(database.db)).toMatchObject([{ id: 'node_1', roles: ['fleet'], version: '1.2.3', draining: true, isAlive: true }])
})

test('renews the lease of a node, and deletes one that has been gone for a day and holds no bots', async () => {
  const node = { ...row, roles: ['api'] as const, version: '1', draining: false }
  const day = 24 * 3600
  await renewNode(database.db, { ...node, id: 'node_renewed' }, -10)
  await renewNode(database.db, { ...node, id: 'node_gone' }, -day + 600)
  await renewNode(database.db, { ...node, id: 'node_long_gone' }, -day - 600)
  await renewNode(database.db, { ...node, id: 'node_holding' }, -day - 600)
  await database.db.updateTable('nodes').set({ holds_until: new Date() }).where('id', '=', 'node_holding').execute()
  await renewNode(database.db, { ...node, id: 'node_renewed' }, 60)
  await lapseNodes(database.db)
  const found = new Map((await listNodes(database.db)).map(({ id, isAlive }) => [id, isAlive]))
  expect([found.get('node_renewed'), found.get('node_gone'), found.has('node_long_gone')]).toEqual([true, false, false])
  // Its lease was ended first, so that its bots are found.
  expect(found.get('node_holding')).toBe(false)
  await lapseNodes(database.db)
  expect((await listNodes(database.db)).map(({ id }) => id)).not.toContain('node_holding')
})

test('gives every role to a node of a version without roles', async () => {
  const old = { address: 'http://old', key: 'key', seats: 1, free_seats: 1, started_at: new Date(), alive_until: new Date() }
  await database.db
    .insertInto('nodes')
    .values({ id: 'node_old', ...old })
    .execute()
  expect((await listNodes(database.db)).find(({ id }) => id === 'node_old')).toMatchObject({ roles: ALL_ROLES, draining: false })
})
