// Decoding Google Meet's own messages, also broken and hostile ones.
import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Message } from '../../../kit/protobuf.ts'
import { readDoorSign, readReport } from '../browser-meeting/read-report.ts'
import { DOOR_READERS, READERS } from './protocol.ts'

type Value = number | string | Tree | readonly (string | Tree)[]
type Tree = { readonly [field: number]: Value }

/** Encodes protobuf by its specification, for this test only. */
function written(tree: Tree): Buffer {
  return Buffer.concat(
    Object.entries(tree).flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).map((it: number | string | Tree) => {
        if (typeof it === 'number') return Buffer.concat([varint(Number(field) * 8), varint(it)])
        const bytes = typeof it === 'string' ? Buffer.from(it) : written(it)
        return Buffer.concat([varint(Number(field) * 8 + 2), varint(bytes.length), bytes])
      }),
    ),
  )
}

function varint(value: number): Buffer {
  return value < 128 ? Buffer.from([value]) : Buffer.concat([Buffer.from([(value % 128) + 128]), varint(Math.floor(value / 128))])
}

const read = (report: unknown) => readReport(report, READERS)[0] ?? null
const decode = (kind: string, bytes: Buffer) => read({ kind, data: bytes.toString('base64') })
const collections = (wrapper: Tree) => decode('collections', deflateSync(written({ 1: { 2: wrapper } })))

test('decodes users, their devices and their chat', () => {
  const ada = { 1: 'spaces/x/devices/1', 2: 'Ada Lovelace', 3: 'https://example.com/a.png', 4: 1, 29: 'Ada', 34: 1 }
  const bot = { 1: 'spaces/x/devices/2', 2: 'Emissary', 4: 1, 7: 'me' }
  const screen = { 1: 'spaces/x/devices/3', 2: 'Ada Lovelace', 4: 1, 21: 'spaces/x/devices/1' }
  const outputs = [
    { 2: 1, 4: '4711', 6: 'spaces/x/devices/1', 10: { 1: 1 } },
    { 2: 2, 4: 'stream-7', 6: 'spaces/x/devices/1' },
    { 2: 9, 4: 'what', 6: 'spaces/x/devices/1' },
  ]
  const chat = { 2: { 1: 'm1', 2: 'spaces/x/devices/1', 3: 1_790_000_000_000_000, 5: { 1: 'Grüße 😀' } } }
  expect(collections({ 3: { 2: outputs }, 13: { 1: { 1: { 1: 5 }, 2: [ada, bot, screen] }, 4: [chat] } })).toEqual({
    kind: 'changes',
    users: [
      { id: 'spaces/x/devices/1', name: 'Ada', presence: 'here', isSelf: false, parentId: null, isHost: true },
      { id: 'spaces/x/devices/2', name: 'Emissary', presence: 'here', isSelf: true, parentId: null, isHost: null },
      { id: 'spaces/x/devices/3', name: 'Ada Lovelace', presence: 'here', isSelf: false, parentId: 'spaces/x/devices/1', isHost: null },
    ],
    streams: [
      { userId: 'spaces/x/devices/1', kind: 'audio', streamId: '4711', disabled: true },
      { userId: 'spaces/x/devices/1', kind: 'video', streamId: 'stream-7', disabled: false },
    ],
    chat: [{ id: 'm1', userId: 'spaces/x/devices/1', text: 'Grüße 😀' }],
  })
})

test('decodes the full user list and captions', () => {
  expect(decode('sync', written({ 2: { 2: { 2: [{ 1: 'd1', 2: 'Ada', 4: 6 }] } } }))).toMatchObject({
    kind: 'everybody',
    users: [{ id: 'd1', name: 'Ada', presence: 'left' }],
  })
  expect(decode('captions', written({ 1: { 1: 'd1', 2: 12, 3: 3, 4: 1, 6: 'Good morning', 8: 1 } }))).toEqual({
    kind: 'caption',
    caption: { id: 'd1/12', userId: 'd1', version: 3, final: true, text: 'Good morning' },
  })
  expect(read({ kind: 'voice', sources: [4711, 'x', null] })).toEqual({ kind: 'voice', sources: [4711] })
})

test('drops an empty user list and a truncated message', () => {
  expect(decode('sync', Buffer.alloc(0))).toBeNull()
  expect(decode('collections', written({ 1: { 2: { 13: {} } } }))).toBeNull()
  const whole = written({ 1: 'abc', 4: 300 })
  expect(new Message(whole)).toSatisfy((it: Message) => it.text(1) === 'abc' && it.number(4) === 300)
  for (let length = 1; length < whole.length; length++)
    if (length !== 5) expect(new Message(whole.subarray(0, length)).text(1), `${length} bytes`).toBeNull()
  for (const kind of ['toString', '__proto__', 'constructor', 'media-director']) expect(read({ kind, data: 'AAAA' })).toBeNull()
})

test('does not unpack a decompression bomb', () => {
  const padded = (bytes: number) => collections({ 13: { 1: { 2: [{ 1: 'd1' }] } }, 99: 'x'.repeat(bytes) })
  expect(padded(1_000)).toMatchObject({ users: [{ id: 'd1' }] })
  expect(padded(16 * 1024 * 1024)).toBeNull()
})

test('skips unknown fields of every wire type', () => {
  const odd = Buffer.concat([
    varint(50 * 8 + 1),
    Buffer.alloc(8),
    varint(51 * 8 + 5),
    Buffer.alloc(4),
    written({ 52: 'x', 53: 9, 1: 'kept' }),
  ])
  expect(new Message(odd).text(1)).toBe('kept')
})

const bytes = fc.uint8Array({ maxLength: 400 })
const KINDS = fc.constantFrom('collections', 'captions', 'sync')

test('never throws on arbitrary bytes, packed or not', () => {
  fc.assert(
    fc.property(KINDS, bytes, fc.boolean(), (kind, noise, packed) => {
      decode(kind, packed ? deflateSync(noise) : Buffer.from(noise))
    }),
    { numRuns: 2_000 },
  )
  fc.assert(fc.property(fc.anything(), (anything) => void read(anything)))
})

test('never throws on a valid message with changed bytes', () => {
  const message = written({ 1: { 2: { 3: { 2: [{ 2: 1, 4: '1', 6: 'd' }] }, 13: { 1: { 2: [{ 1: 'd', 2: 'A', 4: 1, 7: 'x' }] } } } } })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(message.length - 1), fc.nat(255)), { maxLength: 6 }), (changes) => {
      const broken = Buffer.from(message)
      for (const [at, value] of changes) broken[at] = value
      decode('collections', deflateSync(broken))
    }),
    { numRuns: 2_000 },
  )
})

test('decodes encoded numbers and texts unchanged', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31), fc.string(), (number, text) => {
      const message = new Message(written({ 3: number, 9: text }))
      expect([message.number(3), message.text(9)]).toEqual([number, Buffer.from(text).toString()])
    }),
  )
})

const OUTPUT = { 2: 1, 4: '4711', 6: 'spaces/x/devices/1', 10: {} }

test.each([
  ['at 3.5', { 3: { 5: [OUTPUT] } }],
  ['at 5.2', { 5: { 2: [OUTPUT] } }],
  ['one level deeper', { 3: { 2: [{ 2: [OUTPUT] }] } }],
  ['three levels deeper', { 3: { 2: { 7: { 1: { 4: OUTPUT } } } } }],
])('finds a device output %s', (_, wrapper) => {
  const streams = [{ userId: 'spaces/x/devices/1', kind: 'audio', streamId: '4711', disabled: false }]
  expect(collections(wrapper)).toEqual({ kind: 'changes', users: [], streams, chat: [] })
})

test('takes no text that parses like a message for a device output', () => {
  const looksLike = written({ 2: 1, 6: 'not a device id' }).toString('latin1')
  expect(collections({ 3: { 2: [{ 4: looksLike, 6: 'also none' }] } })).toEqual({ kind: 'changes', users: [], streams: [], chat: [] })
})

/** A record names its speaker by device in field 4, by stream in field 8, or by both. */
function speaking(...records: Tree[]) {
  const packed = gzipSync(written({ 2: { 2: { 4: records } } }))
  return decode('dcrpc', Buffer.concat([varint(2 * 8 + 2), varint(packed.length), packed]))
}

test('decodes speaking states by device and stream, and ignores a keep-alive', () => {
  const records = [
    { 4: 'spaces/x/devices/1', 8: 4711, 9: { 2: 1 } },
    { 8: 274_049_501, 9: { 2: 1 } },
    { 4: 'spaces/x/devices/2', 9: { 1: 1 } },
    { 9: { 2: 1 } },
  ]
  expect(speaking(...records)).toEqual({
    kind: 'speaking',
    users: [
      { userId: 'spaces/x/devices/1', streamId: '4711', speaks: true },
      { userId: null, streamId: '274049501', speaks: true },
      { userId: 'spaces/x/devices/2', speaks: false },
    ],
  })
  expect(decode('dcrpc', written({ 1: {} }))).toBeNull()
  expect(decode('dcrpc', written({ 2: 'not packed' }))).toBeNull()
})

const sign = (kind: string, bytes: Buffer) => readDoorSign({ kind, data: bytes.toString('base64') }, { readers: DOOR_READERS })

test('reports a suspicion from the answer to a knock, and nothing without one', () => {
  expect(sign('device', written({ 1: 'spaces/x/devices/1', 36: { 1: 1 } }))).toMatchObject({ sign: 'suspected' })
  expect(sign('device', written({ 1: 'spaces/x/devices/1', 36: 1 }))).toMatchObject({ sign: 'suspected' })
  expect(sign('device', written({ 1: 'spaces/x/devices/1', 36: 0 }))).toBeNull()
  expect(sign('device', written({ 1: 'spaces/x/devices/1' }))).toBeNull()
})

test('reports HTTP 429 of any request as a rate limit, and no other failure', () => {
  expect(readDoorSign({ kind: 'sync', status: 429 }, { readers: DOOR_READERS })).toMatchObject({
    sign: 'limited',
    detail: 'sync was answered with HTTP 429',
  })
  expect(readDoorSign({ kind: 'sync', status: 503 }, { readers: DOOR_READERS })).toBeNull()
})
