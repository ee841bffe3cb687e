// Work is repeated while the database does not answer, and only then.
import { expect, test } from 'vitest'
import { whileUnreachable } from './patience.ts'
import { DatabaseUnreachable } from './unreachable.ts'

test('repeats work until the database answers', async () => {
  let tries = 0
  const done = await whileUnreachable(async () => {
    tries += 1
    if (tries < 3) throw new DatabaseUnreachable(new Error('away'))
    return tries
  }, 60_000)
  expect(done).toBe(3)
})

test('gives up when the time is over, and at once for an error of another kind', async () => {
  const away = async () => {
    throw new DatabaseUnreachable(new Error('away'))
  }
  await expect(whileUnreachable(away, 0)).rejects.toBeInstanceOf(DatabaseUnreachable)
  let tries = 0
  const wrong = async () => {
    tries += 1
    throw new Error('wrong')
  }
  await expect(whileUnreachable(wrong, 60_000)).rejects.toThrow('wrong')
  expect(tries).toBe(1)
})
