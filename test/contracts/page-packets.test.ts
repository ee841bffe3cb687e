// The page's packet reader: CSRC attribution and RED (RFC 2198) packets.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FrameMetadata } from '../../src/bot/capture/page/config.ts'
import { Pipe } from '../../src/bot/capture/page/pipe.ts'
import type { WireFrame } from '../../src/bot/capture/wire.ts'

const CONFIG = { url: '', token: '', batchMs: 20, video: true, encoded: true, fallbackAfterMs: 0, wrapWorkers: false, silent: false }
const NOTE = { number: 1, id: 't', kind: 'audio', codec: '', label: '', streamId: '', mid: '', way: 'transform' } as const

function shipped(data: Uint8Array, metadata: FrameMetadata): WireFrame | undefined {
  const frames: WireFrame[] = []
  const shipper = { ship: (frame: WireFrame) => void frames.push(frame), send: () => undefined }
  new Pipe(CONFIG, shipper, NOTE, () => undefined).ship({ data: data.slice().buffer, type: undefined, metadata })
  return frames[0]
}

const opus = (contributingSources?: readonly number[]) =>
  shipped(Uint8Array.of(1, 2, 3), { mimeType: 'audio/opus', ...(contributingSources && { contributingSources }) })
const red = (...bytes: readonly number[]) => shipped(Uint8Array.from(bytes), { mimeType: 'audio/red' })?.payload

test('attributes a packet to its CSRC, and to no one if it has several', () => {
  expect(opus()?.csrc).toBe(0)
  expect(opus([])?.csrc).toBe(0)
  expect(opus([0xffff_fffe])?.csrc).toBe(0xffff_fffe)
  expect(opus([5, 5])?.csrc).toBe(5)
  expect(opus([5, 6])?.csrc).toBe(0)
  expect(opus([5, 5, 6])?.csrc).toBe(0)
  expect([[5], [5, 5], [5, 5, 6], []].map((sources) => opus(sources)?.mixes)).toEqual([[], [], [5, 6], []])
})

/** RFC 2198: a header of four bytes per older block, one byte for the newest, then all blocks. */
function redundant(older: readonly Uint8Array[], newest: Uint8Array): Uint8Array {
  const heads = older.flatMap(({ length }, index) => {
    const offset = 960 * (older.length - index)
    return [0x80 | 111, (offset >> 6) & 0xff, ((offset & 63) << 2) | (length >> 8), length & 0xff]
  })
  return Uint8Array.from([...heads, 111, ...older.flatMap((body) => [...body]), ...newest])
}

test('takes the newest block of a RED packet with any number of older blocks', () => {
  for (const length of [0, 255, 256, 511, 512, 1_023]) {
    expect(red(...redundant([new Uint8Array(length).fill(7), new Uint8Array(length)], Uint8Array.of(9, 8)))).toEqual(Uint8Array.of(9, 8))
  }
  const body = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength })
  fc.assert(
    fc.property(fc.array(body(1_023), { maxLength: 4 }), body(1_500, 1), (older, newest) => {
      expect(red(...redundant(older, newest))).toEqual(newest)
    }),
  )
})

test('skips a RED packet that is truncated or has wrong lengths', () => {
  const whole = redundant([Uint8Array.of(1, 2, 3)], Uint8Array.of(9, 8, 7))
  for (let length = 0; length <= 8; length++) expect(red(...whole.subarray(0, length))).toBeUndefined()
  expect(red(...whole.subarray(0, 9))).toEqual(Uint8Array.of(9))
  expect(red(0x80 | 111, 0, 3, 0xff, 111, 1, 2, 3)).toBeUndefined()
  expect(red(...new Array(50).fill(0xff))).toBeUndefined()
  expect(red(111)).toBeUndefined()
  expect(red(111, 4, 5)).toEqual(Uint8Array.of(4, 5))
})

test('does not throw or send extra bytes for arbitrary input', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(red(...bytes)?.length ?? 0).toBeLessThan(Math.max(1, bytes.length))
    }),
  )
})
