import { expect, test } from 'vitest'
import { batch } from './batch.ts'

test('what is asked in one turn is loaded once, each key once, and everybody gets an answer', async () => {
  const loads: (readonly string[])[] = []
  const find = batch(async (keys: readonly string[]) => {
    loads.push(keys)
    return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.toUpperCase()]))
  })
  expect(await Promise.all(['a', 'b', 'a', 'none'].map(find))).toEqual(['A', 'B', 'A', undefined])
  expect(await find('c')).toBe('C')
  expect(loads).toEqual([['a', 'b', 'none'], ['c']])
})

test('a failed load fails those who waited for it and nobody after', async () => {
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
