import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/helpers/service/database.ts'
import { listWorkspaces } from '../db/accounts/accounts.ts'
import { bootstrap } from './workspaces.ts'

test('creates one first workspace when several services start on an empty database', async () => {
  const { db, drop } = await createTestDatabase()
  const made = await Promise.all(Array.from({ length: 5 }, () => bootstrap(db, { apiKey: undefined, at: new Date() })))
  expect(made.filter(Boolean)).toHaveLength(1)
  expect(await listWorkspaces(db)).toMatchObject([{ name: 'default' }])
  expect(await bootstrap(db, { apiKey: undefined, at: new Date() })).toBeNull()
  await drop()
})
