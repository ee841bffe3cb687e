// Frames come out in the order they were taken, once each.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameOrder, type OrderedFrame } from './frame-order.ts'

const frame = (index: number, arrivedMs: number, start = 0): OrderedFrame => ({
  rtpTimestamp: (start + index * 6_000) >>> 0,
  ssrc: 1,
  arrivedMs,
  key: false,
  payload: Uint8Array.of(index & 255, index >> 8),
})
const indexes = (frames: readonly OrderedFrame[]) => frames.map(({ payload: [low = 0, high = 0] }) => low | (high << 8))

test('frames that were sent again find their place, across the wrap', () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.array(fc.nat(200), { minLength: 1, maxLength: 80 }), (start, late) => {
      const sent = late.map((delayMs, index) => frame(index, index * 66 + delayMs, start))
      const order = new FrameOrder()
      const arrived = [...sent].sort((a, b) => a.arrivedMs - b.arrivedMs)
      const out = [...arrived.flatMap((each) => order.push(each)), ...order.flush()]
      expect(indexes(out)).toEqual(late.map((_, index) => index))
    }),
  )
})

test('what is repeated to probe the network is taken once', () => {
  const order = new FrameOrder()
  const arrived = [0, 1, 1, 1, 1, 0, 2, 3, 1, 4, 5, 6, 0, 6].map((index, at) => frame(index, at * 66))
  expect(indexes([...arrived.flatMap((each) => order.push(each)), ...order.flush()])).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(order.repeated).toBe(7)
})

test('layers of one picture are kept, in the order they came', () => {
  const order = new FrameOrder()
  const layer = (content: number) => ({ ...frame(0, 0), payload: Uint8Array.of(content, 0) })
  expect(indexes([...order.push(layer(7)), ...order.push(layer(5)), ...order.push(layer(5)), ...order.flush()])).toEqual([7, 5])
})

test('a frame waits a quarter of a second, also when nothing follows it', () => {
  const order = new FrameOrder()
  expect(order.push(frame(0, 100))).toEqual([])
  expect(order.release(349)).toEqual([])
  expect(order.release(350)).toHaveLength(1)
})

test('where a place passes on, what came since a key frame is nobody’s, and from then on key frames wait a second', () => {
  const order = new FrameOrder()
  for (const [index, key] of [false, true, false, true, false].entries()) order.push({ ...frame(index, index * 10), key })
  order.dropUnowned(100)
  expect([indexes(order.flush()), order.unowned]).toEqual([[0], 4])
  // What came to the page before, and to us after.
  expect([order.push({ ...frame(5, 99), key: true }), order.unowned]).toEqual([[], 5])
  for (const [index, key] of [true, false].entries()) order.push({ ...frame(6 + index, 100 + index), key })
  expect([indexes(order.release(1_099)), indexes(order.release(1_100))]).toEqual([[], [6, 7]])
})

test('another source, or a count that starts anew, does not wait for the old one', () => {
  const order = new FrameOrder()
  order.push(frame(1_000, 0))
  expect(order.push({ ...frame(3, 10), ssrc: 2 })).toHaveLength(1)
  expect(order.push({ ...frame(4, 20), ssrc: 2, rtpTimestamp: 3_000_000_000 })).toHaveLength(1)
  expect(order.flush()).toHaveLength(1)
})

test('key frames of a slot wait a second from the beginning', () => {
  const order = new FrameOrder({ isSlot: true })
  for (const [index, key] of [true, false].entries()) order.push({ ...frame(index, 100 + index), key })
  expect([indexes(order.release(1_099)), indexes(order.release(1_100))]).toEqual([[], [0, 1]])
})
