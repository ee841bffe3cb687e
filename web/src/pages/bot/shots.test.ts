import { expect, test } from 'vitest'
import type { Recording } from './data.ts'
import { shotsOf, viewsOf } from './shots.ts'

const stream = (id: string, start_offset: number, duration_seconds: number) => {
  const segment = { segment_index: 0, url: `/${id}`, filename: '', start_offset, duration_seconds, codec: 'vp8', width: 1, height: 1 }
  return { participant_id: id, participant_name: id, streams: [{ stream_id: id, segments: [segment] }] }
}
const said = (speakerId: string, start: number) => ({
  chunkIndex: 0,
  timestamp: null,
  sampleRate: 48_000,
  startByte: 0,
  endByte: 0,
  speakerName: speakerId,
  speakerId,
  room: null,
  start,
  end: start + 1,
})
const RECORDING: Recording = {
  video: null,
  sounds: [],
  names: {},
  pauses: [],
  gaps: [],
  cameras: [stream('ada', 0, 10), stream('ben', 2, 10)],
  screens: [stream('cy', 6, 2)],
  spoken: [said('ada', 1), said('ben', 4), said('dan', 9)],
}
const NOTHING: Recording = { ...RECORDING, cameras: [], screens: [] }
const shown = (view: 'grid' | 'speaker', time: number) => shotsOf(view, RECORDING, time).map(({ id }) => id)

test('shows every camera and screen of the moment in the grid', () => {
  expect([0, 3, 7, 11, 20].map((time) => shown('grid', time))).toEqual([['ada'], ['ada', 'ben'], ['cy', 'ada', 'ben'], ['ben'], []])
})

test('shows a shared screen, the last speaker or any open camera in the speaker view', () => {
  expect([0, 3, 5, 7, 9.5, 20].map((time) => shown('speaker', time))).toEqual([['ada'], ['ada'], ['ben'], ['cy'], ['ada'], []])
})

test('offers the other layout when separate videos were recorded', () => {
  const bot = (video_layout?: string) => ({ RequestPayload: { recording_config: { video_layout } } })
  expect(viewsOf(bot(), RECORDING)).toEqual(['recorded', 'speaker'])
  expect(viewsOf(bot('speaker_view'), RECORDING)).toEqual(['recorded', 'grid'])
  expect(viewsOf({ RequestPayload: {} }, NOTHING)).toEqual(['recorded'])
})
