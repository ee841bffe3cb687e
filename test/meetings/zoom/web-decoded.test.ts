// A web client of Zoom that decodes media itself: its audio and video are recorded all the same.
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { isNear, rgbOf } from '../../helpers/bot-in-room.ts'
import { fetchDelivery, picturesIn } from '../../helpers/delivered.ts'
import { sound } from '../../helpers/recorded-media.ts'
import { readRecording } from '../../helpers/recording.ts'
import { until } from '../../helpers/until.ts'
import { ZoomStage } from '../../helpers/zoom.ts'

const LONG = 180_000
const BLUE = '#2040c0'
const ANN_HZ = 440
const ENOUGH_MS = 4_000

let stage: ZoomStage
beforeAll(async () => {
  stage = await ZoomStage.open({ ZOOM_WAY: 'web', ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '' }, { sendsToItself: true })
}, LONG)
afterAll(() => stage?.close())

test('records audio and video that the client decodes, and leaves mixed audio unattributed', { timeout: LONG }, async () => {
  const meeting = stage.zoom.meeting({ media: 'wasm' })
  await meeting.call.join({ name: 'Ann', host: true, voice: ANN_HZ, colour: BLUE })
  const id = await stage.send(meeting)
  const folder = path.join(stage.service.directory, 'recordings', id)
  const lastMs = () => Math.max(0, ...readRecording(folder).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
  await until('enough is on the disk', () => lastMs() > ENOUGH_MS, 60_000)
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  const isAudible = delivery.of('', 'audio').some(({ file }) => {
    const recorded = sound(file)
    const looks = Array.from({ length: Math.floor(recorded.lengthMs / 100) }, (_, at) => recorded.startMs + at * 100)
    return looks.some((at) => recorded.at(ANN_HZ, at, at + 100) > 0.1)
  })
  expect([isAudible, delivery.of('Ann', 'audio')]).toEqual([true, []])
  const pictures = picturesIn(delivery.of('Ann', 'camera'))
  expect(pictures.length).toBeGreaterThan(10)
  expect(pictures.filter(({ rgb }) => !isNear(rgb, rgbOf(BLUE), 90))).toEqual([])
})
