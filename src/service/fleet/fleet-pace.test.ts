import { expect, test } from 'vitest'
import { newFleetPace, spreadMs } from './fleet-pace.ts'

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
