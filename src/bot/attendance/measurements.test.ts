import { expect, test } from 'vitest'
import type { PageHealth } from '../capture/receive/receiver.ts'
import { Measurements } from './measurements.ts'

const page = (dropped: number): PageHealth => ({ connected: true, lastHeartbeatMs: 0, frames: 0, dropped })

test('reports what was lost since the last report, and nothing when nothing was', () => {
  const measurements = new Measurements()
  expect(measurements.take({ dropped: 0, pages: [page(0)] })).toBeNull()
  expect(measurements.take({ dropped: 3, pages: [page(2), page(4)] })?.lostFrames).toEqual({ page: 6, recording: 3 })
  expect(measurements.take({ dropped: 3, pages: [page(2), page(4)] })).toBeNull()
  expect(measurements.take({ dropped: 5, pages: [page(2)] })?.lostFrames).toEqual({ page: 0, recording: 2 })
  expect(measurements.take({ dropped: 5, pages: [page(3)] })?.lostFrames).toEqual({ page: 1, recording: 0 })
})

test('reports the longest delay of live audio and each delay of words, once', () => {
  const measurements = new Measurements()
  for (const delayMs of [20, 85, 40]) measurements.onLiveAudio(delayMs)
  for (const delayMs of [900, -5]) measurements.onWords(delayMs)
  expect(measurements.take({ dropped: 0, pages: [] })).toMatchObject({ liveAudioMs: 85, liveWordsMs: [900, 0] })
  expect(measurements.take({ dropped: 0, pages: [] })).toBeNull()
})
