// Types and sizes as real encoders write them, and as nobody should.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { clipTypeOf, pictureOf } from './media-type.ts'

function made(...args: readonly string[]): Buffer {
  const { stdout, stderr, status } = spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', ...args, '-'], { maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) throw new Error(stderr.toString())
  return stdout
}

const still = (codec: string, ...more: readonly string[]) =>
  made('-i', 'color=c=red:s=322x180', '-frames:v', '1', '-c:v', codec, ...more, '-f', 'image2pipe')

test.each([
  ['image/png', () => still('png')],
  ['image/jpeg', () => still('mjpeg')],
  ['image/webp', () => still('libwebp')],
  ['image/webp', () => still('libwebp', '-lossless', '1')],
  ['image/webp', () => made('-i', 'testsrc=s=322x180:d=0.5:r=4', '-c:v', 'libwebp_anim', '-f', 'webp')],
  ['image/gif', () => made('-i', 'testsrc=s=322x180:d=0.5:r=4', '-f', 'gif')],
] as const)('%s is known, with its size', (type, make) => {
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
] as const)('%s is known', (type, format, codec) => {
  const bytes = made('-i', 'sine=d=0.2', '-c:a', codec, '-f', format)
  expect(clipTypeOf(bytes)).toBe(type)
  expect(pictureOf(bytes)).toBeNull()
})

test('an MP3 without a title and an M4A are known by their first bytes', () => {
  expect(clipTypeOf(Buffer.from('fffb9064', 'hex'))).toBe('audio/mpeg')
  expect(clipTypeOf(Buffer.from('00000020667479704d344120', 'hex'))).toBe('audio/mp4')
})

test('a GIF is as large as its first image where that is larger than its screen', () => {
  const gif = Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from('01000100800000', 'hex'), // A screen of one by one, and two colours.
    Buffer.alloc(6),
    Buffer.from('21f9040000000000', 'hex'),
    Buffer.from('2c00000000ffffffff00', 'hex'),
  ])
  expect(pictureOf(gif)).toEqual({ type: 'image/gif', width: 65_535, height: 65_535 })
})

test('a JPEG that says its size behind a long remark is read to there', () => {
  const jpeg = still('mjpeg')
  const remark = Buffer.concat([Buffer.from('ffe1ffff', 'hex'), Buffer.alloc(65_533, 0xc0)])
  expect(pictureOf(Buffer.concat([jpeg.subarray(0, 2), remark, jpeg.subarray(2)]))).toEqual({ type: 'image/jpeg', width: 322, height: 180 })
})

test.each(['', 'hello', '<svg xmlns="http://www.w3.org/2000/svg"/>', '\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF0000WEBPVP8 ', '\xff\xd8\xff'])(
  'no picture: %j',
  (text) => expect(pictureOf(Buffer.from(text, 'latin1'))).toBeNull(),
)
