import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BatchWriter, decodeBatch, encodeBatch, HEADER_BYTES } from './batch.ts'
import {
  decodeFromPage,
  decodeToPage,
  encodeControl,
  type FromPage,
  type ToPage,
  WAYS,
  WIRE_CODECS,
  WIRE_KINDS,
  type WireFrame,
} from './wire.ts'

const u8 = fc.nat(0xff)
const u16 = fc.nat(0xffff)
const u32 = fc.nat(0xffffffff)
const frame: fc.Arbitrary<WireFrame> = fc.record({
  kind: fc.constantFrom(...WIRE_KINDS),
  track: u16,
  codec: fc.constantFrom(...WIRE_CODECS),
  key: fc.boolean(),
  first: fc.boolean(),
  rtpTimestamp: u32,
  sequence: fc.option(u16),
  ssrc: u32,
  csrc: u32,
  mixes: fc.array(u32, { maxLength: 15 }),
  receivedMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
  audioLevel: u8,
  width: u16,
  height: u16,
  payload: fc.uint8Array({ maxLength: 200 }),
})

const text = fc.string()
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const fromPage: fc.Arbitrary<FromPage> = fc.oneof(
  fc.record({ kind: fc.constant('hello' as const), token: text, page: text, sentMs: number }),
  fc.record({
    kind: fc.constant('track' as const),
    info: fc.record({
      number,
      id: text,
      kind: fc.constantFrom('audio' as const, 'video' as const),
      codec: text,
      label: text,
      streamId: text,
      mid: text,
      way: fc.constantFrom(...WAYS),
    }),
  }),
  fc.record({ kind: fc.constant('track-ended' as const), number }),
  fc.record({ kind: fc.constant('source' as const), ssrc: number, id: text, streamId: text, mid: text }),
  fc.record({ kind: fc.constant('heartbeat' as const), sentMs: number, frames: number, dropped: number }),
  fc.record({ kind: fc.constant('problem' as const), message: text }),
)
const toPage: fc.Arbitrary<ToPage> = fc.oneof(
  fc.record({ kind: fc.constant('keyframe' as const), number }),
  fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const) }),
  fc.record({ kind: fc.constantFrom('live' as const, 'reveal' as const), on: fc.boolean() }),
)

describe('a frame', () => {
  test('survives encoding and decoding, with any number of frames in one message', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), (frames) => {
        expect(decodeBatch(encodeBatch(frames))).toEqual(frames)
      }),
    )
  })

  test('is written into one buffer, message after message, whatever its size', () => {
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(60_000).map((length) => new Uint8Array(length).fill(length)),
    )
    const message = fc.array(fc.tuple(frame, payload), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
        const writer = new BatchWriter()
        for (const frames of messages.map((pairs) => pairs.map(([each, payload]) => ({ ...each, payload })))) {
          for (const each of frames) writer.add(each)
          expect(writer.frames).toBe(frames.length)
          expect(decodeBatch(writer.take())).toEqual(frames)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('is copied, so its buffer may change afterwards', () => {
    const writer = new BatchWriter()
    const [sample] = fc.sample(frame, 1)
    const payload = Uint8Array.of(1, 2, 3)
    if (sample) writer.add({ ...sample, payload })
    payload.fill(9)
    expect(decodeBatch(writer.take())?.[0]?.payload).toEqual(Uint8Array.of(1, 2, 3))
  })

  test('is decoded from a truncated message only if it ends before the cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 4 }), fc.nat(), (frames, cut) => {
        const bytes = encodeBatch(frames)
        const read = decodeBatch(bytes.subarray(0, cut % bytes.length))
        if (read) expect(read).toEqual(frames.slice(0, read.length))
      }),
    )
  })

  test('is never read beyond the end of random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (noise) => {
        for (const read of decodeBatch(noise) ?? []) expect(read.payload.byteLength).toBeLessThanOrEqual(noise.byteLength - HEADER_BYTES)
      }),
    )
  })

  test.each([
    ['another version', 4, 9],
    ['an unknown kind', 5, 7],
    ['an unknown codec', 9, 77],
  ])('is rejected with %s', (_, at, value) => {
    const [sample] = fc.sample(frame, 1)
    const bytes = encodeBatch(sample ? [sample] : [])
    bytes[at] = value
    expect(decodeBatch(bytes)).toBeNull()
  })

  test('is rejected with a length that is too large or too small', () => {
    const bytes = encodeBatch(fc.sample(frame, 1))
    new DataView(bytes.buffer).setUint32(0, 0xffffffff)
    expect(decodeBatch(bytes)).toBeNull()
    new DataView(bytes.buffer).setUint32(0, HEADER_BYTES - 1)
    expect(decodeBatch(bytes)).toBeNull()
  })
})

describe('a control message', () => {
  test('survives encoding and decoding', () => {
    fc.assert(
      fc.property(fromPage, (message) => {
        expect(decodeFromPage(encodeControl(message))).toEqual(message)
      }),
    )
    fc.assert(
      fc.property(toPage, (message) => {
        expect(decodeToPage(encodeControl(message))).toEqual(message)
      }),
    )
  })

  test.each([
    '',
    'null',
    '[]',
    '{"kind":"constructor"}',
    '{"kind":"hello","token":5,"sentMs":1}',
    '{"kind":"hello","token":"a"}',
    '{"kind":"track-ended","number":"1"}',
    '{"kind":"track","info":null}',
    '{"kind":"track"}',
    '{"kind":"track","info":{"number":1,"id":"","kind":"smell","codec":"","label":"","streamId":"","mid":"","way":"transform"}}',
    '{"kind":"track","info":{"number":1,"id":"","kind":"audio","codec":"","label":"","streamId":"","mid":"","way":"magic"}}',
  ])('is rejected when invalid: %s', (message) => {
    expect(decodeFromPage(message)).toBeNull()
  })

  test('is rejected in the wrong direction', () => {
    expect(decodeToPage(encodeControl({ kind: 'problem', message: 'x' }))).toBeNull()
    expect(decodeFromPage(encodeControl({ kind: 'pause' }))).toBeNull()
  })
})
