// Opus packets of every shape, whole and broken, judged by the rules of RFC 6716 and by the decoder itself.
import { randomBytes } from 'node:crypto'
import { OpusDecoder } from 'opus-decoder'
import { afterEach, expect, test, vi } from 'vitest'
import { isOpusPacket } from './opus-packet.ts'

const frame = (length: number) => Array.from({ length }, () => 1)
const [ONE, EQUAL, DIFFERENT, MANY] = [0xf8, 0xf9, 0xfa, 0xfb]

afterEach(() => vi.restoreAllMocks())

test.each([
  ['one frame', [ONE, ...frame(9)]],
  ['one empty frame, which is silence', [ONE]],
  ['the longest frame', [ONE, ...frame(1275)]],
  ['two of one length', [EQUAL, ...frame(8)]],
  ['two of different lengths', [DIFFERENT, 3, ...frame(7)]],
  ['two, the first one long', [DIFFERENT, 252, 1, ...frame(256 + 4)]],
  ['six of one length', [MANY, 6, ...frame(12)]],
  ['three of different lengths', [MANY, 0x80 | 3, 1, 2, ...frame(9)]],
  ['one with padding', [MANY, 0x40 | 1, 3, ...frame(5), 0, 0, 0]],
  ['one with long padding', [MANY, 0x40 | 1, 255, 1, ...frame(5), ...frame(255)]],
  ['one that is nothing but padding', [MANY, 0x40 | 1, 255, 1, ...frame(255)]],
])('%s is a packet', (_, bytes) => {
  expect(isOpusPacket(Uint8Array.from(bytes))).toBe(true)
})

test.each([
  ['nothing at all', []],
  ['a frame that is too long', [ONE, ...frame(1276)]],
  ['two of one length with an odd byte', [EQUAL, ...frame(7)]],
  ['a first length beyond the end', [DIFFERENT, 9, ...frame(3)]],
  ['a first length that is cut off', [DIFFERENT, 252]],
  ['no count', [MANY]],
  ['no frames', [MANY, 0, ...frame(3)]],
  ['more than 120 ms', [MANY, 7, ...frame(7)]],
  ['three of one length with a byte too many', [MANY, 3, ...frame(7)]],
  ['lengths beyond the end', [MANY, 0x80 | 3, 5, 5, ...frame(4)]],
  ['padding beyond the end', [MANY, 0x40 | 1, 9, ...frame(3)]],
  ['padding without an end', [MANY, 0x40 | 1, 255, 255]],
  ['padding beyond the end by one', [MANY, 0x40 | 1, 255, 1, ...frame(254)]],
])('%s is none', (_, bytes) => {
  expect(isOpusPacket(Uint8Array.from(bytes))).toBe(false)
})

test('the decoder finds nothing wrong with noise that passes, and only with noise that does not', async () => {
  // It complains there, too.
  vi.spyOn(console, 'error').mockReturnValue()
  const decoder = new OpusDecoder({ channels: 1 })
  await decoder.ready
  let passed = 0
  for (let round = 0; round < 3_000; round++) {
    const packet = randomBytes(1 + (round % 60))
    const isSound = decoder.decodeFrame(packet).errors.length === 0
    expect([packet.toString('hex'), isOpusPacket(packet)]).toEqual([packet.toString('hex'), isSound])
    if (isSound) passed++
  }
  decoder.free()
  expect(passed).toBeGreaterThan(500)
})
