import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ArrivalTimes } from './arrival-times.ts'
import { TrackClock } from './track-clock.ts'

const RATE = 48_000
type Packet = { readonly rtpTimestamp: number; readonly ssrc: number; readonly arrivedMs: number }

/** A packet every 20 ms of the sender's time, close to the wrap of its RTP timestamps. */
const packet = (index: number, arrivedMs: number, ssrc = 1): Packet => ({
  rtpTimestamp: (0xffff_f000 + index * 960) >>> 0,
  ssrc,
  arrivedMs,
})

function through(packets: readonly Packet[]): readonly Packet[] {
  const arrivals = new ArrivalTimes<Packet>(RATE)
  return [...packets.flatMap((it) => arrivals.push(it)), ...arrivals.flush()]
}

const times = (packets: readonly Packet[]): readonly number[] => packets.map(({ arrivedMs }) => arrivedMs)
const count = (length: number, at: (index: number) => number): readonly number[] => Array.from({ length }, (_, index) => at(index))

test('releases a packet after 250 ms, also when no packet follows it', () => {
  const arrivals = new ArrivalTimes<Packet>(RATE)
  count(101, (index) => index * 20).forEach((at, index) => void arrivals.push(packet(index, at)))
  expect(times(arrivals.release(2_100))).toEqual([1_760, 1_780, 1_800, 1_820, 1_840])
  expect([times(arrivals.release(2_249)).at(-1), times(arrivals.release(2_250))]).toEqual([1_980, [2_000]])
  arrivals.push(packet(101, 2_260))
  expect([times(arrivals.flush()), arrivals.flush()]).toEqual([[2_260], []])
})

test('holds the first packets for a second, also those after a pause', () => {
  const arrivals = new ArrivalTimes<Packet>(RATE)
  for (const startMs of [100, 3_000]) {
    // The first ten are 35 ms late.
    const released = count(60, (index) => startMs + index * 20).flatMap((at, index) =>
      arrivals.push(packet(startMs + index, at + (index < 10 ? 35 : 0))),
    )
    expect(times(released).slice(0, 20)).toEqual(count(20, (index) => startMs + index * 20))
    arrivals.flush()
  }
})

test('keeps the arrival times of packets that come on time', () => {
  const packets = count(50, (index) => index * 20).map((at, index) => packet(index, at))
  expect(through(packets)).toEqual(packets)
})

test.each([200, 3_000])('restores the due times of packets that a page held up for %d ms', (heldMs) => {
  const packets = count(300, (index) => Math.max(index * 20, index >= 20 ? 400 + heldMs : 0)).map((at, index) => packet(index, at))
  expect(times(through(packets))).toEqual(count(300, (index) => index * 20))
})

test('places packets behind a silence that RTP timestamps omit, though the first arrive in a burst', () => {
  const packets = count(100, (index) => (index < 50 ? index * 20 : Math.max(10_000 + index * 20, 11_100))).map((at, index) =>
    packet(index, at),
  )
  const clock = new TrackClock(RATE, { hasCorrectedArrivals: true })
  const placed = through(packets).map((it) => clock.at(it, it.arrivedMs))
  expect(placed).toEqual(count(100, (index) => (index < 50 ? 0 : 10_000) + index * 20))
})

test('corrects nothing across another SSRC, a timestamp jump or a timestamp that goes back', () => {
  for (const next of [packet(3, 100, 2), packet(1_000, 100), packet(-50, 100)]) {
    expect(times(through([packet(0, 100), next]))).toEqual([100, 100])
  }
})

test('never delays a packet and never reorders packets, for any input', () => {
  const step = fc.record({ index: fc.nat(600), waitedMs: fc.nat(400), ssrc: fc.nat(1) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const packets: Packet[] = []
      for (const { index, waitedMs, ssrc } of steps) packets.push(packet(index, (packets.at(-1)?.arrivedMs ?? 0) + waitedMs, ssrc))
      const corrected = through(packets)
      expect(corrected.map(({ rtpTimestamp }) => rtpTimestamp)).toEqual(packets.map(({ rtpTimestamp }) => rtpTimestamp))
      for (const [at, it] of corrected.entries()) {
        expect(it.arrivedMs).toBeLessThanOrEqual(packets[at]?.arrivedMs ?? 0)
        const before = corrected.slice(0, at).findLast(({ ssrc }) => ssrc === it.ssrc)
        expect(it.arrivedMs).toBeGreaterThanOrEqual(before?.arrivedMs ?? Number.NEGATIVE_INFINITY)
      }
    }),
  )
})
