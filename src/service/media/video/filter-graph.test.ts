// The pixels that ffmpeg makes of the filter graph.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { paintBackdrop } from './backdrop.ts'
import { type DrawnText, filterGraph } from './filter-graph.ts'
import type { Tile } from './layout.ts'
import { fontFor } from './name-labels.ts'
import type { FrameSpan } from './repeated-frames.ts'
import { type Box, gridOf, PICTURE } from './tiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'filter-graph-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PEOPLE = ['ann', 'bob', 'eve', 'dan']
type Size = Pick<Box, 'width' | 'height'>

const CAMERA: Size = { width: 640, height: 360 }
const GRAY = ['-pix_fmt', 'gray', '-f', 'rawvideo', 'pipe:1']
const [FRAMES, FPS] = [3, 15]

function ffmpeg(...args: readonly string[]): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { maxBuffer: 64 * 1024 * 1024 })
}

/** A still picture in which every pixel differs from its neighbours, without loss. */
function noise(seed: number, { width, height }: Size): string {
  const file = join(folder, `${seed}-${width}x${height}.mkv`)
  const source = `nullsrc=s=${width}x${height}:r=${FPS},geq=lum='mod(X*37+Y*91+${seed * 50},256)':cb=128:cr=128,format=yuv420p`
  ffmpeg('-f', 'lavfi', '-i', source, '-frames:v', String(FRAMES), '-c:v', 'ffv1', file)
  return file
}

/** The brightness of each pixel, as stored. */
const brightness = (file: string): Buffer => ffmpeg('-i', file, '-frames:v', '1', '-vf', 'extractplanes=y', ...GRAY)

const boxesOfFour = gridOf(4).map((box, index): Tile => ({ ...box, participantId: PEOPLE[index] ?? '', shows: 'camera' }))

type Graph = { readonly size: Size | null; readonly label?: DrawnText; readonly repeats?: readonly FrameSpan[] }

/** The frames of a grid of these cameras, as a file without loss. */
function composed(name: string, files: readonly string[], { size, label, repeats = [] }: Graph): string {
  const [backdrop, graph, made] = ['backdrop', 'graph', `${name}.mkv`].map((file) => join(folder, file)) as [string, string, string]
  writeFileSync(backdrop, paintBackdrop({ dark: false, tiles: boxesOfFour }))
  const inputs = boxesOfFour.map((tile, index) => ({
    tile,
    label: label ?? null,
    initials: null,
    clips: [{ input: index + 1, moveMs: 0, fromMs: 0, size }],
  }))
  writeFileSync(graph, filterGraph(inputs, { frames: FRAMES, fps: FPS, repeats, upload: [] }))
  const painted = ['-f', 'rawvideo', '-pixel_format', 'rgb24', '-video_size', `${PICTURE.width}x${PICTURE.height}`, '-i', backdrop]
  const clips = files.flatMap((file) => ['-i', file])
  ffmpeg(...painted, ...clips, '-filter_complex_script', graph, '-map', '[picture]', '-c:v', 'ffv1', made)
  return made
}

/** The sums of all pixels of each frame. */
const framesOf = (file: string): string => String(ffmpeg('-i', file, '-f', 'framemd5', '-'))

test('copies cameras of 640x360 pixel by pixel into a grid of four', { timeout: 60_000 }, () => {
  const files = boxesOfFour.map((_, index) => noise(index, CAMERA))
  const picture = brightness(composed('cameras', files, { size: CAMERA }))
  for (const [index, { x, y, width, height }] of boxesOfFour.entries()) {
    const camera = brightness(files[index] ?? '')
    for (let line = 0; line < height; line++) {
      const from = (y + line) * PICTURE.width + x
      const same = picture.subarray(from, from + width).equals(camera.subarray(line * CAMERA.width, line * CAMERA.width + width))
      expect(same, `tile ${index}, line ${line}`).toBe(true)
    }
  }
})

test('makes the same frames of a camera whose size is known and of one whose size may change', { timeout: 60_000 }, () => {
  for (const camera of [CAMERA, { width: 480, height: 360 }]) {
    const files = boxesOfFour.map((_, index) => noise(index, camera))
    const [known, unknown] = [camera, null].map((size) => framesOf(composed('sizes', files, { size })))
    expect(known).toBe(unknown)
  }
})

test('fills only its own tile with frames of another size than expected', { timeout: 60_000 }, () => {
  const files = boxesOfFour.map((_, index) => noise(index, index === 3 ? { width: 320, height: 240 } : CAMERA))
  const expected = brightness(composed('expected', files, { size: null }))
  const picture = brightness(composed('surprised', files, { size: CAMERA }))
  const [, , , last] = boxesOfFour
  for (let at = 0; at < picture.length; at++)
    if (at % PICTURE.width < (last?.x ?? 0) || at < (last?.y ?? 0) * PICTURE.width)
      if (picture[at] !== expected[at]) expect.fail(`pixel ${at}`)
})

test('draws names on videos, also where repeated frames are left out', { timeout: 60_000 }, async () => {
  const fontFile = (await fontFor('Ann', undefined)) ?? ''
  const label = { textFile: join(folder, 'name'), fontFile }
  writeFileSync(label.textFile, 'Ann')
  const files = boxesOfFour.map((_, index) => noise(index, CAMERA))
  const plain = brightness(composed('plain', files, { size: CAMERA }))
  const named = composed('named', files, { size: CAMERA, label })
  const differing = brightness(named).reduce((count, value, at) => count + (value === plain[at] ? 0 : 1), 0)
  expect(differing).toBeGreaterThan(4 * 500)
  expect(differing).toBeLessThan(4 * 10_000)
  const repeats = [{ first: FRAMES + 1, last: FRAMES + 2 }]
  expect(framesOf(composed('repeating', files, { size: CAMERA, label, repeats }))).toBe(framesOf(named))
})
