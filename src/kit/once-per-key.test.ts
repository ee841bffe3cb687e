import { expect, test } from 'vitest'
import { createOncePerKey } from './once-per-key.ts'

function bench(isKept: (result: string) => boolean = () => true) {
  let nowMs = 0
  const runs: string[] = []
  const once = createOncePerKey<string>({ forMs: 60_000, nowMs: () => nowMs, isKept })
  const run = (key: string, result: Promise<string> | string) =>
    once(key, async () => {
      runs.push(key)
      return result
    })
  return { runs, run, pass: (ms: number) => (nowMs += ms) }
}

test('runs a repeated key once within the time, and gives the first result again', async () => {
  const { runs, run, pass } = bench()
  expect(await run('a', 'first')).toBe('first')
  pass(59_999)
  expect(await run('a', 'second')).toBe('first')
  expect(await run('b', 'other')).toBe('other')
  expect(runs).toEqual(['a', 'b'])
})

test('joins a run in progress, however long it takes', async () => {
  const { runs, run, pass } = bench()
  const slow = Promise.withResolvers<string>()
  const both = [run('a', slow.promise), run('a', 'second')]
  pass(100_000)
  both.push(run('a', 'third'))
  slow.resolve('first')
  expect(await Promise.all(both)).toEqual(['first', 'first', 'first'])
  pass(59_999)
  expect(await run('a', 'fourth')).toBe('first')
  expect(runs).toEqual(['a'])
})

test('runs a key again when the time since the end of its run is over', async () => {
  const { run, pass } = bench()
  await run('a', 'first')
  pass(60_000)
  expect(await run('a', 'second')).toBe('second')
})

test('runs a key again whose run rejected, or whose result is not kept', async () => {
  const { run } = bench((result) => result !== 'unknown')
  await expect(run('a', Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await run('a', 'unknown')).toBe('unknown')
  expect(await run('a', 'known')).toBe('known')
  expect(await run('a', 'later')).toBe('known')
})
