// A Zoom client that decodes media by itself: its sound and its pictures are recorded all the same.
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { isNear, rgbOf } from '../../helpers/bot-in-room.ts'
import { fetchDelivery, picturesIn } from '../../helpers/delivered.ts'
import { sound } from '../../helpers/recorded-media.ts'
import { readRecording } from '../../helpers/recording.ts'
import { until } from '../../helpers/until.ts'
import { ZoomStage } from '../../helpers/zoom.ts'

const LONG = 180_000
const ANN_HZ = 440
const ENOUGH_MS = 4_000

let stage: ZoomStage
beforeAll(async () => {
  stage = await ZoomStage.open({}, { sendsToItself: true })
}, LONG)
afterAll(() => stage?.close())

test('records sound and pictures that the client decodes by itself, and calls mixed sound nobody’s', { timeout: LONG }, async () => {
  const meeting = stage.zoom.meeting({ media: 'wasm', recording: 'allowed' })
  await meeting.call.join({ name: 'Ann', host: true, voice: ANN_HZ, colour: '#2040c0' })
  const id = await stage.send(meeting)
  const lastMsOf = () =>
    Math.max(
      0,
      ...readRecording(path.join(stage.service.directory, 'recordings', id)).tracks.flatMap(({ segments }) =>
        segments.map(({ endMs }) => endMs),
      ),
    )
  await until('enough is on the disk', () => lastMsOf() > ENOUGH_MS, 60_000)
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  const isHeard = delivery.of('', 'audio').some(({ file }) => {
    const heard = sound(file)
    const looks = Array.from({ length: Math.floor(heard.lengthMs / 100) }, (_, at) => heard.startMs + at * 100)
    return looks.some((at) => heard.at(ANN_HZ, at, at + 100) > 0.1)
  })
  expect([isHeard, delivery.of('Ann', 'audio')]).toEqual([true, []])
  const pictures = picturesIn(delivery.of('Ann', 'camera'))
  expect(pictures.length).toBeGreaterThan(10)
  expect(pictures.filter(({ rgb }) => !isNear(rgb, rgbOf('#2040c0'), 90))).toEqual([])
})
