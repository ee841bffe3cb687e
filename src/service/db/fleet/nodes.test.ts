import { expect, test } from 'vitest'
import { LOOK } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile } from '../../../../test/helpers/service/for-file.ts'
import { ALL_ROLES } from '../../../domain/node-roles.ts'
import { lapseNodes } from './node-leases.ts'
import { allReadBundles, listNodes, renewNode } from './nodes.ts'

const database = databaseForFile()

const row = { address: 'http://one', key: 'key', seats: 4, freeSeats: 3, freedSeats: 0, startedAt: new Date(), outageSeconds: 0 }

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
  await lapseNodes(database.db, LOOK)
  const found = new Map((await listNodes(database.db)).map(({ id, isAlive }) => [id, isAlive]))
  expect([found.get('node_renewed'), found.get('node_gone'), found.has('node_long_gone')]).toEqual([true, false, false])
  // Its lease was ended first, so that its bots are found.
  expect(found.get('node_holding')).toBe(false)
  await lapseNodes(database.db, LOOK)
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

test('reports a living node of a release that does not read bundles, until it ends', async () => {
  await renewNode(database.db, { ...row, id: 'node_new', roles: ['api'], version: '1', draining: false }, 60)
  expect(await allReadBundles(database.db)).toBe(true)
  // As the release before writes its row.
  const old = { id: 'node_before', address: '', key: '', seats: 1, free_seats: 1, started_at: new Date() }
  const { db } = database
  await db
    .insertInto('nodes')
    .values({ ...old, alive_until: new Date(Date.now() + 60_000) })
    .execute()
  expect(await allReadBundles(db)).toBe(false)
  await db
    .updateTable('nodes')
    .set({ alive_until: new Date(0) })
    .where('id', '=', 'node_before')
    .execute()
  expect(await allReadBundles(db)).toBe(true)
})
