// A bot records a real meeting, and its files are judged by decoding them.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Delivery, fetchDelivery, picturesIn, type Stream, toneStartMs } from '../helpers/media/delivered.ts'
import { complaints, pictures, sound } from '../helpers/media/recorded-media.ts'
import { readRecording } from '../helpers/media/recording.ts'
import { ADA, BEN, CY, isNear, rgbOf, Stage } from '../helpers/meetings/bot-in-room.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const CLAP_HZ = 2000
const WHITE = [255, 255, 255]
const BLACK = [0, 0, 0]
const SHARED = '#f2d024'
const PEOPLE = [ADA, BEN, CY]
/** Decoding is slow on a busy machine. */
const LONG_MS = 60_000

const stage = new Stage(serviceForFile(WITH_BOTS))

/** Lets the meeting run: these durations are its content. */
const meet = (ms: number) => delay(ms)

describe('three people, one late, one who returns, a shared screen and a pause', () => {
  let delivery: Delivery
  /** By the wall clock. */
  const times = { zero: 0, started: 0, clapped: 0, paused: 0, beforeResume: 0, shared: 0, hidden: 0, unshared: 0, cy: 0, left: 0 }
  let statuses: string[]
  let detail: { delivered: Record<string, number>; AudioStatus: string; VideoStatus: string }
  let events: { action: string; participant: { name: string; mic_on: boolean; camera_on: boolean } }[]
  let speakers: string[]

  beforeAll(async () => {
    const people = await stage.cast('records', ADA, BEN)
    const id = await stage.send('records')
    await stage.has(id, 'Recording')
    const folder = path.join(stage.service.directory, 'recordings', id)
    await until('both are recorded', () => readRecording(folder).tracks.filter(({ totalSeconds }) => totalSeconds > 0).length >= 4, 30_000)
    const begun = readRecording(folder).facts.find(({ fact }) => fact === 'started')
    times.zero = begun?.fact === 'started' ? Date.parse(begun.wallClock) : Number.NaN
    await meet(1_000)
    times.clapped = await people.named('Ada').clap()
    await meet(2_000)

    const cy = await stage.cast('records', CY)
    times.cy = Date.now()
    await meet(2_000)
    times.shared = Date.now()
    people.named('Ada').share()
    await meet(2_000)
    times.hidden = Date.now()
    await people.named('Ada').stopSharing()
    times.unshared = Date.now()

    for (const _ of ['once', 'and again']) expect((await stage.command(id, 'pause_recording')).status).toBe(200)
    times.paused = Date.now()
    await meet(3_000)
    times.beforeResume = Date.now()
    for (const _ of ['once', 'and again']) expect((await stage.command(id, 'resume_recording')).status).toBe(200)
    await meet(2_000)

    await people.named('Ben').leave()
    await meet(500)
    await people.named('Ben').join()
    await people.named('Ada').mute()
    await people.named('Ada').stopCamera()
    await meet(2_500)

    await stage.remove(id)
    // Checked before post-call processing, which waits for every browser on the machine.
    for (const it of [people, cy]) await it.stop()
    await stage.has(id, 'Done', 120_000)
    const read = await stage.detail(id)
    detail = read
    statuses = Object.keys(read.StatusTimeline)
    times.started = Date.parse(read.StatusTimeline.Recording.timestamp)
    times.left = Date.parse(read.StatusTimeline.Leaving.timestamp)
    events = await (await fetch(read.participant_events)).json()
    speakers = (await stage.read(id, 'get_speaker_timeline')).chunks.map((it: { speakerName: string }) => it.speakerName)
    delivery = await fetchDelivery(stage.service, id)
  }, 240_000)
  afterAll(() => delivery?.discard())

  /** Converts wall clock time to recording time. */
  const session = (wall: number) => wall - times.started
  const isPaused = (atMs: number) => atMs > session(times.paused) + 150 && atMs < session(times.beforeResume) - 150

  test('reports the stages in order, and the delivered files', () => {
    expect(statuses).toEqual([
      ...['Joining', 'InWaitingRoom', 'InMeeting', 'Recording', 'Leaving', 'Stopped'],
      ...['MediaProcessing', 'AudioProcessing', 'VideoProcessing', 'Uploading', 'TranscriptionReady', 'Done'],
    ])
    expect(detail).toMatchObject({ AudioStatus: 'Success', VideoStatus: 'Success' })
    expect(times.started, 'what the recording is counted from').toBe(times.zero)
    const seconds = (times.left - times.started) / 1000
    expect(Math.abs((detail.delivered.audio_seconds ?? 0) - seconds)).toBeLessThan(0.5)
    expect(Math.abs((detail.delivered.video_seconds ?? 0) - seconds)).toBeLessThan(0.5)
    expect(new Set(speakers)).toEqual(new Set(['Ada', 'Ben', 'Cy']))
  })

  test.each(PEOPLE)(
    'has the colour of $name in that person’s files only',
    ({ name, colour }) => {
      const seen = picturesIn(delivery.of(name, 'camera'))
      // A clap is white, and the first frames of a camera may be black.
      expect(seen.filter(({ rgb }) => isNear(rgb, rgbOf(colour))).length / seen.length).toBeGreaterThan(0.85)
      for (const other of PEOPLE.filter((it) => it.name !== name)) {
        expect(seen.filter(({ rgb }) => isNear(rgb, rgbOf(other.colour)))).toEqual([])
      }
    },
    LONG_MS,
  )

  test.each(PEOPLE)(
    'has the tone of $name in that person’s files only',
    ({ name, tone = 0 }) => {
      const long = delivery.of(name, 'audio').filter(({ startMs, endMs }) => endMs - startMs > 1_500)
      expect(long.length).toBeGreaterThan(0)
      for (const { file } of long.slice(0, 1)) {
        const found = sound(file)
        const amplitude = (hertz: number) => found.at(hertz, found.startMs + 300, found.startMs + 1_500)
        expect(amplitude(tone)).toBeGreaterThan(0.05)
        for (const other of PEOPLE.filter((it) => it.name !== name)) expect(amplitude(other.tone ?? 0)).toBeLessThan(0.01)
      }
    },
    LONG_MS,
  )

  test(
    'aligns audio and video within 100 ms, and with the wall clock',
    () => {
      const seenMs = picturesIn(delivery.of('Ada', 'camera')).find(({ rgb }) => isNear(rgb, WHITE))?.atMs ?? Number.NaN
      const soundMs = toneStartMs(delivery.of('Ada', 'audio'), CLAP_HZ) ?? Number.NaN
      expect(Math.abs(seenMs - soundMs)).toBeLessThan(100)
      expect(Math.abs(seenMs - session(times.clapped))).toBeLessThan(500)
    },
    LONG_MS,
  )

  test('reports durations to within half a second', () => {
    const extent = (streams: readonly Stream[]) => [
      Math.min(...streams.map(({ startMs }) => startMs)),
      Math.max(...streams.map(({ endMs }) => endMs)),
    ]
    for (const kind of ['audio', 'camera'] as const) {
      const [from = 0, to = 0] = extent(delivery.of('Cy', kind))
      expect(Math.abs(to - session(times.left)), `Cy ${kind} ends`).toBeLessThan(500)
      expect(from).toBeGreaterThan(session(times.cy) - 2_500)
    }
    expect(delivery.of('Ben', 'audio').length).toBeGreaterThan(1)
    const [from = 0, to = 0] = extent(delivery.of('Ada', 'screen'))
    expect(from).toBeGreaterThan(session(times.shared) - 100)
    expect(from).toBeLessThan(session(times.shared) + 250)
    expect(to).toBeGreaterThan(session(times.hidden) - 500)
    expect(to).toBeLessThan(session(times.unshared) + 500)
  })

  test(
    'delivers a shared screen as a stream of its own',
    () => {
      const seen = picturesIn(delivery.streams.filter(({ kind }) => kind === 'screen'))
      expect(seen.length).toBeGreaterThan(5)
      expect(seen.filter(({ rgb }) => isNear(rgb, rgbOf(SHARED))).length / seen.length).toBeGreaterThan(0.8)
      expect(new Set(delivery.streams.filter(({ kind }) => kind === 'screen').map(({ name }) => name))).toEqual(new Set(['Ada']))
    },
    LONG_MS,
  )

  test(
    'is silent and black exactly while paused',
    () => {
      const found = sound(delivery.audio)
      const amplitude = (fromMs: number, toMs: number) => Math.max(...PEOPLE.map(({ tone = 0 }) => found.at(tone, fromMs, toMs)))
      const [from, to] = [session(times.paused) + 200, session(times.beforeResume) - 200]
      expect(amplitude(from, to)).toBeLessThan(0.003)
      expect(amplitude(from - 1_500, from - 500)).toBeGreaterThan(0.03)
      expect(amplitude(to + 900, to + 1_700)).toBeGreaterThan(0.03)

      const shown = pictures(delivery.video)
      expect(shown.filter(({ atMs }) => isPaused(atMs)).every(({ rgb }) => isNear(rgb, BLACK, 12))).toBe(true)
      const before = shown.filter(({ atMs }) => atMs > from - 1_500 && atMs < from - 500)
      expect(before.every(({ rgb }) => !isNear(rgb, BLACK, 12))).toBe(true)
      for (const kind of ['camera', 'screen'] as const) {
        expect(picturesIn(delivery.streams.filter((it) => it.kind === kind)).filter(({ atMs }) => isPaused(atMs))).toEqual([])
      }
    },
    LONG_MS,
  )

  test(
    'delivers files that decode without errors',
    () => {
      for (const { file } of delivery.streams) expect(complaints(file), file).toBe('')
      expect(complaints(delivery.audio) + complaints(delivery.video)).toBe('')
    },
    LONG_MS,
  )

  test('lists joins, departures and device changes of participants', () => {
    const received = events.map(({ action, participant }) => `${participant.name} ${action}`)
    expect(received.slice(0, 2).toSorted()).toEqual(['Ada join', 'Ben join'])
    expect(received).toEqual(expect.arrayContaining(['Cy join', 'Ben leave']))
    expect(received.filter((it) => it === 'Ben join')).toHaveLength(2)
    const last = events.findLast(({ participant }) => participant.name === 'Ada')
    expect(last).toMatchObject({ action: 'update', participant: { mic_on: false, camera_on: false } })
  })
})
