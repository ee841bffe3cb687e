// Files made of incomplete, empty, large and single-participant recordings, and steps that are killed in the middle.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { mixAudio } from '../../../src/service/media/audio/mixed-audio.ts'
import type { MediaPlan } from '../../../src/service/media/plan.ts'
import { makeStreams } from '../../../src/service/media/streams.ts'
import { composeVideo } from '../../../src/service/media/video/compose.ts'
import { findFonts, makePiece } from '../../../src/service/media/video/piece.ts'
import { piecesOf } from '../../../src/service/media/video/pieces.ts'
import { soleVideo } from '../../../src/service/media/video/sole-video.ts'
import { gridOf } from '../../../src/service/media/video/tiles.ts'
import { BLACK, GREEN, participant, RED, WHITE } from '../../helpers/media/actors.ts'
import { boxesOf, coloursAt, frameAt, isNear, middleOfTile, onsetMs, peakOf, probeFile } from '../../helpers/media/media-inspection.ts'
import { type Actor, madeFolders, newFolder, planOf, record, recordChunks } from '../../helpers/media/media-meeting.ts'
import { killedDuring, STEPS } from '../../helpers/media/media-process.ts'
import { complaints, sound } from '../../helpers/media/recorded-media.ts'
import { spoil } from '../../helpers/media/spoiled-media.ts'

const FFMPEG_OPTIONS = {}
const FRAME_MS = 40

afterAll(() => {
  for (const folder of madeFolders()) rmSync(folder, { recursive: true, force: true })
})

test('cuts off incomplete data of a killed bot and makes the gap until its return black and silent', async () => {
  const [first, recording] = [newFolder(), newFolder()]
  const actor = (toMs: number): Actor => ({ ...participant('ann', RED, toMs), toneHz: 440, tones: [{ fromMs: 0, toMs }] })
  await record(first, { actors: [actor(3_500)], toMs: 3_500 }, { killedInto: recording })
  await record(recording, { actors: [actor(9_000)], fromMs: 6_000, toMs: 9_000 })
  const plan = planOf(recording)
  const order = { recording, output: path.join(recording, 'files'), plan }
  const audio = await mixAudio(FFMPEG_OPTIONS, order)
  const video = await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'grid_view', audio })

  expect(plan.totalMs).toBe(9_000)
  expect(plan.gaps).toEqual([{ fromMs: expect.toSatisfy((ms) => ms > 3_000 && ms <= 3_500), toMs: 6_000 }])
  const mixed = sound(audio.file)
  expect(mixed.at(440, 500, 3_000)).toBeGreaterThan(0.15)
  expect(mixed.at(440, 3_600, 5_900)).toBeLessThan(0.005)
  expect(mixed.at(440, 6_300, 8_900)).toBeGreaterThan(0.15)
  const seen = coloursAt(video.file, middleOfTile(gridOf(1), 0))
  expect(seen).toHaveLength(225)
  expect([2_000, 4_500, 8_000].map((ms) => isNear(frameAt(seen, ms), RED))).toEqual([true, false, true])
  expect(isNear(frameAt(seen, 4_500), BLACK, 3)).toBe(true)
  for (const { file } of await makeStreams(FFMPEG_OPTIONS, { ...order, kinds: ['audio', 'camera'] })) expect(complaints(file)).toBe('')
}, 240_000)

test('copies the video without encoding where one participant sends H.264 throughout', async () => {
  const recording = newFolder()
  const flashes = [{ fromMs: 2_000, toMs: 2_500 }]
  const video = { spans: [{ fromMs: 400, toMs: 4_000 }], colour: RED, size: '160x90', codec: 'h264', flashes } as const
  await record(recording, { actors: [{ ...participant('ann', RED, 4_000), toneHz: 440, tones: flashes, videos: [video] }], toMs: 4_000 })
  const order = { recording, output: path.join(recording, 'files'), plan: planOf(recording) }
  const audio = await mixAudio(FFMPEG_OPTIONS, order)
  const made = await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'speaker_view', audio })

  expect(made).toMatchObject({ copiedMs: 4_000, width: 160, height: 90 })
  const flashed = coloursAt(made.file, middleOfTile(gridOf(1), 0)).findIndex((rgb) => isNear(rgb, WHITE, 60)) * FRAME_MS
  expect(Math.abs(flashed - (onsetMs(made.file, 440, 0.2) ?? 0))).toBeLessThan(60)
  expect(Math.abs(flashed - 2_000)).toBeLessThan(60)
  expect(boxesOf(made.file).indexOf('moov')).toBeLessThan(boxesOf(made.file).indexOf('mdat'))
  expect(complaints(made.file)).toBe('')
}, 240_000)

test('copies the video where the speaker view shows one H.264 camera throughout, and no other view or meeting', async () => {
  const [recording, pausing] = [newFolder(), newFolder()]
  const whole = { fromMs: 0, toMs: 4_000 }
  const video = { spans: [whole], colour: RED, size: '160x90', codec: 'h264' } as const
  const ann = { ...participant('ann', RED, 4_000), toneHz: 440, tones: [{ fromMs: 1_000, toMs: 3_000 }], videos: [video] }
  const actors = [ann, participant('bob', GREEN, 4_000)]
  await record(recording, { actors, toMs: 4_000 })
  await record(pausing, { actors, pauses: [{ fromMs: 2_000, toMs: 2_500 }], toMs: 4_000 })
  const order = { recording, output: path.join(recording, 'files'), plan: planOf(recording) }
  const made = await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'speaker_view', audio: await mixAudio(FFMPEG_OPTIONS, order) })

  expect(made).toMatchObject({ copiedMs: 4_000, width: 160, height: 90 })
  const seen = coloursAt(made.file, middleOfTile(gridOf(1), 0))
  expect([500, 2_000, 3_500].map((ms) => isNear(frameAt(seen, ms), RED))).toEqual([true, true, true])
  expect(Math.abs(Number(probeFile(made.file).format.duration) * 1000 - 4_000)).toBeLessThanOrEqual(20)
  expect(await soleVideo(recording, order.plan, 'grid_view')).toBeNull()
  expect(await soleVideo(pausing, planOf(pausing), 'speaker_view')).toBeNull()
}, 240_000)

test('shows ten participants in a grid, each in the right tile', async () => {
  const recording = newFolder()
  const colours = Array.from({ length: 10 }, (_, index) => [20 + index * 22, (index * 67) % 220, 220 - index * 20] as const)
  await record(recording, { actors: colours.map((colour, index) => participant(`p${index}`, colour, 1_500)), toMs: 1_500 })
  const order = { recording, output: path.join(recording, 'files'), plan: planOf(recording) }
  const { file } = await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'grid_view', audio: await mixAudio(FFMPEG_OPTIONS, order) })
  const tiles = gridOf(10)
  colours.forEach((colour, index) => {
    const seen = frameAt(coloursAt(file, middleOfTile(tiles, index)), 1_000)
    expect(isNear(seen, colour), `tile ${index}: ${seen} instead of ${colour}`).toBe(true)
  })
}, 240_000)

test('plays and shows a participant who joins five times during each stay', async () => {
  const recording = newFolder()
  const stays = [0, 1, 2, 3, 4].map((time) => ({ fromMs: time * 2_500, toMs: time * 2_500 + 1_000 }))
  const videos = [{ spans: stays, colour: GREEN, size: '64x36', codec: 'vp8' }] as const
  await record(recording, { actors: [{ id: 'bob', stays, toneHz: 1_000, tones: stays, videos }], toMs: 12_000 })
  const order = { recording, output: path.join(recording, 'files'), plan: planOf(recording) }
  const audio = await mixAudio(FFMPEG_OPTIONS, order)
  const { file } = await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'grid_view', audio })
  const [mixed, seen] = [sound(audio.file), coloursAt(file, middleOfTile(gridOf(1), 0))]
  for (const { fromMs } of stays) {
    expect(mixed.at(1_000, fromMs + 100, fromMs + 900)).toBeGreaterThan(0.15)
    expect(mixed.at(1_000, fromMs + 1_100, fromMs + 2_400)).toBeLessThan(0.01)
    expect(isNear(frameAt(seen, fromMs + 900), GREEN)).toBe(true)
    expect(isNear(frameAt(seen, fromMs + 1_700), GREEN)).toBe(false)
  }
  expect((await makeStreams(FFMPEG_OPTIONS, { ...order, kinds: ['audio'] })).map(({ startMs }) => startMs)).toEqual(
    stays.map(({ fromMs }) => fromMs),
  )
}, 240_000)

test('makes silence of the session’s length and reports no audible seconds for an empty meeting', async () => {
  const recording = newFolder()
  await record(recording, { actors: [], toMs: 3_000 })
  const audio = await mixAudio(FFMPEG_OPTIONS, { recording, output: path.join(recording, 'files'), plan: planOf(recording) })
  expect(audio).toMatchObject({ audibleSeconds: 0, durationMs: 3_000 })
  expect(peakOf(audio.file)).toBeLessThan(0.001)
}, 240_000)

test('places and copies WebM chunks written by the page at their session times', async () => {
  const recording = newFolder()
  await recordChunks(recording, { startMs: 1_000, toneHz: 1_000, colour: GREEN })
  const order = { recording, output: path.join(recording, 'files'), plan: planOf(recording) }
  const audio = await mixAudio(FFMPEG_OPTIONS, order)
  const { file } = await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'grid_view', audio })
  const streams = await makeStreams(FFMPEG_OPTIONS, { ...order, kinds: ['audio', 'camera'] })

  expect(Math.abs((onsetMs(audio.file, 1_000, 0.2) ?? 0) - 1_500)).toBeLessThan(20)
  expect(isNear(frameAt(coloursAt(file, middleOfTile(gridOf(1), 0)), 2_500), GREEN)).toBe(true)
  expect(streams.map(({ codec, startMs, width }) => [codec, startMs, width])).toEqual([
    ['opus', 1_000, null],
    ['vp8', 1_000, 64],
  ])
  for (const stream of streams) expect(complaints(stream.file)).toBe('')
}, 240_000)

test('leaves only the tile of an undecodable video empty', async () => {
  const recording = newFolder()
  await record(recording, { actors: [participant('ann', RED, 2_000), participant('bob', GREEN, 2_000)], toMs: 2_000 })
  const plan = planOf(recording)
  const [broken] = plan.participants[1]?.runs.camera[0]?.segments ?? []
  spoil(path.join(recording, broken?.file ?? ''))
  const order = { recording, output: path.join(recording, 'files'), plan }
  const { file } = await composeVideo(FFMPEG_OPTIONS, { ...order, view: 'grid_view', audio: await mixAudio(FFMPEG_OPTIONS, order) })
  expect(isNear(frameAt(coloursAt(file, middleOfTile(gridOf(2), 0)), 1_000), RED)).toBe(true)
  expect(isNear(frameAt(coloursAt(file, middleOfTile(gridOf(2), 1)), 1_000), GREEN)).toBe(false)
}, 240_000)

test('leaves silence for a lost segment and keeps the audio around it at its time', async () => {
  const recording = newFolder()
  await record(recording, { actors: [{ ...participant('ann', RED, 24_000), tones: [{ fromMs: 0, toMs: 24_000 }] }], toMs: 24_000 })
  const plan = planOf(recording)
  const [, lost] = plan.participants[0]?.runs.audio[0]?.segments ?? []
  rmSync(path.join(recording, lost?.file ?? ''))
  const { file } = await mixAudio(FFMPEG_OPTIONS, { recording, output: path.join(recording, 'files'), plan })
  const mixed = sound(file)
  const loud = [5_000, 15_000, 22_000].map((ms) => mixed.at(300, ms, ms + 500) > 0.15)
  expect(loud).toEqual([true, false, true])
  expect(Math.abs(mixed.lengthMs - 24_000)).toBeLessThan(70)
}, 240_000)

test.each(['streams', 'mix', 'compose'] as const)(
  'completes all files after a kill in the middle of %s',
  async (step) => {
    const recording = newFolder()
    // Long enough to be killed in the middle. The pause splits the video into three pieces.
    const toMs = step === 'compose' ? 16_000 : 90_000
    const actors = [{ ...participant('ann', RED, toMs), toneHz: 440, tones: [{ fromMs: 0, toMs }] }]
    await record(recording, { actors, pauses: [{ fromMs: 4_000, toMs: 5_000 }], toMs })
    const folders = { recording, output: path.join(recording, 'files') }
    const plan = planOf(recording)
    if (step === 'compose') await STEPS.mix(recording, folders.output)
    await killedDuring(step, folders, MIDDLE[step](folders.output))
    const kept = step === 'compose' ? await keptPiece(folders, plan) : null
    await STEPS[step](recording, folders.output)

    if (kept) expect(kept.madeMs).toBe(kept.foundMs)
    expect(readdirSync(folders.output).filter((name) => name.startsWith('.'))).toEqual([])
    for (const name of readdirSync(folders.output).filter((name) => !name.endsWith('.json'))) {
      expect(complaints(path.join(folders.output, name)), name).toBe('')
    }
    const wanted = { streams: /^camera-.*\.webm$/, mix: /^mixed\.m4a$/, compose: /^grid_view\.mp4$/ }[step]
    expect(readdirSync(folders.output).filter((name) => wanted.test(name))).toHaveLength(1)
    if (step === 'streams') return
    const file = path.join(folders.output, step === 'mix' ? 'mixed.m4a' : 'grid_view.mp4')
    expect(Math.abs(Number(probeFile(file).format.duration) * 1000 - toMs)).toBeLessThan(20)
  },
  240_000,
)

/** True once a step has written some of its output but not all. */
const MIDDLE: Readonly<Record<'streams' | 'mix' | 'compose', (output: string) => () => boolean>> = {
  streams: (output) => () => existsSync(output) && readdirSync(output).length > 0,
  mix: (output) => () => existsSync(path.join(output, '.mixed.m4a.part')) && statSync(path.join(output, '.mixed.m4a.part')).size > 0,
  compose: (output) => () =>
    existsSync(path.join(output, '.pieces-grid_view')) &&
    readdirSync(path.join(output, '.pieces-grid_view')).some((name) => /^piece.*json$/.test(name)),
}

/** The modification times of the first piece before and after it is requested again. */
async function keptPiece({ recording, output }: { recording: string; output: string }, plan: MediaPlan) {
  const folder = path.join(output, '.pieces-grid_view')
  const name = readdirSync(folder).find((name) => /^piece.*mkv$/.test(name)) ?? ''
  const madeMs = statSync(path.join(folder, name)).mtimeMs
  const [piece] = piecesOf(plan, 'grid_view')
  if (!piece) throw new Error('no piece')
  const file = await makePiece(FFMPEG_OPTIONS, { recording, folder, plan, piece }, await findFonts(FFMPEG_OPTIONS, plan))
  return { madeMs, foundMs: statSync(file).mtimeMs }
}
