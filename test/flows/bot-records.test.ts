// A bot records a real meeting, and the files are judged by what they show and sound like.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser, type People } from '../../sims/people.ts'
import type { Track, TrackKind } from '../../src/domain/recording.ts'
import { ADA, BEN, CY, isNear, rgbOf, Stage } from '../helpers/bot-in-room.ts'
import { complaints } from '../helpers/recorded-media.ts'
import { type LeftRecording, readRecording, secondsOf } from '../helpers/recording.ts'
import { startTestService } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

const CLAP_HZ = 2000
const WHITE = [255, 255, 255]
const SHARED = '#f2d024'
const PEOPLE = [ADA, BEN, CY]

let stage: Stage
beforeAll(async () => {
  stage = new Stage(await startTestService(), await launchBrowser())
})
afterAll(async () => {
  await stage?.browser.close()
  await stage?.service.stop()
})

/** The meeting itself: it lasts as long as it lasts. */
const meet = (ms: number) => delay(ms)
const folderOf = (id: string) => path.join(stage.service.directory, 'recordings', id)

describe('three people, one late, one who returns, a shared screen and a pause', () => {
  let left: LeftRecording
  let id: string
  /** Wall clock. */
  const times = { clapped: 0, beforePause: 0, paused: 0, beforeResume: 0, resumed: 0, shared: 0, unshared: 0, left: 0 }
  let names: Map<string, string>
  let statuses: string[]
  let events: { action: string; participant: { name: string; mic_on: boolean; camera_on: boolean } }[]
  let recordedWhilePaused = 0

  beforeAll(async () => {
    const people: People = await stage.cast('records', ADA, BEN)
    id = await stage.send('records')
    await stage.has(id, 'Recording')
    await allFlow(['Ada', 'Ben'])
    times.clapped = await people.named('Ada').clap()
    await meet(2_000)

    const cy = await stage.cast('records', CY)
    await allFlow(['Ada', 'Ben', 'Cy'])
    await people.named('Ada').share()
    times.shared = Date.now()
    await meet(2_500)
    await people.named('Ada').stopSharing()
    times.unshared = Date.now()

    times.beforePause = Date.now()
    expect((await stage.command(id, 'pause_recording')).status).toBe(200)
    times.paused = Date.now()
    expect((await stage.command(id, 'pause_recording')).status).toBe(200)
    await meet(2_000)
    recordedWhilePaused = mostRecent()
    times.beforeResume = Date.now()
    expect((await stage.command(id, 'resume_recording')).status).toBe(200)
    times.resumed = Date.now()
    expect((await stage.command(id, 'resume_recording')).status).toBe(200)
    await meet(1_500)

    await people.named('Ben').leave()
    await meet(500)
    await people.named('Ben').join()
    await people.named('Ada').mute()
    await people.named('Ada').stopCamera()
    await meet(2_500)

    await stage.remove(id)
    left = readRecording(folderOf(id))
    const roster = (await stage.read(id, 'get_participants')) as { deviceId: string; displayName: string }[]
    names = new Map(roster.map(({ deviceId, displayName }) => [deviceId, displayName]))
    const detail = await stage.detail(id)
    statuses = Object.keys(detail.StatusTimeline)
    times.left = Date.parse(detail.StatusTimeline.Leaving.timestamp)
    events = detail.participant_events ? await (await fetch(detail.participant_events)).json() : []
    for (const it of [people, cy]) await it.stop()
  }, 180_000)

  /** Until each of them has sound and picture on the disk. */
  function allFlow(wanted: readonly string[]): Promise<unknown> {
    return until(
      `the recording has ${wanted}`,
      () => {
        const { tracks } = readRecording(folderOf(id))
        const whole = (kind: TrackKind) =>
          new Set(tracks.filter((it) => it.kind === kind && it.totalSeconds > 0).map((it) => it.participantId))
        return whole('audio').size >= wanted.length && whole('camera').size >= wanted.length
      },
      20_000,
    )
  }

  /** Session time of the last thing on the disk. */
  const mostRecent = () => Math.max(...readRecording(folderOf(id)).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
  const tracksOf = (name: string, kind: TrackKind): readonly Track[] =>
    left.tracks.filter((track) => names.get(track.participantId ?? '') === name && track.kind === kind)
  const factMs = (name: 'paused' | 'resumed') => {
    const fact = left.facts.find((it) => it.fact === name)
    return fact?.fact === name ? fact.atMs : Number.NaN
  }
  /** The wall clock in session time. */
  const session = (wall: number) => {
    const started = left.facts.find(({ fact }) => fact === 'started')
    return started?.fact === 'started' ? wall - Date.parse(started.wallClock) : Number.NaN
  }

  test('every source has an owner, and the stages are told in order', () => {
    expect(left.tracks.filter(({ participantId }) => !names.has(participantId ?? ''))).toEqual([])
    expect(statuses).toEqual(['Joining', 'InWaitingRoom', 'InMeeting', 'Recording', 'Leaving', 'Stopped', 'MediaProcessing', 'Done'])
  })

  test.each(PEOPLE)('$name’s picture is that colour in that person’s files and in no other', ({ name, colour }) => {
    const seen = left.pictures(...tracksOf(name, 'camera'))
    // A clap is white and the first pictures of a camera may be black.
    const shown = seen.filter(({ rgb }) => isNear(rgb, rgbOf(colour)))
    expect(shown.length / seen.length).toBeGreaterThan(0.85)
    for (const other of PEOPLE) {
      if (other.name !== name) expect(seen.filter(({ rgb }) => isNear(rgb, rgbOf(other.colour)))).toEqual([])
    }
  })

  test.each(PEOPLE)('$name’s tone is in that person’s files and in no other', ({ name, tone = 0 }) => {
    const sounds = left.sounds(...tracksOf(name, 'audio')).filter(({ lengthMs }) => lengthMs > 800)
    expect(sounds.length).toBeGreaterThan(0)
    // Ada's last ones are muted.
    for (const heard of sounds.slice(0, name === 'Ada' ? 1 : undefined)) {
      const amplitude = (hertz: number) => heard.at(hertz, heard.startMs + 300, heard.startMs + heard.lengthMs - 100)
      expect(amplitude(tone)).toBeGreaterThan(0.05)
      for (const other of PEOPLE.filter((it) => it.name !== name)) expect(amplitude(other.tone ?? 0)).toBeLessThan(0.01)
    }
  })

  test('picture and sound of one moment are within 100 ms of each other, and where the clock says', () => {
    const seenMs = left.pictures(...tracksOf('Ada', 'camera')).find(({ rgb }) => isNear(rgb, WHITE))?.atMs ?? Number.NaN
    const heardMs = left
      .sounds(...tracksOf('Ada', 'audio'))
      .map((it) => it.firstMs(CLAP_HZ))
      .find((it) => it !== null)
    expect(Math.abs(seenMs - (heardMs ?? Number.NaN))).toBeLessThan(100)
    expect(Math.abs(seenMs - session(times.clapped))).toBeLessThan(500)
  })

  test('lengths are true to half a second', () => {
    const from = (name: string, kind: TrackKind) =>
      Math.min(...tracksOf(name, kind).flatMap(({ segments }) => segments.map((it) => it.startMs)))
    const pausedMs = factMs('resumed') - factMs('paused')
    const end = session(times.left)
    for (const kind of ['audio', 'camera'] as const) {
      const cy = end - from('Cy', kind) - pausedMs
      expect(Math.abs(secondsOf(tracksOf('Cy', kind)) * 1000 - cy), `Cy ${kind}`).toBeLessThan(500)
    }
    expect(tracksOf('Ben', 'audio').length).toBeGreaterThan(1)
    const [screen] = tracksOf('Ada', 'screen')
    expect(Math.abs((screen?.totalSeconds ?? 0) * 1000 - (times.unshared - times.shared))).toBeLessThan(700)
  })

  test('a shared screen is a track of its own', () => {
    const seen = left.pictures(...tracksOf('Ada', 'screen'))
    expect(seen.length).toBeGreaterThan(5)
    expect(seen.filter(({ rgb }) => isNear(rgb, rgbOf(SHARED))).length / seen.length).toBeGreaterThan(0.8)
    expect(left.tracks.filter(({ kind }) => kind === 'screen')).toHaveLength(1)
  })

  test('nothing is recorded while paused, and the clock goes on', () => {
    const [paused, resumed] = [factMs('paused'), factMs('resumed')]
    expect(paused).toBeGreaterThan(session(times.beforePause) - 50)
    expect(paused).toBeLessThan(session(times.paused) + 50)
    expect(resumed).toBeGreaterThan(session(times.beforeResume) - 50)
    expect(resumed).toBeLessThan(session(times.resumed) + 50)
    expect(recordedWhilePaused).toBeLessThan(paused + 60)
    for (const { segments } of left.tracks) {
      for (const { startMs, endMs } of segments) {
        expect(endMs <= paused + 60 || startMs >= resumed - 60, `${startMs}-${endMs}, paused ${paused}-${resumed}`).toBe(true)
      }
    }
    expect(left.facts.filter(({ fact }) => fact === 'paused' || fact === 'resumed')).toHaveLength(2)
    expect(mostRecent()).toBeGreaterThan(session(times.left) - 1_000)
  })

  test('every segment decodes without complaint', () => {
    for (const { segments } of left.tracks) {
      for (const { file, continues } of segments) if (!continues) expect(complaints(path.join(folderOf(id), file)), file).toBe('')
    }
  })

  test('the participants’ comings, goings and switches are listed', () => {
    const told = events.map(({ action, participant }) => `${participant.name} ${action}`)
    expect(told.slice(0, 2).toSorted()).toEqual(['Ada join', 'Ben join'])
    expect(told).toEqual(expect.arrayContaining(['Cy join', 'Ben leave']))
    expect(told.filter((it) => it === 'Ben join')).toHaveLength(2)
    const last = events.findLast(({ participant }) => participant.name === 'Ada')
    expect(last).toMatchObject({ action: 'update', participant: { mic_on: false, camera_on: false } })
  })
})
