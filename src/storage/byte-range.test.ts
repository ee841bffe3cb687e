import { expect, test } from 'vitest'
import { rangeIn } from './byte-range.ts'

test.each([
  ['bytes=0-9', { first: 0, last: 9 }],
  ['bytes=90-', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes=50-1000', { first: 50, last: 99 }],
  ['bytes=99-99', { first: 99, last: 99 }],
  ['Bytes=0-0', { first: 0, last: 0 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 'unsatisfiable'],
  ['bytes=9-0', null],
  ['bytes=-', null],
  ['bytes=0-1,5-6', null],
  ['bytes=a-b', null],
  ['seconds=0-1', null],
  ['', null],
  [undefined, null],
] as const)('reads the Range header %j of 100 bytes as %j', (header, expected) => {
  expect(rangeIn(header, 100)).toEqual(expected)
})

test('rejects every range of an empty object', () => {
  for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) expect(rangeIn(header, 0), header).toBe('unsatisfiable')
})
