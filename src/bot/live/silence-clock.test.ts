import { expect, test } from 'vitest'
import { SilenceClock } from './silence-clock.ts'

test('counts frames that have ended, also after a late call', () => {
  const clock = new SilenceClock(1_000.5, 20)
  expect([1_000, 1_020, 1_021, 1_039, 1_045, 1_345, 1_340].map((nowMs) => clock.due(nowMs))).toEqual([0, 0, 1, 0, 1, 15, 0])
})

test('counts an hour of frames in an hour of late timers', () => {
  const clock = new SilenceClock(0, 20)
  let frames = 0
  for (let nowMs = 0; nowMs <= 3_600_000; nowMs += 21.3) frames += clock.due(nowMs)
  expect(frames).toBeGreaterThanOrEqual(3_600_000 / 20 - 2)
  expect(frames).toBeLessThanOrEqual(3_600_000 / 20)
})
