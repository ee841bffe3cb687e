// A shared screen that rests: repeated frames are not encoded, and nothing else changes.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mixAudio } from '../../../src/service/media/audio/mixed-audio.ts'
import { composeVideo } from '../../../src/service/media/video/compose.ts'
import { besideScreen } from '../../../src/service/media/video/tiles.ts'
import { coloursAt, isNear, middleOf, onsetMs, probeFile } from '../../helpers/media/media-inspection.ts'
import { type Actor, madeFolders, newFolder, planOf, record } from '../../helpers/media/media-meeting.ts'
import { complaints } from '../../helpers/media/recorded-media.ts'

const FFMPEG_OPTIONS = {}
const SAND = [240, 230, 150] as const
const WHITE = [255, 255, 255] as const
const FRAME_MS = 40
const END_MS = 14_000
const KEY_FRAME_MS = 5_000
const LONGEST_FRAME_MS = 1_000

afterAll(() => {
  for (const folder of madeFolders()) rmSync(folder, { recursive: true, force: true })
})

type VideoPacket = { readonly atMs: number; readonly isKey: boolean }

function videoPackets(file: string): readonly VideoPacket[] {
  const entries = ['-select_streams', 'v', '-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0']
  const { stdout } = spawnSync('ffprobe', ['-v', 'error', ...entries, file])
  return stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => ({ atMs: Number.parseFloat(line) * 1000, isKey: line.includes('K') }))
}

const gapsOf = (times: readonly number[]): readonly number[] => times.map((ms, index) => (times[index + 1] ?? END_MS) - ms)

describe('a shared screen with three seconds of frames in fourteen', { timeout: 120_000 }, () => {
  let file = ''
  beforeAll(async () => {
    const recording = newFolder()
    const sends = [0, 6_000, 13_000].map((fromMs) => ({ fromMs, toMs: fromMs + 1_000 }))
    const flashes = [{ fromMs: 6_000, toMs: 7_000 }]
    const whole = { fromMs: 0, toMs: END_MS }
    const screen = { spans: [whole], colour: SAND, size: '160x90', codec: 'vp8', kind: 'screen', sends, flashes } as const
    const ann: Actor = { id: 'ann', stays: [whole], toneHz: 440, tones: flashes, videos: [screen] }
    await record(recording, { actors: [ann], toMs: END_MS })
    const order = { recording, output: path.join(recording, 'files'), plan: planOf(recording) }
    const audio = await mixAudio(FFMPEG_OPTIONS, order)
    file = (await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'grid_view', audio })).file
  }, 240_000)

  test('shows each change at its time, and the last picture until the next change', () => {
    const seen = coloursAt(file, middleOf(besideScreen(1)[0] ?? { x: 0, y: 0, width: 16, height: 16 }))
    expect(seen).toHaveLength(END_MS / FRAME_MS)
    const white = seen.map((rgb) => isNear(rgb, WHITE))
    expect(Math.abs(white.indexOf(true) * FRAME_MS - 6_000)).toBeLessThan(60)
    expect(Math.abs(white.lastIndexOf(true) * FRAME_MS - 13_000)).toBeLessThan(60)
    expect(white.slice(white.indexOf(true), white.lastIndexOf(true)).every(Boolean)).toBe(true)
    expect(isNear(seen.at(-1), SAND)).toBe(true)
    expect(Math.abs((onsetMs(file, 440, 0.2) ?? 0) - white.indexOf(true) * FRAME_MS)).toBeLessThan(60)
  })

  test('encodes no repeated frame but one per second, with a key frame every five seconds', () => {
    const packets = videoPackets(file)
    // Three seconds of 25 frames, one frame for each other second, and the frames around each change.
    expect(packets.length).toBeLessThan(110)
    expect(Math.max(...gapsOf(packets.map(({ atMs }) => atMs)))).toBeLessThanOrEqual(LONGEST_FRAME_MS + 1)
    const keys = packets.filter(({ isKey }) => isKey).map(({ atMs }) => atMs)
    expect(Math.max(...gapsOf(keys))).toBeLessThanOrEqual(KEY_FRAME_MS + 1)
  })

  test('keeps the length of the session', () => {
    expect(Math.abs(Number(probeFile(file).format.duration) * 1000 - END_MS)).toBeLessThanOrEqual(20)
    expect(complaints(file)).toBe('')
  })
})
