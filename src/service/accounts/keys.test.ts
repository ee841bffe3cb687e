import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/service/database.ts'
import type { PersonId, UserId } from '../../domain/bot.ts'
import { insertPerson, putMember, setRole } from '../db/accounts/people.ts'
import { createKeys, makeKey } from './keys.ts'
import { createWorkspace, type NewWorkspace } from './workspaces.ts'

const START = new Date('2026-11-16T09:00:00Z')
const ADA = 'usr_ada' as UserId

let database: TestDatabase
let workspace: NewWorkspace
beforeEach(async () => {
  database = await createTestDatabase()
  const { db } = database
  workspace = await createWorkspace(db, { name: 'default', email: 'first@example.com', at: START })
  const person = { id: 'per_ada' as PersonId, email: 'ada@example.com', name: 'Ada', password: '' }
  await insertPerson(db, { ...person, at: START })
  const { workspaceId } = workspace
  await putMember(db, { id: ADA, workspaceId, personId: person.id, email: person.email, role: 'owner', at: START })
})
afterEach(() => database.drop())

test('recognises the present role of a key’s user on another node within three seconds', async () => {
  const { db } = database
  let at = START
  const keys = createKeys({ db, now: () => at })
  const { apiKey } = await makeKey(db, { workspaceId: workspace.workspaceId, userId: ADA, madeBy: ADA, name: 'personal', at })
  expect(await keys.recognise(apiKey)).toMatchObject({ userId: ADA, role: 'owner' })
  await setRole(db, ADA, 'viewer')
  at = new Date(at.getTime() + 3_000)
  expect(await keys.recognise(apiKey)).toMatchObject({ userId: ADA, role: 'viewer' })
})

test('recognises a service key without a role', async () => {
  const { db } = database
  const { apiKey } = await makeKey(db, { workspaceId: workspace.workspaceId, userId: null, madeBy: ADA, name: 'service', at: START })
  expect(await createKeys({ db, now: () => START }).recognise(apiKey)).toMatchObject({ userId: null, role: null })
})
