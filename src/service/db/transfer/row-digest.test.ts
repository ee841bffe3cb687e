import { expect, test } from 'vitest'
import { RowDigest } from './row-digest.ts'

function digestOf(...chunks: readonly string[]) {
  const digest = new RowDigest()
  for (const chunk of chunks) digest.add(Buffer.from(chunk))
  return digest.result()
}

test('gives one digest for rows in any order and for chunks that end anywhere', () => {
  const whole = digestOf('a\t1\nb\t2\nc\t3\n')
  expect(whole.rows).toBe(3)
  expect(digestOf('c\t3\na\t1\nb\t2\n')).toEqual(whole)
  expect(digestOf('a', '\t1\nb\t2', '\n', 'c\t3\n')).toEqual(whole)
})

test('differs if one character of a row differs, or a row occurs twice', () => {
  const whole = digestOf('a\t1\nb\t2\n')
  expect(digestOf('a\t1\nb\t3\n').hash).not.toBe(whole.hash)
  expect(digestOf('a\t1\na\t1\nb\t2\n').hash).not.toBe(whole.hash)
  expect(digestOf('b\t2\n', 'b\t2\n', 'a\t1\n')).not.toEqual(digestOf('a\t1\n', 'a\t1\n', 'b\t2\n'))
})

test('refuses rows whose end is missing', () => {
  expect(() => digestOf('a\t1\nb')).toThrow('The last row is cut off')
})

test('has the digest of no rows for an empty table', () => {
  expect(digestOf()).toEqual({ rows: 0, hash: '0'.repeat(64) })
})
