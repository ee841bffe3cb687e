import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextSequence, packetsBetween, ticksBetween } from './rtp.ts'

test('ticksBetween is signed and exact across the 32-bit wrap', () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (from, step) => {
      expect(ticksBetween(from, (from + step) >>> 0)).toBe(step)
    }),
  )
})

test('packetsBetween is signed and exact across the 16-bit wrap', () => {
  fc.assert(
    fc.property(fc.nat(0xffff), fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }), (from, step) => {
      expect(packetsBetween(from, (from + step) & 0xffff)).toBe(step)
      expect(packetsBetween(from, nextSequence(from))).toBe(1)
    }),
  )
})
