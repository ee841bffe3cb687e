// Decoding and changing protobuf messages without a schema.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesField, fieldsOf, numberField, textField, withFields } from './protobuf.ts'

const field = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.uint8Array({ maxLength: 400 })).map(([number, payload]) => bytesField(number, payload)),
  fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.maxSafeNat()).map(([number, value]) => numberField(number, value)),
)
const message = fc.array(field).map((fields) => Buffer.concat(fields))

test('keeps an unchanged message byte for byte', () => {
  fc.assert(fc.property(message, (bytes) => withFields(bytes, () => null).equals(bytes)))
})

test('replaces the content of one field and keeps the others', () => {
  const before = Buffer.concat([numberField(1, 300), textField(2, 'one'), textField(3, 'two'), textField(2, 'three')])
  const after = withFields(before, (payload, number) => (number === 2 ? Buffer.concat([payload, Buffer.alloc(200, '!')]) : null))
  const texts = [...fieldsOf(after)].map(({ number, payload }) => [number, payload && Buffer.from(payload).toString().slice(0, 6)])
  expect(texts).toEqual([
    [1, null],
    [2, 'one!!!'],
    [3, 'two'],
    [2, 'three!'],
  ])
})

test('skips fields of fixed width', () => {
  const bytes = Buffer.concat([
    Buffer.from([(1 << 3) | 1]),
    Buffer.alloc(8, 255),
    Buffer.from([(2 << 3) | 5]),
    Buffer.alloc(4, 255),
    textField(3, 'end'),
  ])
  expect([...fieldsOf(bytes)].map(({ number }) => number)).toEqual([1, 2, 3])
})

test.each([
  ['a length beyond the end', Buffer.from([0x0a, 5, 1])],
  ['a number that is too long', Buffer.alloc(12, 255)],
  ['an unknown wire type', Buffer.from([0x0f, 1])],
  ['the field number zero', Buffer.from([0x02, 0])],
])('rejects %s', (_, bytes) => {
  expect(() => [...fieldsOf(bytes)]).toThrow('protobuf:')
})
