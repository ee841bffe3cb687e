import { expect, test } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

test('runs one task at a time, in order, also after a failure', async () => {
  const serially = createSerialQueue()
  const story: string[] = []
  const piece = (name: string, fails = false) =>
    serially(async () => {
      story.push(`${name} begins`)
      await Promise.resolve()
      story.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const outcomes = await Promise.allSettled([piece('a'), piece('b', true), piece('c')])
  expect(story).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})
