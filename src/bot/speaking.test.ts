import { expect, test } from 'vitest'
import { createSpeakingClock } from './speaking.ts'

test('each person’s time is the sum of their turns, also when turns overlap or still last', () => {
  const clock = createSpeakingClock()
  clock.hear(['ada'], 1_000)
  clock.hear(['ada', 'ben'], 3_000)
  clock.hear(['ben'], 4_000)
  clock.hear([], 6_000)
  clock.hear(['ada'], 10_000)
  expect(clock.totals(10_500)).toEqual({ ada: 3_500, ben: 3_000 })
  expect(clock.totals(11_000)).toEqual({ ada: 4_000, ben: 3_000 })
})

test('nobody has spoken before anybody was heard', () => {
  expect(createSpeakingClock().totals(5_000)).toEqual({})
})
