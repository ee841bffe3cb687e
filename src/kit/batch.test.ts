import { expect, test } from 'vitest'
import { batch } from './batch.ts'

test('loads all keys of one event loop turn once and answers each caller', async () => {
  const loads: (readonly string[])[] = []
  const find = batch(async (keys: readonly string[]) => {
    loads.push(keys)
    return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.toUpperCase()]))
  })
  expect(await Promise.all(['a', 'b', 'a', 'none'].map(find))).toEqual(['A', 'B', 'A', undefined])
  expect(await find('c')).toBe('C')
  expect(loads).toEqual([['a', 'b', 'none'], ['c']])
})

test('rejects the callers of a failed load and none after it', async () => {
  let broken = true
  const find = batch(async (keys: readonly string[]) => {
    if (broken) throw new Error('no')
    return new Map(keys.map((key) => [key, key]))
  })
  const outcomes = await Promise.allSettled([find('a'), find('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  broken = false
  expect(await find('a')).toBe('a')
})
