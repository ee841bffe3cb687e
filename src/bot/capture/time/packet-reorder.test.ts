import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PacketReorder } from './packet-reorder.ts'

const packet = (sequence: number, ssrc = 1) => ({ sequence: sequence & 0xffff, ssrc })
const sequences = (packets: readonly { sequence: number | null }[]) => packets.map(({ sequence }) => sequence)

test('orders packets that arrive a few places late, across the wrap', () => {
  fc.assert(
    fc.property(fc.nat(0xffff), fc.array(fc.nat(4), { minLength: 1, maxLength: 60 }), (start, late) => {
      const sent = late.map((delay, index) => ({ index, at: index + delay })).sort((a, b) => a.at - b.at || a.index - b.index)
      // The first packet to arrive sets the start of the sequence, so it has to be the first one sent.
      const arrived = [{ index: -1 }, ...sent].map(({ index }) => packet(start + 1 + index))
      const reorder = new PacketReorder<{ sequence: number; ssrc: number }>()
      const out = [...arrived.flatMap((each) => reorder.push(each)), ...reorder.flush()]
      expect(sequences(out)).toEqual(Array.from({ length: late.length + 1 }, (_, index) => (start + index) & 0xffff))
      expect(reorder.discarded).toBe(0)
    }),
  )
})

test('accepts any sequence number after a restart', () => {
  const reorder = new PacketReorder<{ sequence: number; ssrc: number }>()
  for (const sequence of [10, 12]) reorder.push(packet(sequence))
  expect(sequences(reorder.restart())).toEqual([12])
  expect(sequences(reorder.push(packet(5)))).toEqual([5])
  expect(reorder.discarded).toBe(0)
})

test('waits for a missing packet for at most 160 ms', () => {
  const reorder = new PacketReorder<{ sequence: number; ssrc: number }>()
  expect(reorder.push(packet(1))).toHaveLength(1)
  const waiting = Array.from({ length: 8 }, (_, index) => reorder.push(packet(3 + index)))
  expect(waiting.flat()).toEqual([])
  expect(sequences(reorder.push(packet(11)))).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11])
  expect(reorder.push(packet(2))).toEqual([])
  expect(reorder.discarded).toBe(1)
})

test('discards duplicates', () => {
  const reorder = new PacketReorder<{ sequence: number; ssrc: number }>()
  reorder.push(packet(1))
  expect(reorder.push(packet(1))).toEqual([])
  reorder.push(packet(3))
  expect(reorder.push(packet(3))).toEqual([])
  expect(reorder.discarded).toBe(2)
})

test('follows a new SSRC and a restarted sequence', () => {
  const reorder = new PacketReorder<{ sequence: number; ssrc: number }>()
  reorder.push(packet(500))
  reorder.push(packet(502))
  expect(sequences(reorder.push(packet(7, 2)))).toEqual([502, 7])
  expect(sequences(reorder.push(packet(8, 2)))).toEqual([8])
  expect(sequences(reorder.push(packet(40_000, 2)))).toEqual([40_000])
})

test('passes packets without a sequence number through', () => {
  expect(new PacketReorder<{ sequence: null; ssrc: number }>().push({ sequence: null, ssrc: 1 })).toHaveLength(1)
})
