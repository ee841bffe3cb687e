// Writes real frames and reads them with ffmpeg, whole and truncated as by a kill.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { opusMs, privateData } from '../codec.ts'
import { MatroskaWriter } from './segment.ts'

type Packet = { readonly ms: number; readonly key: boolean; readonly data: Uint8Array }
const START_MS = 34_567
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=15:d=3', '-pix_fmt', 'yuv420p', '-g', '20']
const ENCODERS = {
  opus: ['-f', 'lavfi', '-i', 'sine=440:r=48000:d=3', '-ac', '2', '-c:a', 'libopus', '-frame_duration', '20'],
  vp8: [...PICTURE, '-c:v', 'libvpx', '-auto-alt-ref', '0', '-deadline', 'realtime'],
  vp9: [...PICTURE, '-c:v', 'libvpx-vp9', '-auto-alt-ref', '0', '-lag-in-frames', '0', '-deadline', 'realtime'],
  av1: [...PICTURE, '-c:v', 'libaom-av1', '-usage', 'realtime', '-cpu-used', '8', '-lag-in-frames', '0'],
  h264: [...PICTURE, '-c:v', 'libx264', '-bf', '0', '-preset', 'ultrafast'],
} as const
const CODECS = Object.keys(ENCODERS) as (keyof typeof ENCODERS)[]

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'matroska-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, args: readonly string[]): { readonly out: string; readonly errors: string } {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return { out: stdout, errors: stderr }
}

/** Frames as a browser gives them: parameter sets in band, H.264 with start codes. */
function encode(codec: keyof typeof ENCODERS): readonly Packet[] {
  const file = path.join(folder, `source-${codec}.nut`)
  const inBand = codec === 'h264' || codec === 'av1' ? ['-bsf:v', 'dump_extra=freq=k'] : []
  run('ffmpeg', ['-v', 'error', '-y', ...ENCODERS[codec], ...inBand, file])
  const { packets } = JSON.parse(run('ffprobe', ['-v', 'error', '-show_packets', '-show_data', '-of', 'json', file]).out) as {
    packets: { pts_time: string; flags: string; data: string }[]
  }
  return packets.map(({ pts_time, flags, data }) => ({
    ms: Math.max(0, Number(pts_time)) * 1000,
    key: flags.startsWith('K'),
    data: Buffer.from(data.replaceAll(/^[0-9a-f]+: ((?:[0-9a-f]+ )+) .*$/gm, '$1').replaceAll(/\s/g, ''), 'hex'),
  }))
}

function write(codec: keyof typeof ENCODERS, packets: readonly Packet[]): Buffer {
  const codecPrivate = privateData(codec, packets[0]?.data ?? new Uint8Array())
  const writer = new MatroskaWriter({ codec, width: 64, height: 48, codecPrivate })
  return Buffer.concat(packets.map(({ ms, key, data }) => writer.frame(START_MS + ms, key, data)))
}

function read(bytes: Uint8Array) {
  const file = path.join(folder, 'written.mkv')
  writeFileSync(file, bytes)
  const probe = ['-v', 'error', '-count_frames', '-show_streams', '-show_entries', 'packet=pts_time', '-of', 'json', file]
  const { streams, packets } = JSON.parse(run('ffprobe', probe).out) as {
    streams: { codec_name: string; nb_read_frames: string; width?: number; start_time: string }[]
    packets: { pts_time: string }[]
  }
  return { stream: streams[0], packets, errors: run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-']).errors }
}

describe.each(CODECS)('%s', (codec) => {
  test('is read back without errors, with every frame at its time', () => {
    const packets = encode(codec)
    expect(packets.length).toBeGreaterThan(40)
    const { stream, packets: found, errors } = read(write(codec, packets))
    expect(errors).toBe('')
    expect(stream).toMatchObject({ codec_name: codec, start_time: '34.567000', ...(codec === 'opus' ? {} : { width: 64 }) })
    expect(Number(stream?.nb_read_frames)).toBe(packets.length)
    const furthest = Math.max(...packets.map(({ ms }, index) => Math.abs(Number(found[index]?.pts_time) * 1000 - START_MS - ms)))
    expect(furthest).toBeLessThanOrEqual(1)
  })

  test('is readable up to the cut when truncated behind the first cluster', () => {
    const packets = encode(codec)
    const bytes = write(codec, packets)
    const ends = packets.map((_, index) => write(codec, packets.slice(0, index + 1)).length)
    for (const share of [0.5, 0.62, 0.77, 0.93]) {
      const { stream, packets: found } = read(bytes.subarray(0, Math.floor(bytes.length * share)))
      expect(stream?.codec_name).toBe(codec)
      expect(found.length).toBeGreaterThanOrEqual(ends.filter((end) => end <= bytes.length * share).length)
    }
  })
})

test('returns the duration of an Opus packet', () => {
  expect(encode('opus').map(({ data }) => opusMs(data))).toEqual(expect.arrayContaining([20]))
  expect(opusMs(Uint8Array.of(0x78))).toBe(20)
  expect(opusMs(Uint8Array.of(0x7b, 3))).toBe(60)
  expect(opusMs(Uint8Array.of(0xe1))).toBe(5)
})

test('returns no private data for a frame without parameter sets', () => {
  expect(privateData('h264', Uint8Array.of(0, 0, 1, 0x41, 5))).toBeNull()
  expect(privateData('av1', Uint8Array.of(0x32, 1, 0))).toBeNull()
  expect(privateData('vp8', Uint8Array.of(1))).toBeNull()
})

test('returns private data of AV1 with the level that the encoder chose', () => {
  const [first] = encode('av1')
  const [mark, profileAndLevel] = privateData('av1', first?.data ?? new Uint8Array()) ?? []
  expect(mark).toBe(0x81)
  // 64x48 at 15 frames a second has the lowest level, which is written as 0. The main profile is 0 too.
  expect(profileAndLevel).toBe(0)
})
