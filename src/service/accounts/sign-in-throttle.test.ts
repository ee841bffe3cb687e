import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/service/database.ts'
import { until } from '../../../test/helpers/until.ts'
import { ServiceError } from '../../domain/errors.ts'
import { firstRow, rowsOf } from '../db/query.ts'
import { createSignInThrottle, type SignInThrottle } from './sign-in-throttle.ts'

let database: TestDatabase
let at: Date
let nodes: readonly [SignInThrottle, SignInThrottle]
beforeEach(async () => {
  database = await createTestDatabase()
  at = new Date('2026-11-16T09:00:00Z')
  const { db } = database
  nodes = [createSignInThrottle({ db, now: () => at }), createSignInThrottle({ db, now: () => at })]
})
afterEach(() => database.drop())

const attempt = (network: string, email = 'ada@example.com') => ({ network, email })
const right = async () => 'right'
const wrong = async (): Promise<string> => {
  throw new ServiceError('wrong_password')
}
const fail = (node: SignInThrottle, network: string, email?: string) =>
  expect(node.limit(attempt(network, email), wrong)).rejects.toMatchObject({ code: 'wrong_password' })

async function counted(): Promise<number | undefined> {
  const row = await firstRow<{ count: number }>(database.db)`select count from failed_sign_ins where name = 'network 192.0.2.1'`
  return row?.count
}

test('counts failures of all nodes per network and per e-mail address until the window ends', async () => {
  const [one, two] = nodes
  for (let count = 0; count < 5; count += 1) for (const node of nodes) await fail(node, '192.0.2.1')
  await expect(two.limit(attempt('192.0.2.1', 'ben@example.com'), right)).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(await two.limit(attempt('192.0.2.2'), right)).toBe('right')

  for (let count = 0; count < 40; count += 1) await fail(one, `198.51.100.${count}`)
  await expect(two.limit(attempt('192.0.2.3'), right)).rejects.toThrow('Try again in 900 s')
  expect(await two.limit(attempt('192.0.2.3', 'ben@example.com'), right)).toBe('right')

  at = new Date(at.getTime() + 61_000)
  expect(await two.limit(attempt('192.0.2.1', 'ben@example.com'), right)).toBe('right')
  at = new Date(at.getTime() + 15 * 60_000)
  expect(await two.limit(attempt('192.0.2.3'), right)).toBe('right')
})

test('deletes windows that are over', async () => {
  const [node] = nodes
  for (let count = 0; count < 5; count += 1) await fail(node, `198.51.100.${count}`)
  at = new Date(at.getTime() + 16 * 60_000)
  await fail(node, '192.0.2.1')
  expect(await rowsOf(database.db)`select from failed_sign_ins`).toHaveLength(2)
})

test('runs ten of sixty parallel guesses on two nodes', async () => {
  let tested = 0
  const guess = async (): Promise<string> => {
    tested += 1
    return wrong()
  }
  const all = Array.from({ length: 60 }, (_, count) => nodes[count % 2]?.limit(attempt('192.0.2.1'), guess))
  await Promise.allSettled(all)
  expect(tested).toBe(10)
})

test('counts a running guess, and takes it back if it succeeds or is not made', async () => {
  const [node] = nodes
  const ends = Array.from({ length: 10 }, () => Promise.withResolvers<void>())
  const running = ends.map(({ promise }) => node.limit(attempt('192.0.2.1'), () => promise))
  await until('all are counted', async () => (await counted()) === 10)
  await expect(node.limit(attempt('192.0.2.1'), right)).rejects.toMatchObject({ code: 'too_many_requests' })
  for (const { resolve } of ends.slice(1)) resolve()
  ends[0]?.reject(new ServiceError('too_many_requests'))
  await Promise.allSettled(running)
  expect(await counted()).toBe(0)
  expect(await node.limit(attempt('192.0.2.1'), right)).toBe('right')
})

test('does not count a guess against the e-mail address if the network may not guess', async () => {
  const [node] = nodes
  for (let count = 0; count < 10; count += 1) await fail(node, '192.0.2.1', 'ben@example.com')
  for (let count = 0; count < 60; count += 1)
    await expect(node.limit(attempt('192.0.2.1'), right)).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(await node.limit(attempt('192.0.2.2'), right)).toBe('right')
})

test('does not take a guess back from a window that opened later', async () => {
  const [node] = nodes
  const end = Promise.withResolvers<void>()
  const slow = node.limit(attempt('192.0.2.1', ''), () => end.promise)
  await until('the guess is counted', async () => (await counted()) === 1)
  at = new Date(at.getTime() + 61_000)
  await fail(node, '192.0.2.1', '')
  end.resolve()
  await slow
  expect(await counted()).toBe(1)
})
