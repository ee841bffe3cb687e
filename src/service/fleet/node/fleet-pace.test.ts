import { expect, test } from 'vitest'
import { aheadMs, newFleetPace, notePeak, spreadMs } from './fleet-pace.ts'

const LOOKS = { everyMs: 250, perSecond: 100 }

test('adds nothing to the pause in a small fleet', () => {
  expect(spreadMs(newFleetPace(Math.random), 25, LOOKS)).toBe(0)
})

test('lets the nodes of a large fleet make the same number of looks a second, at different moments', () => {
  let turn = 0
  const nodes = 500
  const pace = newFleetPace(() => turn++ / nodes)
  const pauses = Array.from({ length: nodes }, () => LOOKS.everyMs + spreadMs(pace, nodes, LOOKS))
  const mean = pauses.reduce((sum, ms) => sum + ms, 0) / nodes
  expect((nodes * 1000) / mean).toBeCloseTo(LOOKS.perSecond, 0)
  expect(new Set(pauses).size).toBe(nodes)
})

test('looks three times a minute at least, however many nodes there are', () => {
  expect(
    spreadMs(
      newFleetPace(() => 1),
      1_000_000,
      LOOKS,
    ),
  ).toBeLessThanOrEqual(20_000)
})

test('begins bots of a peak ahead of their time from its begin until they are due', () => {
  const pace = newFleetPace(Math.random)
  expect(aheadMs(pace, 0)).toBe(0)
  notePeak(pace, { beginsInMs: 10_000, dueInMs: 25_000 }, 1_000)
  expect([10_999, 11_000, 20_000, 26_000, 30_000].map((nowMs) => aheadMs(pace, nowMs))).toEqual([0, 15_000, 6_000, 0, 0])
  notePeak(pace, null, 12_000)
  expect(aheadMs(pace, 12_000)).toBe(0)
})
