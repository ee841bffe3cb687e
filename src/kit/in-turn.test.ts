import { expect, test } from 'vitest'
import { createTurns } from './in-turn.ts'

test('runs one piece of work at a time, in order, also after one that failed', async () => {
  const inTurn = createTurns()
  const story: string[] = []
  const piece = (name: string, fails = false) =>
    inTurn(async () => {
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
