// Stretches of a speaker view that are copied from H.264 cameras, beside encoded ones.
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { mixAudio } from '../../../src/service/media/audio/mixed-audio.ts'
import { readSegment } from '../../../src/service/media/recorded-segment.ts'
import { type ComposedVideo, composeVideo } from '../../../src/service/media/video/compose.ts'
import { OWN_SET } from '../../../src/service/media/video/encoder.ts'
import { numbersOf } from '../../../src/service/media/video/parameter-sets.ts'
import { gridOf, PICTURE } from '../../../src/service/media/video/tiles.ts'
import { coloursAt, isNear, middleOf, packetsIn, probeFile, type Rgb } from '../../helpers/media/media-inspection.ts'
import { type Actor, type Colour, madeFolders, newFolder, planOf, record } from '../../helpers/media/media-meeting.ts'
import { complaints } from '../../helpers/media/recorded-media.ts'
import { spoil, spoilSets } from '../../helpers/media/spoiled-media.ts'

const FFMPEG_OPTIONS = {}
const LENGTH_MS = 24_000
const FRAME_MS = 40
const [RED, GREEN, BLUE, WHITE] = [
  [220, 30, 30],
  [30, 200, 30],
  [30, 30, 220],
  [255, 255, 255],
] as const
const LARGE = `${PICTURE.width}x${PICTURE.height}` as const
const whole = { fromMs: 0, toMs: LENGTH_MS }
/** In an encoded stretch, and in a copied one. */
const FLASHES = [
  { fromMs: 13_000, toMs: 13_400 },
  { fromMs: 19_000, toMs: 19_400 },
]

afterAll(() => {
  for (const folder of madeFolders()) rmSync(folder, { recursive: true, force: true })
})

type Camera = Omit<Actor['videos'][number], 'spans' | 'colour'>

function speaker(id: string, colour: Colour, [fromMs, toMs]: readonly [number, number], camera: Camera): Actor {
  return { id, stays: [whole], toneHz: 440, tones: [{ fromMs, toMs }], videos: [{ spans: [whole], colour, ...camera }] }
}

/** Segments end at the first key frame after eight seconds, so at 8 and 16 s. Ann speaks, then Ben, then Cy. */
const H264: Camera = { size: LARGE, codec: 'h264' }
const ann = speaker('ann', RED, [0, 9_000], H264)
const ben = speaker('ben', GREEN, [9_200, 12_000], { size: '640x360', codec: 'vp8' })
const cy = (camera: Partial<Camera> = {}) => speaker('cy', BLUE, [12_200, LENGTH_MS], { ...H264, flashes: FLASHES, ...camera })

async function recorded(actors: readonly Actor[]): Promise<string> {
  const recording = newFolder()
  await record(recording, { actors, toMs: LENGTH_MS })
  return recording
}

async function compose(recording: string, onRetry?: (error: unknown) => void): Promise<ComposedVideo> {
  const order = { recording, output: path.join(recording, 'files'), plan: planOf(recording) }
  const audio = await mixAudio(FFMPEG_OPTIONS, order)
  return composeVideo(FFMPEG_OPTIONS, { ...order, view: 'speaker_view', audio, ...(onRetry && { onRetry }) })
}

const seenIn = ({ file }: ComposedVideo): readonly Rgb[] => coloursAt(file, middleOf(gridOf(1)[0] ?? { x: 0, y: 0, ...PICTURE }))
const at = (seen: readonly Rgb[], ms: number): Rgb | undefined => seen[Math.round(ms / FRAME_MS)]

const COLOURS = { 500: RED, 4000: RED, 8500: RED, 10500: GREEN, 11500: GREEN, 14000: BLUE, 15500: BLUE, 16500: BLUE, 23500: BLUE }

function expectColours(made: ComposedVideo, colours: Readonly<Record<number, Colour>>): void {
  const seen = seenIn(made)
  for (const [ms, colour] of Object.entries(colours)) expect(isNear(at(seen, Number(ms)), colour), `after ${ms} ms`).toBe(true)
}

function expectPictures(made: ComposedVideo): void {
  expectColours(made, COLOURS)
  const seen = seenIn(made)
  for (const { fromMs, toMs } of FLASHES) {
    const begins = seen.findIndex((rgb, index) => index * FRAME_MS > fromMs - 500 && isNear(rgb, WHITE, 60)) * FRAME_MS
    const ends = seen.findIndex((rgb, index) => index * FRAME_MS > toMs - 200 && !isNear(rgb, WHITE, 60)) * FRAME_MS
    expect(Math.abs(begins - fromMs), 'a flash begins').toBeLessThanOrEqual(FRAME_MS)
    expect(Math.abs(ends - toMs), 'and ends').toBeLessThanOrEqual(FRAME_MS)
  }
  expect(complaints(made.file)).toBe('')
  expect(Math.abs(made.durationMs - LENGTH_MS)).toBeLessThanOrEqual(FRAME_MS)
}

/** The seconds at which the file has the same key frame as the camera, byte for byte. */
async function copiedKeyFrames(recording: string, id: string, made: ComposedVideo): Promise<readonly number[]> {
  const camera =
    planOf(recording)
      .participants.find((it) => it.id === id)
      ?.runs.camera.flatMap(({ segments }) => segments) ?? []
  const shown = packetsIn(made.file)
  const copied: number[] = []
  for (const segment of camera) {
    for (const { key, atMs, data } of (await readSegment(recording, segment))?.packets ?? []) {
      const same = shown.find((it) => Math.abs(it.atMs - atMs) <= FRAME_MS / 2)
      if (key && same && isSamePicture(data, same.data)) copied.push(atMs / 1000)
    }
  }
  return copied
}

const [LENGTH_BYTES, KEY_PICTURE] = [4, 5]

const isSamePicture = (one: Uint8Array, other: Uint8Array): boolean => pictureIn(one).length > 0 && pictureIn(one).equals(pictureIn(other))

/** Without the parameter sets, in which the copy marks the colours. */
function pictureIn(packet: Uint8Array): Buffer {
  const data = Buffer.from(packet)
  const units: Buffer[] = []
  for (let at = 0; at + LENGTH_BYTES < data.length; at += LENGTH_BYTES + data.readUInt32BE(at))
    units.push(data.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + data.readUInt32BE(at)))
  return Buffer.concat(units.filter(([head = 0]) => (head & 31) === KEY_PICTURE))
}

test('copies the stretches of H.264 cameras from their first segment on, and encodes the rest', { timeout: 240_000 }, async () => {
  const recording = await recorded([ann, ben, cy()])
  const made = await compose(recording)
  expectPictures(made)
  expect(made.copiedMs).toBeGreaterThan(9_000 + 8_000 - 100)
  expect(made.copiedMs).toBeLessThan(9_500 + 8_000 + 100)
  expect(await copiedKeyFrames(recording, 'ann', made)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(await copiedKeyFrames(recording, 'cy', made)).toEqual([16, 17, 18, 19, 20, 21, 22, 23])
  expect(probeFile(made.file).streams[0]).toMatchObject({
    width: PICTURE.width,
    height: PICTURE.height,
    color_range: 'pc',
    color_space: 'bt709',
    has_b_frames: 0,
  })
})

/** Its profile is the higher one: the encoder's. */
const MAIN_PROFILE = 77

test('lists the parameter sets of both kinds in the file', { timeout: 240_000 }, async () => {
  const { file } = await compose(await recorded([ann, ben, cy()]))
  const bytes = readFileSync(file)
  const configuration = bytes.subarray(bytes.indexOf('avcC') + 4)
  expect(configuration[1]).toBe(MAIN_PROFILE)
  expect(numbersOf(configuration)).toEqual([OWN_SET, 0, OWN_SET, 0])
})

test('copies only the cameras with the most frequent parameter sets', { timeout: 240_000 }, async () => {
  const recording = await recorded([ann, ben, cy({ hasOtherSets: true })])
  const made = await compose(recording)
  expectPictures(made)
  expect(made.copiedMs).toBeGreaterThan(9_000 - 100)
  expect(await copiedKeyFrames(recording, 'cy', made)).toEqual([])
})

test('copies no camera of another size', { timeout: 240_000 }, async () => {
  const recording = await recorded([
    { ...ann, videos: ann.videos.map((it) => ({ ...it, size: '640x360' as const })) },
    ben,
    cy({ size: '640x360' }),
  ])
  const made = await compose(recording)
  expectPictures(made)
  expect(made.copiedMs).toBe(0)
})

test('encodes a stretch whose camera is damaged, and copies the others', { timeout: 240_000 }, async () => {
  const recording = await recorded([ann, ben, cy()])
  spoil(cameraFile(recording, 'ann'))
  const made = await compose(recording)
  expectColours(made, { 11500: GREEN, 14000: BLUE, 20000: BLUE })
  expect(await copiedKeyFrames(recording, 'ann', made)).toEqual([])
  expect(await copiedKeyFrames(recording, 'cy', made)).toHaveLength(8)
})

test('encodes everything if the copied streams cannot be read, and reports why', { timeout: 240_000 }, async () => {
  const recording = await recorded([ann, ben, cy()])
  spoilSets(cameraFile(recording, 'ann'))
  const problems: unknown[] = []
  const made = await compose(recording, (error) => problems.push(error))
  expect(problems.map(String)).toEqual([expect.stringContaining('ffmpeg')])
  expectColours(made, { 11500: GREEN, 14000: BLUE, 20000: BLUE })
  expect(made.copiedMs).toBe(0)
})

const cameraFile = (recording: string, id: string): string => {
  const camera = planOf(recording).participants.find((it) => it.id === id)?.runs.camera[0]
  return path.join(recording, camera?.segments[0]?.file ?? '')
}
