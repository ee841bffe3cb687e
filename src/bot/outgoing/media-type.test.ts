import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { clipTypeOf, pictureOf } from './media-type.ts'

function encoded(...args: readonly string[]): Buffer {
  const { stdout, stderr, status } = spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', ...args, '-'], { maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) throw new Error(stderr.toString())
  return stdout
}

const stillImage = (codec: string, ...more: readonly string[]) =>
  encoded('-i', 'color=c=red:s=322x180', '-frames:v', '1', '-c:v', codec, ...more, '-f', 'image2pipe')

test.each([
  ['image/png', () => stillImage('png')],
  ['image/jpeg', () => stillImage('mjpeg')],
  ['image/webp', () => stillImage('libwebp')],
  ['image/webp', () => stillImage('libwebp', '-lossless', '1')],
  ['image/webp', () => encoded('-i', 'testsrc=s=322x180:d=0.5:r=4', '-c:v', 'libwebp_anim', '-f', 'webp')],
  ['image/gif', () => encoded('-i', 'testsrc=s=322x180:d=0.5:r=4', '-f', 'gif')],
] as const)('detects %s with its size', (type, make) => {
  const bytes = make()
  expect(pictureOf(bytes)).toEqual({ type, width: 322, height: 180 })
  expect(clipTypeOf(bytes)).toBeNull()
  expect(pictureOf(bytes.subarray(0, 20))).toBeNull()
})

test.each([
  ['audio/wav', 'wav', 'pcm_s16le'],
  ['audio/mpeg', 'mp3', 'libmp3lame'],
  ['audio/ogg', 'ogg', 'libopus'],
  ['audio/flac', 'flac', 'flac'],
] as const)('detects %s', (type, format, codec) => {
  const bytes = encoded('-i', 'sine=d=0.2', '-c:a', codec, '-f', format)
  expect(clipTypeOf(bytes)).toBe(type)
  expect(pictureOf(bytes)).toBeNull()
})

test('detects an MP3 without an ID3 tag, and an M4A', () => {
  expect(clipTypeOf(Buffer.from('fffb9064', 'hex'))).toBe('audio/mpeg')
  expect(clipTypeOf(Buffer.from('00000020667479704d344120', 'hex'))).toBe('audio/mp4')
})

test('returns the size of the first GIF image if it exceeds the logical screen', () => {
  const gif = Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from('01000100800000', 'hex'), // A logical screen of 1x1 with two colours.
    Buffer.alloc(6),
    Buffer.from('21f9040000000000', 'hex'),
    Buffer.from('2c00000000ffffffff00', 'hex'),
  ])
  expect(pictureOf(gif)).toEqual({ type: 'image/gif', width: 65_535, height: 65_535 })
})

test('finds the size of a JPEG behind a long application segment', () => {
  const jpeg = stillImage('mjpeg')
  const segment = Buffer.concat([Buffer.from('ffe1ffff', 'hex'), Buffer.alloc(65_533, 0xc0)])
  expect(pictureOf(Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]))).toEqual({
    type: 'image/jpeg',
    width: 322,
    height: 180,
  })
})

test.each(['', 'hello', '<svg xmlns="http://www.w3.org/2000/svg"/>', '\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF0000WEBPVP8 ', '\xff\xd8\xff'])(
  'returns null for %j',
  (text) => expect(pictureOf(Buffer.from(text, 'latin1'))).toBeNull(),
)
