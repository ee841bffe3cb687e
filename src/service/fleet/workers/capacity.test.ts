import { expect, test } from 'vitest'
import { affordableBots, offeredSeats, RESERVED } from './capacity.ts'

const IDLE = { cores: 8, busyCores: 0, freeMegabytes: 16_000 }
const EMPTY = { use: { cores: 0, megabytes: 0 }, settled: 0, unsettled: 0 }

test('counts bots by their reservation until their use is known', () => {
  expect(affordableBots(IDLE, EMPTY)).toBe(13)
  expect(affordableBots(IDLE, { ...EMPTY, unsettled: 10 })).toBe(3)
})

test('offers more seats once running bots show that they cost less, and fewer if they cost more', () => {
  const with4 = (cores: number) =>
    affordableBots({ ...IDLE, busyCores: cores }, { use: { cores, megabytes: 800 }, settled: 4, unsettled: 0 })
  expect(with4(0.8)).toBe(30)
  expect(with4(4)).toBe(2)
})

test('offers fewer seats on a machine that is busy with other work', () => {
  expect(affordableBots({ ...IDLE, busyCores: 5 }, EMPTY)).toBe(3)
  expect(affordableBots({ ...IDLE, busyCores: 8 }, EMPTY)).toBe(0)
})

test('is limited by free memory, without the part that is kept and that of bots that have just joined', () => {
  const small = { ...IDLE, freeMegabytes: 299 + 3 * RESERVED.megabytes }
  expect(affordableBots(small, EMPTY)).toBe(2)
  expect(affordableBots(small, { ...EMPTY, unsettled: 1 })).toBe(1)
})

test('counts the use of all bots that have a browser, also of those that have just joined', () => {
  const joining = { use: { cores: 3, megabytes: 600 }, settled: 1, unsettled: 1 }
  // 6.8 cores without 3 that are used and 0.5 that are reserved, at 1.5 for each bot.
  expect(affordableBots({ ...IDLE, busyCores: 3 }, joining)).toBe(2)
})

test('assumes a least cost for bots that cost almost nothing', () => {
  const silent = { use: { cores: 0.01, megabytes: 10 }, settled: 2, unsettled: 0 }
  expect(affordableBots({ ...IDLE, freeMegabytes: 100_000 }, silent)).toBe(68)
  expect(affordableBots({ ...IDLE, freeMegabytes: 300 + 5 * 120 }, silent)).toBe(5)
})

test('offers the taken seats and the free ones that the machine can take', () => {
  const seats = { seats: 8, freeSeats: 5, freedSeats: 1 }
  expect(offeredSeats(seats, 2)).toEqual({ seats: 5, freeSeats: 2, freedSeats: 1 })
  expect(offeredSeats(seats, Number.POSITIVE_INFINITY)).toEqual(seats)
})
