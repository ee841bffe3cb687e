// Recordings of a killed bot, and of a slow or missing disk.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import {
  audio,
  clearFolders,
  openRecordingFixture,
  play,
  playing,
  sourceInfo,
  video,
  WALL_MS,
} from '../../../test/helpers/media/recording-fixture.ts'
import { type ManifestFact, manifestLine, type PauseChange } from '../../domain/recording.ts'

afterEach(clearFolders)

test('continues the recording of a killed bot: same clock, a gap, no file twice, still paused', async () => {
  const first = await playing()
  play(first, 0, 2_000)
  await first.recording.sync()
  first.recording.pause()
  play(first, 2_000, 2_500)
  await first.recording.sync()
  // Not ended, as after a kill.
  const before = first.facts()

  const clock = { ms: 90_000 }
  const second = await openRecordingFixture({ folder: first.folder, now: () => clock.ms, wallClock: () => WALL_MS + 6_000 })
  expect(second.recording.nowMs()).toBe(6_000)
  expect(second.recording.paused).toBe(true)
  second.recording.resume()
  second.recording.track('a', sourceInfo('audio'))
  for (let at = 6_000; at < 7_000; at += 20) audio(second.recording, at)
  clock.ms += 1_000
  await second.recording.end('left')
  expect(second.facts().slice(0, before.length)).toEqual(before)
  expect(second.facts()).toContainEqual({ fact: 'gap', fromMs: 2_000, toMs: 6_000 })
  expect(second.tracks().map(({ trackId, segments }) => [trackId, segments.length])).toEqual([
    ['1-1', 1],
    ['1-2', 1],
    ['2-1', 1],
  ])
  expect(readdirSync(first.folder)).toHaveLength(5)
  await first.recording.end('test over')
})

test('counts from the start of the recording, also if the manifest of the session before has not arrived', async () => {
  const second = await openRecordingFixture({ session: 2, recordedBefore: { since: WALL_MS - 6_000, pause: null } })
  expect([second.recording.nowMs(), second.recording.startedAt]).toEqual([6_000, WALL_MS - 6_000])
  expect(second.recording.sessionGap).toEqual({ fromMs: 0, toMs: 6_000 })
  await second.recording.end('left')
  expect(second.facts()).toMatchObject([
    { fact: 'started', wallClock: new Date(WALL_MS - 6_000).toISOString(), monotonicZeroMs: -1_000 },
    { fact: 'gap', fromMs: 0, toMs: 6_000 },
    { fact: 'ended', atMs: 6_000 },
  ])
})

test('stays paused, also if the session before was lost with its last seconds', async () => {
  const openAfter = async (facts: readonly ManifestFact[], pause: PauseChange | null) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'recording-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(path.join(folder, 'earlier-1.jsonl'), facts.map(manifestLine).join(''))
    const { recording } = await openRecordingFixture({ folder, session: 2, recordedBefore: { since: WALL_MS - 60_000, pause } })
    await recording.end('left')
    return recording.paused
  }
  const started: ManifestFact = { fact: 'started', wallClock: new Date(WALL_MS - 60_000).toISOString(), monotonicZeroMs: 0 }
  const pausedAt = (atMs: number): ManifestFact => ({ fact: 'paused', atMs })
  const at = (ms: number) => WALL_MS - 60_000 + ms
  expect(await openAfter([started], { isPaused: true, at: at(5_000) })).toBe(true)
  expect(await openAfter([], { isPaused: true, at: at(5_000) })).toBe(true)
  expect(await openAfter([started, pausedAt(5_000)], { isPaused: false, at: at(9_000) })).toBe(false)
  expect(await openAfter([started, pausedAt(5_000)], { isPaused: false, at: at(2_000) })).toBe(true)
  expect(await openAfter([started, pausedAt(5_000)], null)).toBe(true)
})

test('drops and counts frames when the disk is too slow', async () => {
  const bed = await openRecordingFixture({ memoryLimitBytes: 1_000 })
  bed.recording.track('v', sourceInfo('video'))
  for (let at = 0; at < 3_000; at += 100) video(bed.recording, at, { key: at === 0, payload: new Uint8Array(40).fill(at / 100) })
  expect(bed.recording.health().pendingBytes).toBeLessThanOrEqual(1_000)
  bed.to(3_300)
  await bed.recording.sync()
  const health = bed.recording.health().sources.v
  expect(health).toMatchObject({ frames: 30, bytes: 1_200, repeated: 0, lastFrameMs: 0 })
  expect(health?.dropped).toBeGreaterThan(5)
  video(bed.recording, 3_400, { key: true })
  await bed.recording.end('left')
  expect(bed.tracks()[0]?.segments.reduce((sum, { frames }) => sum + frames, 0)).toBe(31 - (health?.dropped ?? 0))
})

test('reports a removed folder, and writes again when it is back', async () => {
  const bed = await playing()
  rmSync(bed.folder, { recursive: true })
  play(bed, 0, 500)
  await expect(bed.recording.sync()).rejects.toThrow(/could not be written/)
  expect(bed.recording.health().failure).toBeInstanceOf(Error)
  mkdirSync(bed.folder)
  await bed.recording.end('left')
  expect(bed.recording.health().failure).toBeNull()
  expect(readdirSync(bed.folder).sort()).toEqual(['1-1-00000.mkv', '1-2-00000.mkv'])
})
