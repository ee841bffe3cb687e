import { expect, test } from 'vitest'
import { HeldPackets } from './held-packets.ts'

function holding(holdMs: number, ...times: readonly number[]) {
  const held = new HeldPackets<{ readonly atMs: number }>(holdMs)
  for (const atMs of times) held.add({ atMs })
  return {
    release: (nowMs: number) => held.release(nowMs).map(({ atMs }) => atMs),
    before: (sinceMs: number) => held.before(sinceMs).map(({ atMs }) => atMs),
    flush: () => held.flush().map(({ atMs }) => atMs),
  }
}

test('releases packets in order at the hold time, and all of them on flush', () => {
  const held = holding(750, 0, 20, 40)
  expect([held.release(749), held.release(770), held.flush(), held.flush()]).toEqual([[], [0, 20], [40], []])
})

test('releases the packets from before the last pause when the owner changes', () => {
  const held = holding(750, 0, 20, 300, 320, 520, 540)
  expect([held.before(560), held.flush()]).toEqual([
    [0, 20, 300, 320],
    [520, 540],
  ])
})

test('finds a pause between released and held packets', () => {
  const held = holding(750, 0, 20, 900, 920)
  expect(held.release(770)).toEqual([0, 20])
  expect([held.before(940), held.flush()]).toEqual([[], [900, 920]])
})

test('keeps packets without a pause between them for the new owner', () => {
  const held = holding(750, 0, 20, 40)
  held.release(770)
  expect([held.before(60), held.flush()]).toEqual([[], [40]])
})

test('releases all packets to the old owner when they end long before the change', () => {
  const held = holding(750, 0, 20, 300, 320)
  expect(held.before(721)).toEqual([0, 20, 300, 320])
})
