import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/helpers/service/database.ts'
import { createPasswords } from './passwords.ts'
import { acceptInvitation, resetPassword, setUpToken } from './people.ts'
import { beginSession, recogniseSession } from './sessions.ts'
import { bootstrap } from './workspaces.ts'

const at = new Date('2026-11-16T09:00:00Z')
const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a long enough password', hasAccount: false, at }

test('creates a set-up link at each start until an account exists, and voids the other links at the first use', async () => {
  const { db, drop } = await createTestDatabase()
  const passwords = createPasswords()('192.0.2.1')
  await bootstrap(db, { apiKey: undefined, at })
  const [first, second] = [await setUpToken(db, at), await setUpToken(db, at)]
  const late = new Date(at.getTime() + 8 * 86_400_000)
  await expect(acceptInvitation(db, passwords, { ...ADA, token: second ?? '', at: late })).rejects.toThrow('expired')
  const ada = await acceptInvitation(db, passwords, { ...ADA, token: first ?? '' })
  const eve = { ...ADA, email: 'eve@example.com', token: second ?? '' }
  await expect(acceptInvitation(db, passwords, eve)).rejects.toThrow('used, withdrawn or has expired')
  expect(await setUpToken(db, at)).toBeNull()

  const session = await beginSession(db, ada, { userAgent: 'a browser', at })
  expect(await recogniseSession(db, session, at)).toMatchObject({ personId: ada })
  const made = await resetPassword(db, passwords, { email: 'ADA@example.com', at })
  expect(await recogniseSession(db, session, at)).toBeNull()
  expect(made).toMatch(/^[\w-]{43}$/)
  expect(await resetPassword(db, passwords, { email: 'nobody@example.com', at })).toBeNull()
  await drop()
})
