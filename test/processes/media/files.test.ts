// Files made of a recorded meeting, checked by their decoded pictures and sound.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AUDIO_FORMATS, convertAudio } from '../../../src/service/media/audio/convert.ts'
import { type MixedAudio, mixAudio } from '../../../src/service/media/audio/mixed-audio.ts'
import type { MediaPlan, Person } from '../../../src/service/media/plan.ts'
import { makeStreams, type StreamFile } from '../../../src/service/media/streams.ts'
import { type ComposedVideo, composeVideo } from '../../../src/service/media/video/compose.ts'
import { piecesOf } from '../../../src/service/media/video/pieces.ts'
import { besideScreen, gridOf } from '../../../src/service/media/video/tiles.ts'
import { BLACK, GREEN, participant, RED, WHITE } from '../../helpers/media/actors.ts'
import {
  boxesOf,
  coloursAt,
  frameAt,
  isNear,
  middleOf,
  middleOfTile,
  onsetMs,
  peakOf,
  probeFile,
} from '../../helpers/media/media-inspection.ts'
import { type Actor, type Meeting, madeFolders, newFolder, planOf, record } from '../../helpers/media/media-meeting.ts'
import { complaints, pictures, sound } from '../../helpers/media/recorded-media.ts'

const FFMPEG_OPTIONS = {}
const BLUE = [40, 60, 220] as const
const SAND = [240, 230, 150] as const
const FRAME_MS = 40

afterAll(() => {
  for (const folder of madeFolders()) rmSync(folder, { recursive: true, force: true })
})

const lengthMs = (file: string) => Number(probeFile(file).format.duration) * 1000

// Long, because every check decodes a whole file and the machine may be busy.
describe('a meeting of four participants with a flash, a pause and a shared screen', { timeout: 120_000 }, () => {
  const END_MS = 13_000
  const whole = { fromMs: 0, toMs: END_MS }
  const flash = [{ fromMs: 2_000, toMs: 3_000 }]
  const ann: Actor = {
    id: 'ann',
    stays: [whole],
    toneHz: 440,
    amplitude: 0.8,
    tones: [...flash, { fromMs: 8_000, toMs: 9_000 }],
    videos: [
      { spans: [{ fromMs: 0, toMs: 4_000 }], colour: RED, size: '160x90', codec: 'vp8', flashes: flash },
      { spans: [{ fromMs: 4_000, toMs: END_MS }], colour: RED, size: '96x54', codec: 'vp8' },
    ],
  }
  const bob: Actor = {
    id: 'bob',
    stays: [{ fromMs: 1_000, toMs: END_MS }],
    toneHz: 1_000,
    amplitude: 0.8,
    tones: [
      { fromMs: 4_000, toMs: 5_500 },
      { fromMs: 8_000, toMs: 9_000 },
    ],
    videos: [
      { spans: [{ fromMs: 1_000, toMs: 5_000 }], colour: GREEN, size: '128x96', codec: 'vp9' },
      { spans: [{ fromMs: 10_000, toMs: 12_000 }], colour: SAND, size: '160x90', codec: 'vp8', kind: 'screen' },
    ],
  }
  const eve: Actor = { ...participant('eve', BLUE, END_MS), videos: [{ spans: [whole], colour: BLUE, size: '160x90', codec: 'h264' }] }
  const dan: Actor = { id: 'dan', stays: [{ fromMs: 500, toMs: END_MS }], toneHz: 700, tones: [], videos: [] }
  const meeting: Meeting = { actors: [ann, eve, dan, bob], pauses: [{ fromMs: 6_000, toMs: 7_500 }], toMs: END_MS }
  const people: readonly Person[] = [
    { id: 'ann', name: 'Ann Archer' },
    { id: 'bob', name: "Bob 😀 O'Neill, jr: [x]; %{pts}" },
    { id: 'eve', name: 'Ève Ünlü' },
  ]
  let [recording, output] = ['', '']
  let plan: MediaPlan
  let streams: readonly StreamFile[]
  let audio: MixedAudio
  let grid: ComposedVideo
  let speaker: ComposedVideo

  beforeAll(async () => {
    // The folder name has characters that must be escaped in a filter graph.
    recording = newFolder("media it's [odd], x; y:")
    await record(recording, meeting)
    output = path.join(recording, 'files')
    plan = planOf(recording, people)
    streams = await makeStreams(FFMPEG_OPTIONS, { recording, output, plan, kinds: ['audio', 'camera', 'screen'] })
    audio = await mixAudio(FFMPEG_OPTIONS, { recording, output, plan })
    grid = await composeVideo(FFMPEG_OPTIONS, { recording, output, plan, view: 'grid_view', audio })
    speaker = await composeVideo(FFMPEG_OPTIONS, { recording, output, plan, view: 'speaker_view', audio })
  }, 240_000)

  test('copies each participant’s streams to separate files, split where codec or size changes', () => {
    const listed = streams.map(({ participantId, kind, codec, contentType, width, height, startMs, durationMs }) =>
      [participantId, kind, codec, contentType, width && `${width}x${height}`, startMs, durationMs].join(' '),
    )
    expect(listed.sort()).toEqual(
      [
        'ann audio opus audio/webm  0 13000',
        'ann camera vp8 video/webm 160x90 0 4000',
        'ann camera vp8 video/webm 96x54 4000 9000',
        'bob audio opus audio/webm  1000 12000',
        'bob camera vp9 video/webm 128x96 1000 4000',
        'bob screen vp8 video/webm 160x90 10000 2000',
        'dan audio opus audio/webm  500 12500',
        'eve audio opus audio/webm  0 13000',
        'eve camera h264 video/mp4 160x90 0 13000',
      ].sort(),
    )
    for (const { file, bytes } of streams) {
      expect(complaints(file), file).toBe('')
      expect(bytes).toBeGreaterThan(100)
    }
  })

  test('keeps the packet times of a participant’s files, also across a pause', () => {
    const of = (id: string, kind: string) => streams.find((it) => it.participantId === id && it.kind === kind)?.file ?? ''
    const seen = pictures(of('eve', 'camera')).map(({ atMs }) => atMs)
    expect(seen.some((ms) => ms > 6_050 && ms < 7_450)).toBe(false)
    expect(Math.abs((seen.at(-1) ?? 0) - 12_960)).toBeLessThan(2)
    // Bob joined a second late, so his file starts a second into the session.
    expect(Math.abs((onsetMs(of('bob', 'audio'), 1_000, 0.8) ?? 0) - 3_000)).toBeLessThan(20)
    const flashed = pictures(of('ann', 'camera')).find(({ rgb }) => isNear(rgb, WHITE))?.atMs ?? 0
    expect(Math.abs(flashed - 2_000)).toBeLessThan(45)
  })

  test('mixes audio of the session’s length with every participant at the right time', () => {
    expect(Math.abs(lengthMs(audio.file) - END_MS)).toBeLessThan(20)
    expect(audio).toMatchObject({ durationMs: END_MS, sampleRate: 48_000, codec: 'aac', contentType: 'audio/mp4' })
    expect(boxesOf(audio.file).indexOf('moov')).toBeLessThan(boxesOf(audio.file).indexOf('mdat'))
    const mixed = sound(audio.file)
    expect(Math.abs((onsetMs(audio.file, 440, 0.8) ?? 0) - 2_000)).toBeLessThan(20)
    expect(Math.abs((onsetMs(audio.file, 1_000, 0.8) ?? 0) - 4_000)).toBeLessThan(20)
    expect(mixed.at(440, 8_100, 8_900)).toBeGreaterThan(0.25)
    expect(mixed.at(1_000, 8_100, 8_900)).toBeGreaterThan(0.25)
    expect(mixed.at(440, 3_200, 7_900)).toBeLessThan(0.01)
    expect(mixed.at(1_000, 5_600, 7_900)).toBeLessThan(0.01)
    // Codecs ring a little before and after a tone.
    expect(Math.abs(audio.audibleSeconds - 3.5)).toBeLessThan(0.4)
  })

  test('limits overlapping loud voices without clipping and leaves a single voice unchanged', () => {
    expect(peakOf(audio.file)).toBeLessThan(0.98)
    expect(sound(audio.file).at(440, 2_200, 2_800)).toBeGreaterThan(0.75)
  })

  test('shows every participant in the grid and follows joins, leaves and screen shares', () => {
    const [three, four] = [gridOf(3), gridOf(4)]
    expect(isNear(frameAt(coloursAt(grid.file, middleOfTile(three, 0)), 700), RED)).toBe(true)
    expect(isNear(frameAt(coloursAt(grid.file, middleOfTile(three, 1)), 700), BLUE)).toBe(true)
    const corner = coloursAt(grid.file, middleOfTile(four, 3))
    expect(isNear(frameAt(corner, 3_500), GREEN)).toBe(true)
    expect(isNear(frameAt(corner, 5_700), GREEN)).toBe(false)
    expect(isNear(frameAt(coloursAt(grid.file, middleOfTile(four, 0)), 9_000), RED)).toBe(true)
    const beside = besideScreen(4)
    expect(isNear(frameAt(coloursAt(grid.file, middleOfTile(beside, 0)), 11_000), SAND)).toBe(true)
    expect(isNear(frameAt(coloursAt(grid.file, middleOfTile(beside, 2)), 11_000), BLUE)).toBe(true)
    expect(isNear(frameAt(coloursAt(grid.file, middleOfTile(beside, 0)), 12_700), SAND)).toBe(false)
  })

  test('draws a card with initials where the camera is off and a name on every tile', () => {
    const card = gridOf(4)[2] ?? { x: 0, y: 0, width: 0, height: 0 }
    expect(isNear(frameAt(coloursAt(grid.file, { ...card, width: 60, height: 60 }), 3_500), [32, 36, 44], 12)).toBe(true)
    expect(isNear(frameAt(coloursAt(grid.file, middleOf(card)), 3_500), [32, 36, 44], 12)).toBe(true)
    const disc = { x: card.x + card.width / 2 - 60, y: card.y + card.height / 2 - 10, width: 20, height: 20 }
    expect(isNear(frameAt(coloursAt(grid.file, disc), 3_500), [32, 36, 44], 12)).toBe(false)
    expect(grid.named).toBe(true)
    const name = { x: 8, y: 330, width: 200, height: 20 }
    expect(isNear(frameAt(coloursAt(grid.file, name), 3_500), RED, 20)).toBe(false)
  })

  test('shows the active speaker in the speaker view, and a shared screen instead while one is shared', () => {
    const seen = coloursAt(speaker.file, middleOfTile(gridOf(1), 0))
    expect(isNear(frameAt(seen, 3_500), RED)).toBe(true)
    expect(isNear(frameAt(seen, 4_800), GREEN)).toBe(true)
    expect(isNear(frameAt(coloursAt(speaker.file, middleOfTile(besideScreen(1), 0)), 11_000), SAND)).toBe(true)
  })

  test('is black exactly during a pause in both views', () => {
    for (const { file } of [grid, speaker]) {
      const all = coloursAt(file, { x: 0, y: 0, width: 1280, height: 720 })
      for (const ms of [6_000, 6_700, 7_440]) expect(isNear(frameAt(all, ms), BLACK, 3)).toBe(true)
      for (const ms of [5_900, 7_560]) expect(isNear(frameAt(all, ms), BLACK, 3)).toBe(false)
    }
  })

  test('keeps picture and sound in sync in streamable files of the session’s length', () => {
    for (const { file } of [grid, speaker]) {
      expect(Math.abs(lengthMs(file) - END_MS)).toBeLessThanOrEqual(20)
      const { streams: inside } = probeFile(file)
      expect(inside.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
      expect(inside[0]?.r_frame_rate).toBe('25/1')
      expect(boxesOf(file).indexOf('moov')).toBeLessThan(boxesOf(file).indexOf('mdat'))
      expect(complaints(file)).toBe('')
    }
    const flashed = coloursAt(grid.file, middleOfTile(gridOf(4), 0)).findIndex((rgb) => isNear(rgb, WHITE, 60)) * FRAME_MS
    const rang = onsetMs(grid.file, 440, 0.8) ?? 0
    expect(Math.abs(flashed - rang)).toBeLessThan(60)
    expect(Math.abs(flashed - 2_000)).toBeLessThan(60)
  })

  test.each(AUDIO_FORMATS)('converts the mixed audio to %s with the same length and timing', async (format) => {
    const converted = await convertAudio(FFMPEG_OPTIONS, audio, format)
    expect(Math.abs(converted.durationMs - END_MS)).toBeLessThan(60)
    expect(Math.abs((onsetMs(converted.file, 1_000, 0.8) ?? 0) - 4_000)).toBeLessThan(30)
  })

  test('reuses finished files when a step is repeated', async () => {
    const made = () => readdirSync(output).map((name) => [name, statSync(path.join(output, name)).mtimeMs])
    const before = made()
    const again = await composeVideo(FFMPEG_OPTIONS, { recording, output, plan, view: 'grid_view', audio })
    expect(again).toEqual(grid)
    expect(await mixAudio(FFMPEG_OPTIONS, { recording, output, plan })).toEqual(audio)
    expect(await makeStreams(FFMPEG_OPTIONS, { recording, output, plan, kinds: ['audio', 'camera', 'screen'] })).toEqual(streams)
    expect(made()).toEqual(before)
    expect(readdirSync(output).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('stops a step on abort and leaves no finished file', async () => {
    const stopping = new AbortController()
    const elsewhere = path.join(recording, 'aborted')
    const order = { recording, output: elsewhere, plan, view: 'grid_view' as const, audio }
    const running = composeVideo({ ...FFMPEG_OPTIONS, signal: stopping.signal }, order)
    stopping.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    expect(existsSync(path.join(elsewhere, 'grid_view.mp4'))).toBe(false)
    expect(piecesOf(plan, 'grid_view').length).toBeGreaterThan(3)
  })
})
