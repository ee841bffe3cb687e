import { expect, test } from 'vitest'
import { createSpeakingTime } from './speaking-time.ts'

let now = 0
const createClock = () => createSpeakingTime(() => now)

test('adds up the turns of each participant, also when turns overlap or still last', () => {
  const clock = createClock()
  clock.setSpeakers(['ada'], 1_000)
  clock.setSpeakers(['ada', 'ben'], 3_000)
  clock.setSpeakers(['ben'], 4_000)
  clock.setSpeakers([], 6_000)
  clock.setSpeakers(['ada'], 10_000)
  now = 10_500
  expect(clock.totals()).toEqual({ ada: 3_500, ben: 3_000 })
  now = 11_000
  expect(clock.totals()).toEqual({ ada: 4_000, ben: 3_000 })
})

test('does not count speech during a pause', () => {
  const clock = createClock()
  clock.setSpeakers(['ada'], 1_000)
  now = 2_000
  clock.pause()
  clock.setSpeakers(['ada', 'ben'], 3_000)
  now = 5_000
  clock.resume()
  now = 6_000
  expect(clock.totals()).toEqual({ ada: 2_000, ben: 1_000 })
})

test('has no totals before the first speaker', () => {
  expect(createClock().totals()).toEqual({})
})

test('reports each turn at its end, and those that last at a pause', () => {
  const turns: unknown[] = []
  now = 4_000
  const clock = createSpeakingTime(
    () => now,
    (speaker, { fromMs, toMs }) => turns.push([speaker, fromMs, toMs]),
  )
  clock.setSpeakers(['ada'], 1_000)
  clock.setSpeakers(['ada', 'ben'], 2_000)
  clock.setSpeakers(['ben'], 3_000)
  clock.pause()
  expect(turns).toEqual([
    ['ada', 1_000, 3_000],
    ['ben', 2_000, 4_000],
  ])
})
