// A meeting in a real browser, recorded through the tap and checked by the pictures and the sound in its files.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CaptureHealth } from '../../../src/bot/capture/capture.ts'
import type { TrackInfo } from '../../../src/bot/capture/wire.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { factsIn, filesOf, isNear, openCaptureFixture, shows, tracksIn } from '../../helpers/media/capture-fixture.ts'
import { PEOPLE } from '../../helpers/media/capture-page.ts'
import { forkCapture } from '../../helpers/media/capture-process.ts'
import { complaints, pictures, sound } from '../../helpers/media/recorded-media.ts'
import { until } from '../../helpers/until.ts'

const stage = openForFile(openCaptureFixture)

/** Lets the meeting run: these durations are its content. */
const meet = (ms: number) => delay(ms)

describe('three participants, recorded in another process', () => {
  let folder: string
  const times = { spoke: 0, paused: 0, resumed: 0, resized: 0, killed: 0 }
  let health: CaptureHealth
  let inbound: { kind: string; pliCount?: number; frameWidth?: number }[]

  beforeAll(async () => {
    folder = stage.newFolder()
    const sources = new Map<string, TrackInfo>()
    const capture = await forkCapture(folder, (source, info) => sources.set(source, info))
    try {
      const page = await stage.enter(capture.initScript, 'plain')
      const now = () => capture.ask<number>({ what: 'now' })
      await until('every track flows', () => [...sources.values()].filter(({ codec }) => codec !== '').length === 6, 15_000)
      const whose = await page.evaluate<Record<string, string>>('whose')
      for (const [source, { streamId, kind }] of sources) {
        await capture.ask({ what: 'own', source, participantId: whose[streamId] ?? '?', kind: kind === 'audio' ? 'audio' : 'camera' })
      }
      await meet(1_000)
      times.spoke = await now()
      await page.evaluate('speak(true)')
      await meet(2_000)
      times.paused = await now()
      await capture.ask({ what: 'pause' })
      await meet(1_500)
      times.resumed = await now()
      await capture.ask({ what: 'resume' })
      await meet(1_500)
      times.resized = await now()
      await page.evaluate('resize(0, 160, 120)')
      await meet(3_000)
      health = await capture.ask<CaptureHealth>({ what: 'health' })
      inbound = await page.evaluate('inbound()')
      times.killed = await now()
      await capture.kill()
      await page.context().close()
    } finally {
      await capture.kill()
    }
  }, 60_000)

  const trackOf = (name: string, kind: string) => tracksIn(folder).find((track) => track.participantId === name && track.kind === kind)

  test('writes one track per owner and kind, in the sent codec', () => {
    expect(
      tracksIn(folder)
        .map(({ participantId, kind, codec }) => `${participantId} ${kind} ${codec}`)
        .sort(),
    ).toEqual(PEOPLE.flatMap(({ name, codec }) => [`${name} audio opus`, `${name} camera ${codec.toLowerCase()}`]).sort())
  })

  test.each(PEOPLE)('records the video of $name with their colour and no other', ({ name, colour }) => {
    const seen = filesOf(folder, trackOf(name, 'camera')).flatMap(pictures)
    const later = seen.filter(({ atMs }) => atMs > times.spoke + 300)
    expect(later.length).toBeGreaterThan(40)
    expect(shows(later, colour) / later.length).toBeGreaterThan(0.97)
    for (const other of PEOPLE) if (other.name !== name) expect(shows(seen, other.colour)).toBe(0)
  })

  test.each(PEOPLE)('records the audio of $name with their tone and no other', ({ name, toneHz }) => {
    for (const file of filesOf(folder, trackOf(name, 'audio')).slice(-1)) {
      const recorded = sound(file)
      const [from, to] = [recorded.startMs + 300, recorded.startMs + recorded.lengthMs - 300]
      expect(recorded.at(toneHz, from, to)).toBeGreaterThan(0.1)
      for (const other of PEOPLE) if (other.name !== name) expect(recorded.at(other.toneHz, from, to)).toBeLessThan(0.01)
    }
  })

  test.each(PEOPLE)('starts the video and the audio of $name within 100 ms', ({ name, colour, toneHz }) => {
    const seenMs =
      filesOf(folder, trackOf(name, 'camera'))
        .flatMap(pictures)
        .find(({ rgb }) => isNear(rgb, colour))?.atMs ?? 0
    const [first = ''] = filesOf(folder, trackOf(name, 'audio'))
    const soundMs = sound(first).firstMs(toneHz) ?? 0
    expect(Math.abs(seenMs - soundMs)).toBeLessThan(100)
    expect(Math.abs(seenMs - times.spoke)).toBeLessThan(500)
  })

  test('has tracks of the right duration, and no media in the pause', () => {
    const pausedMs = times.resumed - times.paused
    for (const track of tracksIn(folder)) {
      const [first, last] = [track.segments[0]?.startMs ?? 0, track.segments.at(-1)?.endMs ?? 0]
      expect(Math.abs(track.totalSeconds * 1000 - (last - first - pausedMs))).toBeLessThan(500)
      for (const { startMs, endMs } of track.segments) {
        expect(endMs <= times.paused + 60 || startMs >= times.resumed - 60).toBe(true)
        expect(endMs - startMs).toBeLessThanOrEqual(10_000)
      }
    }
    expect(factsIn(folder).filter(({ fact }) => fact === 'paused' || fact === 'resumed')).toHaveLength(2)
  })

  test('starts a segment for a new size, and every closed segment decodes without errors', () => {
    const sizes = trackOf('ann', 'camera')?.segments.map(({ width, height }) => `${width}x${height}`)
    expect(sizes?.at(0)).toBe('320x180')
    expect(sizes?.at(-1)).toBe('160x120')
    for (const track of tracksIn(folder)) {
      for (const { closed, file } of track.segments) if (closed) expect(complaints(path.join(folder, file)), file).toBe('')
    }
  })

  test('loses two seconds at most in a kill, and the rest decodes', () => {
    for (const track of tracksIn(folder)) {
      expect(times.killed - (track.segments.at(-1)?.endMs ?? 0)).toBeLessThan(2_000)
      const file = filesOf(folder, track).at(-1) ?? ''
      if (track.kind === 'audio') expect(sound(file).lengthMs).toBeGreaterThan(1_500)
      else expect(pictures(file).length).toBeGreaterThan(10)
    }
  })

  test('requests few key frames, and lets the page decode tiny pictures', () => {
    const video = inbound.filter(({ kind }) => kind === 'video')
    expect(video).toHaveLength(3)
    for (const { pliCount, frameWidth } of video) {
      expect(pliCount).toBeLessThanOrEqual(3)
      expect(frameWidth).toBe(16)
    }
    expect(Object.values(health.sources).map(({ dropped }) => dropped)).toEqual(
      Object.values(health.sources).map(() => expect.toSatisfy((n) => n < 15)),
    )
    expect(health.failure).toBeNull()
  })

  test('records the speech of each participant', () => {
    for (const { name } of PEOPLE) {
      const spans = factsIn(folder).filter((fact) => fact.fact === 'speech' && fact.participantId === name)
      expect(spans[0]).toMatchObject({ fact: 'speech', fromMs: expect.toSatisfy((ms) => Math.abs(ms - times.spoke) < 400) })
    }
  })
})
