// The pixels that ffmpeg makes of the filter graph.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { paintBackdrop } from './backdrop.ts'
import { filterGraph } from './filter-graph.ts'
import type { Tile } from './layout.ts'
import { gridOf, PICTURE } from './tiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'filter-graph-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PEOPLE = ['ann', 'bob', 'eve', 'dan']
const CAMERA = { width: 640, height: 360 }
const GRAY = ['-pix_fmt', 'gray', '-f', 'rawvideo', 'pipe:1']
const [FRAMES, FPS] = [3, 15]

function ffmpeg(...args: readonly string[]): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { maxBuffer: 64 * 1024 * 1024 })
}

/** A still picture in which every pixel differs from its neighbours, without loss. */
function noise(seed: number): string {
  const file = join(folder, `${seed}.mkv`)
  const source = `nullsrc=s=${CAMERA.width}x${CAMERA.height}:r=${FPS},geq=lum='mod(X*37+Y*91+${seed * 50},256)':cb=128:cr=128,format=yuv420p`
  ffmpeg('-f', 'lavfi', '-i', source, '-frames:v', String(FRAMES), '-c:v', 'ffv1', file)
  return file
}

/** The brightness of each pixel, as stored. */
const brightness = (file: string): Buffer => ffmpeg('-i', file, '-frames:v', '1', '-vf', 'extractplanes=y', ...GRAY)

test('copies cameras of 640x360 pixel by pixel into a grid of four', { timeout: 60_000 }, () => {
  const tiles = gridOf(4).map((box, index): Tile => ({ ...box, participantId: PEOPLE[index] ?? '', shows: 'camera' }))
  const files = tiles.map((_, index) => noise(index))
  const [backdrop, graph, made] = ['backdrop', 'graph', 'made.mkv'].map((name) => join(folder, name)) as [string, string, string]
  writeFileSync(backdrop, paintBackdrop({ dark: false, tiles }))
  const inputs = tiles.map((tile, index) => ({
    ...{ tile, label: null, initials: null },
    clips: [{ input: index + 1, moveMs: 0, fromMs: 0 }],
  }))
  writeFileSync(graph, filterGraph(inputs, { frames: FRAMES, fps: FPS, repeats: [], upload: [] }))
  const size = `${PICTURE.width}x${PICTURE.height}`
  const clips = files.flatMap((file) => ['-i', file])
  const painted = ['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', size, '-i', backdrop]
  ffmpeg(...painted, ...clips, '-filter_complex_script', graph, '-map', '[picture]', '-c:v', 'ffv1', made)
  const picture = brightness(made)
  for (const [index, { x, y, width, height }] of tiles.entries()) {
    const camera = brightness(files[index] ?? '')
    for (let line = 0; line < height; line++) {
      const from = (y + line) * PICTURE.width + x
      const same = picture.subarray(from, from + width).equals(camera.subarray(line * CAMERA.width, line * CAMERA.width + width))
      expect(same, `tile ${index}, line ${line}`).toBe(true)
    }
  }
})
