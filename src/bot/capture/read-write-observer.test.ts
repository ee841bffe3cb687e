import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EncodedFrame } from './page/config.ts'
import { FrameHandling, ReadWriteObserver } from './page/read-write-observer.ts'

const FRAME_MS = 20

let shipped: number[]
let handling: FrameHandling
let observer: ReadWriteObserver
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  shipped = []
  handling = new FrameHandling()
  observer = newObserver()
})
afterEach(() => void vi.useRealTimers())

const newObserver = () => new ReadWriteObserver(handling, ({ data }) => shipped.push(new Uint8Array(data)[0] ?? -1))
const frame = (number: number): EncodedFrame => ({ data: Uint8Array.of(number).buffer, getMetadata: () => ({}) })

/** As the page's stream does: reads each frame, and may write it back at once. */
function pass(numbers: readonly number[], writes: boolean): void {
  for (const number of numbers) {
    const it = frame(number)
    observer.read(it)
    if (writes && observer.write(it)) shipped.push(100 + number)
    vi.advanceTimersByTime(FRAME_MS)
  }
}

test('ships the frames that the page writes back, once', () => {
  pass([1, 2, 3], true)
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([101, 102, 103])
})

test('ships all frames that the page reads and keeps, from the first on', () => {
  pass([1, 2], false)
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([1, 2])
  pass([3], false)
  expect(shipped, 'at once from then on').toEqual([1, 2, 3])
})

test('expects the page to handle the next receiver like the last one', () => {
  pass([1], false)
  vi.advanceTimersByTime(5_000)
  observer = newObserver()
  pass([2], false)
  expect(shipped).toEqual([1, 2])
})

test('loses and repeats no frames when the page starts or stops writing back', () => {
  pass([1, 2], true)
  pass([3, 4], false)
  vi.advanceTimersByTime(5_000)
  pass([5, 6], true)
  expect(shipped).toEqual([101, 102, 3, 4, 5, 106])
})

test('drops frames that the page read before one that it wrote', () => {
  const [dropped, written] = [frame(1), frame(2)]
  observer.read(dropped)
  observer.read(written)
  expect(observer.write(written)).toBe(true)
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([])
})

test('ships the original of a frame that the page changes in place', () => {
  const it = frame(1)
  observer.read(it)
  new Uint8Array(it.data)[0] = 9
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([1])
})

test('ships the kept frames of all receivers in the order of reading: a speaker may move from one to another', () => {
  const other = newObserver()
  for (const [number, by] of [observer, other, observer, other].entries()) {
    by.read(frame(number))
    vi.advanceTimersByTime(FRAME_MS)
  }
  vi.advanceTimersByTime(5_000)
  expect(shipped).toEqual([0, 1, 2, 3])
})
