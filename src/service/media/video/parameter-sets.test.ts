// Decoder configurations as two encoders have written them.
import { expect, test } from 'vitest'
import { isWellFormed, mergeConfigurations, numbersOf } from './parameter-sets.ts'

/** x264 in its baseline profile, with number 0. */
const FIRST = Buffer.from('0142c01fffe1001b6742c01fd9005005bb016e02020280000003008000000f478c192401000568cb83cb20', 'hex')
/** The same with `sps-id=31`. */
const SECOND = Buffer.from('014d401fffe1001c674d401f0416805005bb016e02020280000003008000000f078c195001000768040082e0fc80', 'hex')

test('finds the numbers of the parameter sets', () => {
  expect(numbersOf(FIRST)).toEqual([0, 0])
  expect(numbersOf(SECOND)).toEqual([31, 31])
  expect(numbersOf(new Uint8Array())).toEqual([])
})

test('reads an incomplete configuration up to its end', () => {
  for (let length = 0; length < SECOND.length; length++) expect(() => numbersOf(SECOND.subarray(0, length))).not.toThrow()
})

test('merges the parameter sets of two configurations', () => {
  const merged = mergeConfigurations(SECOND, FIRST)
  expect(numbersOf(merged)).toEqual([31, 0, 31, 0])
  expect(merged.subarray(0, 6).toString('hex')).toBe('014d401fffe2')
  expect(merged.includes(FIRST.subarray(8, 8 + 27))).toBe(true)
})

test('recognises a packet whose lengths do not add up', () => {
  const packet = Buffer.from('00000002 6588 00000003 419a00'.replaceAll(' ', ''), 'hex')
  expect(isWellFormed(packet)).toBe(true)
  expect([packet.subarray(0, -1), Buffer.alloc(20, 0x55), Buffer.alloc(0)].map(isWellFormed)).toEqual([false, false, false])
})
