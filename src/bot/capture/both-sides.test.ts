import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BothSides, Habit } from './page/both-sides.ts'
import type { EncodedFrame } from './page/config.ts'

const FRAME_MS = 20

let shipped: number[]
let habit: Habit
let sides: BothSides
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  shipped = []
  habit = new Habit()
  sides = newSides()
})
afterEach(() => void vi.useRealTimers())

const newSides = () => new BothSides(habit, ({ data }) => shipped.push(new Uint8Array(data)[0] ?? -1))
const frame = (number: number): EncodedFrame => ({ data: Uint8Array.of(number).buffer, getMetadata: () => ({}) })

/** As the page's stream would: each frame is read, and may be written back at once. */
function pass(numbers: readonly number[], writes: boolean): void {
  for (const number of numbers) {
    const it = frame(number)
    sides.read(it)
    if (writes && sides.write(it)) shipped.push(100 + number)
    vi.advanceTimersByTime(FRAME_MS)
  }
}

test('ships what a page writes back, once', () => {
  pass([1, 2, 3], true)
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([101, 102, 103])
})

test('ships what a page reads and keeps, from its first frame on', () => {
  pass([1, 2], false)
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([1, 2])
  pass([3], false)
  expect(shipped, 'at once from then on').toEqual([1, 2, 3])
})

test('expects the next receiver to be treated as the last one', () => {
  pass([1], false)
  vi.advanceTimersByTime(5_000)
  sides = newSides()
  pass([2], false)
  expect(shipped).toEqual([1, 2])
})

test('loses and doubles nothing when the page changes its way in either direction', () => {
  pass([1, 2], true)
  pass([3, 4], false)
  vi.advanceTimersByTime(5_000)
  pass([5, 6], true)
  expect(shipped).toEqual([101, 102, 3, 4, 5, 106])
})

test('forgets frames that the page dropped before one that it wrote', () => {
  const [dropped, written] = [frame(1), frame(2)]
  sides.read(dropped)
  sides.read(written)
  expect(sides.write(written)).toBe(true)
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([])
})

test('keeps a copy of a frame that the page changes in place', () => {
  const it = frame(1)
  sides.read(it)
  new Uint8Array(it.data)[0] = 9
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([1])
})
