import { expect, test } from 'vitest'
import { createReceivers } from './receivers.ts'
import { pauseAfter } from './retry.ts'

test('allows a receiver one request until it answers, then four', () => {
  const receivers = createReceivers()
  receivers.began('a')
  expect(receivers.free().get('a')).toBe(0)
  receivers.ended('a', true)
  expect(receivers.free().get('a')).toBe(4)
  for (let index = 0; index < 4; index++) receivers.began('a')
  expect(receivers.free().get('a')).toBe(0)
})

test('allows one request again after a receiver falls silent, and forgets it when idle', () => {
  const receivers = createReceivers()
  receivers.began('a')
  receivers.ended('a', true)
  receivers.began('a')
  receivers.began('a')
  receivers.ended('a', false)
  expect(receivers.free().get('a')).toBe(0)
  receivers.ended('a', false)
  expect(receivers.free().has('a')).toBe(false)
})

test('makes ten attempts over about three days, with a jitter of a fifth', () => {
  const pauses = Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, 0.5) ?? 0)
  const days = pauses.reduce((sum, pause) => sum + pause, 0) / 86_400
  expect(days).toBeGreaterThan(2.5)
  expect(days).toBeLessThan(3.5)
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
  expect(pauseAfter(10, 0.5)).toBeNull()
  expect(pauseAfter(1, 0)).toBeCloseTo(4)
  expect(pauseAfter(1, 1)).toBeCloseTo(6)
})
