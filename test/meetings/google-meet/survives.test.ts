// A worker that is killed during a Google Meet call: the recording keeps all but the last moments and continues.
import path from 'node:path'
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { picturesIn, removeAndFetch, type Stream } from '../../helpers/media/delivered.ts'
import { sound } from '../../helpers/media/recorded-media.ts'
import { readRecording } from '../../helpers/media/recording.ts'
import { isNear, rgbOf } from '../../helpers/meetings/bot-in-room.ts'
import { MeetStage } from '../../helpers/meetings/google-meet.ts'
import { SPACE } from '../../helpers/meetings/meet-cast.ts'
import { workerProcesses } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

/** They hum without a pause, in lanes that they leave every second. */
const PEOPLE = [
  { name: 'Ann', voice: 440, colour: '#e02020' },
  { name: 'Bob', voice: 700, colour: '#2020e0' },
] as const
/** Right after a write: audio waits 750 ms for its CSRC mapping, and a busy machine takes longer. The next write is a second away. */
const ON_ITS_WAY_MS = 1_500
const ENOUGH_MS = 4_000
const LOOK_MS = 100
/** A bot that has just joined receives audio after a moment. */
const SETTLED_MS = 1_500
/** The tones have amplitude 0.25. */
const LOUD = 0.15
const TRACE = 0.03

const stage = openForFile(() => MeetStage.open())

const recordingOf = (id: string) => readRecording(path.join(stage.service.directory, 'recordings', id))
const writesOf = (id: string) => recordingOf(id).facts.filter(({ fact }) => fact === 'synced').length
const gapOf = (id: string) => recordingOf(id).facts.find((it) => it.fact === 'gap')

/** How much of each of them is on the disk, in recording time. */
function audioEnds(id: string): readonly number[] {
  const { tracks } = recordingOf(id)
  const sounds = tracks.filter(({ kind }) => kind === 'audio')
  return PEOPLE.map((_, index) => sounds[index]?.segments.at(-1)?.endMs ?? 0)
}

test.each(['native', 'neteq'] as const)(
  'loses only moments and keeps the attribution when the worker is killed, on the path %s',
  { timeout: 180_000 },
  async (media) => {
    const meeting = stage.meeting({ knock: 'admitted', space: SPACE, media })
    for (const person of PEOPLE) await meeting.space.join(person)
    const id = await stage.send(meeting)
    await until('both are on the disk for a while', () => audioEnds(id).every((endMs) => endMs > ENOUGH_MS), 40_000)
    const workers = workerProcesses()
    const before = writesOf(id)
    await until('the next write', () => writesOf(id) > before, 10_000)
    const killedAt = Date.now()
    for (const pid of workers) process.kill(pid, 'SIGKILL')

    const [started] = recordingOf(id).facts
    if (started?.fact !== 'started') throw new Error('The recording has no start time.')
    const killedMs = killedAt - Date.parse(started.wallClock)
    const savedMs = Math.min(...audioEnds(id))
    expect(killedMs - savedMs).toBeLessThan(ON_ITS_WAY_MS)

    const isBack = () => {
      const gap = gapOf(id)
      const lastMs = Math.max(...recordingOf(id).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
      return gap && lastMs > gap.toMs + ENOUGH_MS ? gap : null
    }
    const gap = await until('it is back, and records', isBack, 60_000)
    const delivery = await removeAndFetch(stage, id, 60_000)
    for (const { name, voice, colour } of PEOPLE) {
      const looks = (hz: number) => delivery.of(name, 'audio').flatMap((it) => looksAt(it, hz))
      const own = looks(voice).filter(({ atMs }) => atMs < savedMs - LOOK_MS || atMs > gap.toMs + SETTLED_MS)
      expect(own.at(0)?.atMs, `${name} before`).toBeLessThan(SETTLED_MS)
      expect(own.at(-1)?.atMs, `${name} after`).toBeGreaterThan(gap.toMs + ENOUGH_MS / 2)
      expect(own.filter(({ loudness }) => loudness < LOUD).length / own.length, `silence in ${name}’s files`).toBeLessThan(0.05)
      const others = PEOPLE.filter((it) => it.name !== name).flatMap((it) => looks(it.voice))
      expect(Math.max(...others.map(({ loudness }) => loudness)), `somebody else in ${name}’s files`).toBeLessThan(TRACE)
      const pictures = picturesIn(delivery.of(name, 'camera'))
      expect(pictures.length, `${name} was seen`).toBeGreaterThan(20)
      const strange = pictures.filter(({ rgb }) => !isNear(rgb, rgbOf(colour), 90))
      expect(strange, `somebody else in ${name}’s pictures`).toEqual([])
    }
  },
)

/** Loudness of the tone in each tenth of a second, by recording time. */
function looksAt({ file, startMs }: Stream, hz: number): readonly { readonly atMs: number; readonly loudness: number }[] {
  const found = sound(file)
  return Array.from({ length: Math.floor(found.lengthMs / LOOK_MS) }, (_, index) => {
    const fromMs = found.startMs + index * LOOK_MS
    return { atMs: startMs + index * LOOK_MS, loudness: found.at(hz, fromMs, fromMs + LOOK_MS) }
  })
}
