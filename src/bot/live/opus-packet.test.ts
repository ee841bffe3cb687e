import { randomBytes } from 'node:crypto'
import { OpusDecoder } from 'opus-decoder'
import { afterEach, expect, test, vi } from 'vitest'
import { isOpusPacket } from './opus-packet.ts'

const frame = (length: number) => Array.from({ length }, () => 1)
const [ONE, EQUAL, DIFFERENT, MANY] = [0xf8, 0xf9, 0xfa, 0xfb]

afterEach(() => vi.restoreAllMocks())

test.each([
  ['one frame', [ONE, ...frame(9)]],
  ['one empty frame, which means silence', [ONE]],
  ['the longest frame', [ONE, ...frame(1275)]],
  ['two frames of equal length', [EQUAL, ...frame(8)]],
  ['two frames of different lengths', [DIFFERENT, 3, ...frame(7)]],
  ['two frames with a two-byte length', [DIFFERENT, 252, 1, ...frame(256 + 4)]],
  ['six frames of equal length', [MANY, 6, ...frame(12)]],
  ['three frames of different lengths', [MANY, 0x80 | 3, 1, 2, ...frame(9)]],
  ['one frame with padding', [MANY, 0x40 | 1, 3, ...frame(5), 0, 0, 0]],
  ['one frame with long padding', [MANY, 0x40 | 1, 255, 1, ...frame(5), ...frame(255)]],
  ['a packet of padding only', [MANY, 0x40 | 1, 255, 1, ...frame(255)]],
])('accepts %s', (_, bytes) => {
  expect(isOpusPacket(Uint8Array.from(bytes))).toBe(true)
})

test.each([
  ['an empty packet', []],
  ['a frame that is too long', [ONE, ...frame(1276)]],
  ['two frames of equal length with an odd byte', [EQUAL, ...frame(7)]],
  ['a first length beyond the end', [DIFFERENT, 9, ...frame(3)]],
  ['a truncated first length', [DIFFERENT, 252]],
  ['a missing frame count', [MANY]],
  ['a frame count of zero', [MANY, 0, ...frame(3)]],
  ['more than 120 ms', [MANY, 7, ...frame(7)]],
  ['three frames of equal length with a byte too many', [MANY, 3, ...frame(7)]],
  ['lengths beyond the end', [MANY, 0x80 | 3, 5, 5, ...frame(4)]],
  ['padding beyond the end', [MANY, 0x40 | 1, 9, ...frame(3)]],
  ['padding without an end', [MANY, 0x40 | 1, 255, 255]],
  ['padding one byte beyond the end', [MANY, 0x40 | 1, 255, 1, ...frame(254)]],
])('rejects %s', (_, bytes) => {
  expect(isOpusPacket(Uint8Array.from(bytes))).toBe(false)
})

test('accepts exactly the random packets that the decoder decodes without errors', async () => {
  // The decoder also logs its errors.
  vi.spyOn(console, 'error').mockReturnValue()
  const decoder = new OpusDecoder({ channels: 1 })
  await decoder.ready
  let passed = 0
  for (let round = 0; round < 3_000; round++) {
    const packet = randomBytes(1 + (round % 60))
    const isDecodable = decoder.decodeFrame(packet).errors.length === 0
    expect([packet.toString('hex'), isOpusPacket(packet)]).toEqual([packet.toString('hex'), isDecodable])
    if (isDecodable) passed++
  }
  decoder.free()
  expect(passed).toBeGreaterThan(500)
})
