import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextSequence, packetsBetween, positionBySequence, positionByTimestamp, RecentPayloads, ticksBetween } from './stream-position.ts'

test.each([
  [1, 'ahead'],
  [30_000, 'ahead'],
  [0, 'same'],
  [-1, 'late'],
  [-1_000, 'late'],
  [-1_001, 'restart'],
] as const)('classifies a sequence number %d packets from the newest as %s, also across the wrap', (step, position) => {
  for (const newest of [20, 40_000, 0xfffe])
    expect(positionBySequence({ ssrc: 1, sequence: (newest + step) & 0xffff }, { ssrc: 1, sequence: newest })).toBe(position)
})

test.each([
  [960, 'ahead'],
  [0, 'same'],
  [-480_000, 'late'],
  [-480_001, 'restart'],
] as const)('classifies an RTP timestamp %d ticks of 48 kHz from the newest as %s, also across the wrap', (step, position) => {
  for (const newest of [100, 0xffff_ff00])
    expect(positionByTimestamp({ ssrc: 1, rtpTimestamp: (newest + step) >>> 0 }, { ssrc: 1, rtpTimestamp: newest }, 48_000)).toBe(position)
})

test('classifies another SSRC as a restart, whatever its counters', () => {
  expect(positionBySequence({ ssrc: 2, sequence: 7 }, { ssrc: 1, sequence: 7 })).toBe('restart')
  expect(positionByTimestamp({ ssrc: 2, rtpTimestamp: 7 }, { ssrc: 1, rtpTimestamp: 7 }, 48_000)).toBe('restart')
})

test('recognises a copy by its bytes for twenty packets', () => {
  const recent = new RecentPayloads()
  recent.push(Uint8Array.of(1, 2))
  for (let index = 0; index < 19; index++) recent.push(Uint8Array.of(9, index))
  expect([recent.has(Uint8Array.of(1, 2)), recent.has(Uint8Array.of(1, 3))]).toEqual([true, false])
  recent.push(Uint8Array.of(9, 19))
  expect(recent.has(Uint8Array.of(1, 2))).toBe(false)
})

test('counts ticks with their sign, exactly across the 32-bit wrap', () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (from, step) => {
      expect(ticksBetween(from, (from + step) >>> 0)).toBe(step)
    }),
  )
})

test('counts packets with their sign, exactly across the 16-bit wrap', () => {
  fc.assert(
    fc.property(fc.nat(0xffff), fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }), (from, step) => {
      expect(packetsBetween(from, (from + step) & 0xffff)).toBe(step)
      expect(packetsBetween(from, nextSequence(from))).toBe(1)
    }),
  )
})
