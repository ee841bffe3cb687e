// A Zoom client that decodes media by itself, without WebRTC tracks.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { isNear, rgbOf } from '../../helpers/bot-in-room.ts'
import { fetchDelivery, picturesIn } from '../../helpers/delivered.ts'
import { sound } from '../../helpers/recorded-media.ts'
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

test('records audio and video that the client decodes, and leaves mixed audio unattributed', { timeout: LONG }, async () => {
  const meeting = stage.zoom.meeting({ media: 'wasm', recording: 'allowed' })
  await meeting.call.join({ name: 'Ann', host: true, voice: ANN_HZ, colour: '#2040c0' })
  const id = await stage.send(meeting)
  await until('enough is on the disk', () => stage.lastMsOf(id) > ENOUGH_MS, 60_000)
  await stage.remove(id)
  await stage.has(id, 'Done', LONG)
  const delivery = await fetchDelivery(stage.service, id)
  onTestFinished(() => delivery.discard())
  const isAudible = delivery.of('', 'audio').some(({ file }) => {
    const found = sound(file)
    const looks = Array.from({ length: Math.floor(found.lengthMs / 100) }, (_, at) => found.startMs + at * 100)
    return looks.some((at) => found.at(ANN_HZ, at, at + 100) > 0.1)
  })
  expect([isAudible, delivery.of('Ann', 'audio')]).toEqual([true, []])
  const pictures = picturesIn(delivery.of('Ann', 'camera'))
  expect(pictures.length).toBeGreaterThan(10)
  expect(pictures.filter(({ rgb }) => !isNear(rgb, rgbOf('#2040c0'), 90))).toEqual([])
})
