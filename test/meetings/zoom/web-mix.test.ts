// Mixed audio of Zoom's web client: messages about active speakers name the speaker, and speech of several at once stays in the mix.
import { expect, onTestFinished, test } from 'vitest'
import { wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { fetchDelivery } from '../../helpers/media/delivered.ts'
import { sound } from '../../helpers/media/recorded-media.ts'
import { ZoomStage } from '../../helpers/meetings/zoom.ts'
import { until } from '../../helpers/until.ts'

const LONG = 180_000
const SOON = 30_000
const [ANN_HZ, BEN_HZ] = [500, 900]
const LOOK_MS = 100
/** The tones have amplitude 0.5. */
const LOUD = 0.25

const stage = openForFile(() => ZoomStage.open({ ZOOM_WAY: 'web', ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '' }), LONG)

type Chunk = { readonly speakerName: string | null; readonly start: number; readonly end: number }

test('names the speaker of mixed audio, and none while several speak', { timeout: LONG }, async () => {
  const meeting = stage.zoom.meeting()
  const [ann, ben] = [await meeting.call.join({ name: 'Ann', host: true }), await meeting.call.join({ name: 'Ben', colour: '#2040c0' })]
  const id = await stage.send(meeting)
  await stage.has(id, 'Recording', SOON)
  const hasMix = () => stage.recordingOf(id).tracks.some(({ kind }) => kind === 'audio')
  const silent = wav(0, 1)
  await until('the mix is recorded', hasMix, SOON)
  await ann.say(wav(ANN_HZ, 3))
  await ann.say(silent)
  await ben.say(wav(BEN_HZ, 3))
  await ben.say(silent)
  await Promise.all([ann.say(wav(ANN_HZ, 2)), ben.say(wav(BEN_HZ, 2))])
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)

  const { chunks } = (await stage.read(id, 'get_speaker_timeline')) as { chunks: readonly Chunk[] }
  const spokenBy = (name: string | null) =>
    chunks.filter(({ speakerName }) => speakerName === name).reduce((sum, { start, end }) => sum + end - start, 0)
  for (const name of ['Ann', 'Ben']) expect(Math.abs(spokenBy(name) - 5), `${name} spoke for ${spokenBy(name)} s`).toBeLessThan(2)
  expect(spokenBy(null)).toBeLessThan(1)
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  const secondsOf = (hz: number, name: string) =>
    delivery.of(name, 'audio').reduce((sum, { file }) => {
      const found = sound(file)
      const looks = Array.from({ length: Math.floor(found.lengthMs / LOOK_MS) }, (_, at) => found.startMs + at * LOOK_MS)
      return sum + looks.filter((at) => found.at(hz, at, at + LOOK_MS) > LOUD).length * (LOOK_MS / 1000)
    }, 0)
  expect(secondsOf(ANN_HZ, 'Ann')).toBeGreaterThan(2)
  expect(secondsOf(BEN_HZ, 'Ben')).toBeGreaterThan(2)
  expect([secondsOf(BEN_HZ, 'Ann'), secondsOf(ANN_HZ, 'Ben')]).toEqual([0, 0])
  expect(secondsOf(ANN_HZ, ''), 'what both said').toBeGreaterThan(1)
  expect(secondsOf(BEN_HZ, ''), 'what both said').toBeGreaterThan(1)
})
