import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/helpers/database.ts'
import { createSignInThrottle } from './sign-in-throttle.ts'

test('counts failures of all nodes per network and per e-mail address until the window ends', async () => {
  const { db, drop } = await createTestDatabase()
  let at = new Date('2026-11-16T09:00:00Z')
  const [one, two] = [createSignInThrottle({ db, now: () => at }), createSignInThrottle({ db, now: () => at })]
  const attempt = (network: string, email = 'ada@example.com') => ({ network, email })

  for (let count = 0; count < 5; count += 1) for (const node of [one, two]) await node.failed(attempt('192.0.2.1'))
  await expect(two.check(attempt('192.0.2.1', 'ben@example.com'))).rejects.toMatchObject({ code: 'too_many_requests' })
  await two.check(attempt('192.0.2.2'))

  for (let count = 0; count < 40; count += 1) await one.failed(attempt(`198.51.100.${count}`))
  await expect(two.check(attempt('192.0.2.3'))).rejects.toThrow('Try again in 900 s')
  await two.check(attempt('192.0.2.3', 'ben@example.com'))

  at = new Date(at.getTime() + 61_000)
  await two.check(attempt('192.0.2.1', 'ben@example.com'))
  await one.failed(attempt('192.0.2.1', 'ben@example.com'))
  expect(await db.selectFrom('failed_sign_ins').select('name').execute()).toHaveLength(3)
  at = new Date(at.getTime() + 15 * 60_000)
  await two.check(attempt('192.0.2.3'))
  await drop()
})
