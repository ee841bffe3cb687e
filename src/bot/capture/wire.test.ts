// What one end of the wire says the other end reads, and nothing else is read.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeBatch,
  decodeFromPage,
  decodeToPage,
  encodeBatch,
  encodeControl,
  type FromPage,
  HEADER_BYTES,
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
  fc.record({ type: fc.constant('hello' as const), token: text, page: text, sentMs: number }),
  fc.record({
    type: fc.constant('track' as const),
    number,
    id: text,
    kind: fc.constantFrom('audio' as const, 'video' as const),
    codec: text,
    label: text,
    streamId: text,
    mid: text,
    way: fc.constantFrom(...WAYS),
  }),
  fc.record({ type: fc.constant('track-ended' as const), number }),
  fc.record({ type: fc.constant('source' as const), ssrc: number, id: text, streamId: text, mid: text }),
  fc.record({ type: fc.constant('heartbeat' as const), sentMs: number, frames: number, dropped: number, silentMs: number }),
  fc.record({ type: fc.constant('problem' as const), message: text }),
)
const toPage: fc.Arbitrary<ToPage> = fc.oneof(
  fc.record({ type: fc.constant('keyframe' as const), number }),
  fc.record({ type: fc.constantFrom('pause' as const, 'resume' as const) }),
  fc.record({ type: fc.constantFrom('live' as const, 'reveal' as const), on: fc.boolean() }),
)

describe('frames', () => {
  test('come back as they went, any number to a message', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), (frames) => {
        expect(decodeBatch(encodeBatch(frames))).toEqual(frames)
      }),
    )
  })

  test('a message cut short is refused, or holds only the whole frames before the cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 4 }), fc.nat(), (frames, cut) => {
        const bytes = encodeBatch(frames)
        const read = decodeBatch(bytes.subarray(0, cut % bytes.length))
        if (read) expect(read).toEqual(frames.slice(0, read.length))
      }),
    )
  })

  test('noise is refused without harm', () => {
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
  ])('%s is refused', (_, at, value) => {
    const [sample] = fc.sample(frame, 1)
    const bytes = encodeBatch(sample ? [sample] : [])
    bytes[at] = value
    expect(decodeBatch(bytes)).toBeNull()
  })

  test('a length that lies is refused', () => {
    const bytes = encodeBatch(fc.sample(frame, 1))
    new DataView(bytes.buffer).setUint32(0, 0xffffffff)
    expect(decodeBatch(bytes)).toBeNull()
    new DataView(bytes.buffer).setUint32(0, HEADER_BYTES - 1)
    expect(decodeBatch(bytes)).toBeNull()
  })
})

describe('control', () => {
  test('comes back as it went', () => {
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
    '{"type":"constructor"}',
    '{"type":"hello","token":5,"sentMs":1}',
    '{"type":"hello","token":"a"}',
    '{"type":"track-ended","number":"1"}',
    '{"type":"track","number":1,"id":"","kind":"smell","codec":"","label":"","streamId":"","mid":"","way":"transform"}',
    '{"type":"track","number":1,"id":"","kind":"audio","codec":"","label":"","streamId":"","mid":"","way":"magic"}',
  ])('%s is refused', (message) => {
    expect(decodeFromPage(message)).toBeNull()
  })

  test('one direction is not the other', () => {
    expect(decodeToPage(encodeControl({ type: 'problem', message: 'x' }))).toBeNull()
    expect(decodeFromPage(encodeControl({ type: 'pause' }))).toBeNull()
  })
})
