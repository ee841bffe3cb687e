import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameReorder, type TimestampedFrame } from './frame-reorder.ts'

const frame = (index: number, arrivedMs: number, start = 0): TimestampedFrame => ({
  rtpTimestamp: (start + index * 6_000) >>> 0,
  ssrc: 1,
  arrivedMs,
  key: false,
  payload: Uint8Array.of(index & 255, index >> 8),
})
const indexes = (frames: readonly TimestampedFrame[]) => frames.map(({ payload: [low = 0, high = 0] }) => low | (high << 8))

test('orders retransmitted frames by RTP timestamp, across the wrap', () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.array(fc.nat(200), { minLength: 1, maxLength: 80 }), (start, late) => {
      const sent = late.map((delayMs, index) => frame(index, index * 66 + delayMs, start))
      const order = new FrameReorder()
      const arrived = [...sent].sort((a, b) => a.arrivedMs - b.arrivedMs)
      const out = [...arrived.flatMap((each) => order.push(each)), ...order.flush()]
      expect(indexes(out)).toEqual(late.map((_, index) => index))
    }),
  )
})

test('drops duplicates that a sender repeats to probe the network', () => {
  const order = new FrameReorder()
  const arrived = [0, 1, 1, 1, 1, 0, 2, 3, 1, 4, 5, 6, 0, 6].map((index, at) => frame(index, at * 66))
  expect(indexes([...arrived.flatMap((each) => order.push(each)), ...order.flush()])).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(order.repeated).toBe(7)
})

test('keeps the layers of one picture in order of arrival', () => {
  const order = new FrameReorder()
  const layer = (content: number) => ({ ...frame(0, 0), payload: Uint8Array.of(content, 0) })
  expect(indexes([...order.push(layer(7)), ...order.push(layer(5)), ...order.push(layer(5)), ...order.flush()])).toEqual([7, 5])
})

test('releases a frame after 250 ms, also when no frame follows it', () => {
  const order = new FrameReorder()
  expect(order.push(frame(0, 100))).toEqual([])
  expect(order.release(349)).toEqual([])
  expect(order.release(350)).toHaveLength(1)
})

test('drops frames since the held key frame when the owner changes, and holds later key frames for a second', () => {
  const order = new FrameReorder()
  for (const [index, key] of [false, true, false, true, false].entries()) order.push({ ...frame(index, index * 10), key })
  order.dropUnowned(100)
  expect([indexes(order.flush()), order.unowned]).toEqual([[0], 4])
  // Arrived in the page before the change, and in the bot after it.
  expect([order.push({ ...frame(5, 99), key: true }), order.unowned]).toEqual([[], 5])
  for (const [index, key] of [true, false].entries()) order.push({ ...frame(6 + index, 100 + index), key })
  expect([indexes(order.release(1_099)), indexes(order.release(1_100))]).toEqual([[], [6, 7]])
})

test('releases held frames at once when the SSRC changes or the RTP timestamps restart', () => {
  const order = new FrameReorder()
  order.push(frame(1_000, 0))
  expect(order.push({ ...frame(3, 10), ssrc: 2 })).toHaveLength(1)
  expect(order.push({ ...frame(4, 20), ssrc: 2, rtpTimestamp: 3_000_000_000 })).toHaveLength(1)
  expect(order.flush()).toHaveLength(1)
})

test('holds key frames of a slot for a second from the start', () => {
  const order = new FrameReorder({ isSlot: true })
  for (const [index, key] of [true, false].entries()) order.push({ ...frame(index, 100 + index), key })
  expect([indexes(order.release(1_099)), indexes(order.release(1_100))]).toEqual([[], [0, 1]])
})
