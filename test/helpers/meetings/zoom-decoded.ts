// A call whose Zoom client decodes media by itself, recorded by a bot.
import { expect } from 'vitest'
import type { Differences } from '../../../sims/zoom/zoom.ts'
import { wav } from '../callers/files-server.ts'
import { isAudible, picturesIn, removeAndFetch } from '../media/delivered.ts'
import { until } from '../until.ts'
import { isNear, rgbOf } from './bot-in-room.ts'
import type { ZoomStage } from './zoom.ts'

const BLUE = '#2040c0'
const ANN_HZ = 440
const SECONDS = 5

/** Ann speaks and is seen. `speaker`: the name under which the mixed audio is delivered. */
export async function recordsDecodedMedia(
  stage: ZoomStage,
  differences: Differences,
  { doneWithinMs, speaker }: { readonly doneWithinMs: number; readonly speaker: '' | 'Ann' },
): Promise<void> {
  const meeting = stage.zoom.meeting({ media: 'wasm', ...differences })
  const ann = await meeting.call.join({ name: 'Ann', host: true, colour: BLUE })
  const id = await stage.send(meeting)
  await until('the mix is recorded', () => stage.recordingOf(id).tracks.some(({ kind }) => kind === 'audio'), 60_000)
  await ann.say(wav(ANN_HZ, SECONDS))
  const delivery = await removeAndFetch(stage, id, doneWithinMs)
  expect([isAudible(delivery, speaker, ANN_HZ), speaker === 'Ann' || delivery.of('Ann', 'audio').length === 0]).toEqual([true, true])
  const pictures = picturesIn(delivery.of('Ann', 'camera'))
  expect(pictures.length).toBeGreaterThan(10)
  expect(pictures.filter(({ rgb }) => !isNear(rgb, rgbOf(BLUE), 90))).toEqual([])
}
