import { expect, test } from 'vitest'
import { retryWhileUnreachable } from './retry-while-unreachable.ts'
import { DatabaseUnreachable } from './unreachable.ts'

test('repeats work until the database answers', async () => {
  let tries = 0
  const done = await retryWhileUnreachable(async () => {
    tries += 1
    if (tries < 3) throw new DatabaseUnreachable(new Error('away'))
    return tries
  }, 60_000)
  expect(done).toBe(3)
})

test('gives up after the time limit, and at once on any other error', async () => {
  const away = async () => {
    throw new DatabaseUnreachable(new Error('away'))
  }
  await expect(retryWhileUnreachable(away, 0)).rejects.toBeInstanceOf(DatabaseUnreachable)
  let tries = 0
  const wrong = async () => {
    tries += 1
    throw new Error('wrong')
  }
  await expect(retryWhileUnreachable(wrong, 60_000)).rejects.toThrow('wrong')
  expect(tries).toBe(1)
})
