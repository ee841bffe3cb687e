import { expect, test } from 'vitest'
import { RecentPayloads, standingBySequence, standingByTimestamp } from './late.ts'

test.each([
  [1, 'ahead'],
  [30_000, 'ahead'],
  [0, 'same'],
  [-1, 'late'],
  [-1_000, 'late'],
  [-1_001, 'restart'],
] as const)('a sequence number %d packets from the newest is %s, also across the wrap', (step, standing) => {
  for (const newest of [20, 40_000, 0xfffe])
    expect(standingBySequence({ ssrc: 1, sequence: (newest + step) & 0xffff }, { ssrc: 1, sequence: newest })).toBe(standing)
})

test.each([
  [960, 'ahead'],
  [0, 'same'],
  [-480_000, 'late'],
  [-480_001, 'restart'],
] as const)('an RTP timestamp %d ticks of 48 kHz from the newest is %s, also across the wrap', (step, standing) => {
  for (const newest of [100, 0xffff_ff00])
    expect(standingByTimestamp({ ssrc: 1, rtpTimestamp: (newest + step) >>> 0 }, { ssrc: 1, rtpTimestamp: newest }, 48_000)).toBe(standing)
})

test('another SSRC is a restart, whatever its counters', () => {
  expect(standingBySequence({ ssrc: 2, sequence: 7 }, { ssrc: 1, sequence: 7 })).toBe('restart')
  expect(standingByTimestamp({ ssrc: 2, rtpTimestamp: 7 }, { ssrc: 1, rtpTimestamp: 7 }, 48_000)).toBe('restart')
})

test('a copy is known by its bytes for twenty packets', () => {
  const recent = new RecentPayloads()
  recent.push(Uint8Array.of(1, 2))
  for (let index = 0; index < 19; index++) recent.push(Uint8Array.of(9, index))
  expect([recent.has(Uint8Array.of(1, 2)), recent.has(Uint8Array.of(1, 3))]).toEqual([true, false])
  recent.push(Uint8Array.of(9, 19))
  expect(recent.has(Uint8Array.of(1, 2))).toBe(false)
})
