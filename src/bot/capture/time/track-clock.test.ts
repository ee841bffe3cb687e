import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TrackClock } from './track-clock.ts'

const RATE = 48_000
const TICKS = RATE / 1000
const wrap = (value: number) => value >>> 0

/** Sends a frame every 20 ms of the sender's time. Returns the error of each frame's session time. */
function play({
  frames,
  delay,
  startTicks = 0,
  senderSpeed = 1,
  correctsAtOnce = false,
  hasCorrectedArrivals = false,
}: {
  frames: number
  delay: (index: number) => number
  startTicks?: number
  senderSpeed?: number
  correctsAtOnce?: boolean
  hasCorrectedArrivals?: boolean
}): readonly number[] {
  const clock = new TrackClock(RATE, { correctsAtOnce, hasCorrectedArrivals })
  return Array.from({ length: frames }, (_, index) => {
    const sentMs = index * 20
    const rtpTimestamp = wrap(startTicks + Math.round(sentMs * senderSpeed * TICKS))
    return clock.at({ rtpTimestamp, ssrc: 1 }, sentMs + delay(index)) - sentMs
  })
}

test('times frames across the wrap of the RTP timestamp', () => {
  const errors = play({ frames: 500, delay: () => 10, startTicks: 0xffffffff - 100 * TICKS })
  expect(Math.max(...errors.map((error) => Math.abs(error - 10)))).toBeLessThan(1)
})

test('keeps frames in place under jitter', () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(80)), (jitter) => {
      const errors = play({ frames: 300, delay: () => 5 + (jitter.next().value ?? 0) }).slice(60)
      expect(Math.max(...errors) - Math.min(...errors)).toBeLessThan(40)
    }),
    { numRuns: 50 },
  )
})

test.each([1.0002, 0.9998])('keeps an hour in place when the sender clock runs at %d of real time', (senderSpeed) => {
  const errors = play({ frames: 180_000, delay: (index) => 5 + (index % 7), senderSpeed })
  expect(errors.reduce((most, error) => Math.max(most, Math.abs(error)), 0)).toBeLessThan(30)
})

test('keeps frames in place when the page stands still for three seconds', () => {
  const errors = play({ frames: 600, delay: (index) => (index >= 200 && index < 350 ? (350 - index) * 20 : 0) })
  expect(Math.max(...errors.map(Math.abs))).toBeLessThan(25)
})

test('keeps frames in place while a busy machine delays them for seconds', () => {
  const errors = play({ frames: 600, delay: (index) => (index >= 200 && index < 400 ? 450 : 5) })
  expect(Math.max(...errors.map((error) => Math.abs(error - 5)))).toBeLessThan(10)
})

test('follows a sender clock that loses half a second slowly, and one that is set back at once', () => {
  const slow = play({ frames: 1_000, delay: (index) => (index < 100 ? 5 : 505) })
  expect(slow.slice(500).every((error) => Math.abs(error - 505) < 10)).toBe(true)
  const clock = new TrackClock(RATE)
  for (let at = 0; at < 2_000; at += 20) clock.at({ rtpTimestamp: (10_000 + at) * TICKS, ssrc: 1 }, at)
  expect(clock.at({ rtpTimestamp: 11_000 * TICKS, ssrc: 1 }, 2_000)).toBe(2_000)
})

test('places a burst at the start by its last frame', () => {
  const errors = play({ frames: 200, delay: (index) => Math.max(5, 400 - index * 20) })
  expect(Math.abs((errors[100] ?? 99) - 5)).toBeLessThan(2)
})

test.each([false, true])('corrects a late start at once only if correctsAtOnce is %s', (correctsAtOnce) => {
  const errors = play({ frames: 300, delay: (index) => (index < 100 ? 250 : 5), correctsAtOnce })
  const steps = errors.slice(1).map((error, index) => 20 + error - (errors[index] ?? 0))
  expect(Math.min(...steps) < 10).toBe(correctsAtOnce)
  expect(errors.slice(115).every((error) => Math.abs(error - 5) < 2)).toBe(correctsAtOnce)
})

test('corrects a first second that was late in steps of a millisecond, within thirteen seconds', () => {
  const errors = play({ frames: 700, delay: (index) => (index < 48 ? 45 : 5), hasCorrectedArrivals: true })
  const steps = errors.slice(1).map((error, index) => 20 + error - (errors[index] ?? 0))
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(19)
  expect(errors.slice(650).every((error) => Math.abs(error - 5) < 2)).toBe(true)
})

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('restarts from the arrival time when the RTP timestamp jumps %s', (_, jumpMs) => {
  const clock = new TrackClock(RATE)
  expect(clock.at({ rtpTimestamp: 1_000_000_000, ssrc: 1 }, 100)).toBe(100)
  expect(clock.at({ rtpTimestamp: wrap(1_000_000_000 + (20 + jumpMs) * TICKS), ssrc: 1 }, 120)).toBe(120)
})

test('restarts from the arrival time when the SSRC changes', () => {
  const clock = new TrackClock(RATE)
  clock.at({ rtpTimestamp: 0, ssrc: 1 }, 100)
  expect(clock.at({ rtpTimestamp: 20 * TICKS, ssrc: 2 }, 700)).toBe(700)
})

test('keeps a minute of silence as a gap of a minute', () => {
  const clock = new TrackClock(RATE)
  clock.at({ rtpTimestamp: 0, ssrc: 1 }, 0)
  expect(clock.at({ rtpTimestamp: 60_000 * TICKS, ssrc: 1 }, 60_003)).toBeCloseTo(60_000, -1)
})

test.each([600, 5_000, 60_000])('corrects within a few frames when RTP timestamps omit a silence of %d ms', (silenceMs) => {
  const errors = play({ frames: 400, delay: (index) => (index < 100 ? 0 : silenceMs) + (index % 3) })
  for (const error of errors.slice(104)) expect(Math.abs(error - silenceMs)).toBeLessThan(5)
})

test('corrects an omitted silence as fast when the first frames after it arrive in a burst', () => {
  const errors = play({ frames: 400, delay: (index) => (index < 100 ? 0 : 8_000 + Math.max(0, (106 - index) * 20)) })
  for (const error of errors.slice(110)) expect(Math.abs(error - 8_000)).toBeLessThan(5)
})

test('returns strictly increasing times for any input', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ rtpTimestamp: fc.nat(0xffffffff), ssrc: fc.nat(2), waitedMs: fc.nat(3_000) })), (frames) => {
      const clock = new TrackClock(RATE)
      let arrivedMs = 0
      let before = Number.NEGATIVE_INFINITY
      for (const { waitedMs, ...frame } of frames) {
        arrivedMs += waitedMs
        const at = clock.at(frame, arrivedMs)
        expect(at).toBeGreaterThanOrEqual(before + 1)
        before = at
      }
    }),
  )
})
