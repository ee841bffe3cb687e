import { expect, test } from 'vitest'
import type { Recording } from './data.ts'
import { breaksOf, lanesOf } from './lane-spans.ts'

const chunk = (speakerId: string | null, speakerName: string | null, start: number, end: number) => ({
  chunkIndex: 0,
  timestamp: null,
  sampleRate: 48_000,
  startByte: 0,
  endByte: 0,
  speakerId,
  speakerName,
  room: null,
  start,
  end,
})
const screen = { segment_index: 0, url: '', filename: '', start_offset: 4, duration_seconds: 3, codec: 'vp8', width: 1, height: 1 }
const RECORDING: Recording = {
  video: null,
  sounds: [],
  cameras: [],
  names: { ada: 'Ada Lovelace' },
  screens: [{ participant_id: 'ada', participant_name: 'Ada', streams: [{ stream_id: 's', segments: [screen] }] }],
  spoken: [chunk('ben', 'Ben', 0, 2), chunk('ada', 'Ada', 2, 4), chunk(null, null, 8, 9)],
  pauses: [{ start: 5, end: 6 }],
  gaps: [{ start: 7, end: 8 }],
}
const message = (deviceId: string, is_bot: boolean) => ({
  messageId: '',
  deviceId,
  timestamp: '',
  text: 'Hello',
  speakerName: deviceId,
  speakerDisplayName: '',
  sessionTimestamp: 3,
  is_bot,
})

test('gives each person one lane under the current name, with speech, screens and chat', () => {
  const lanes = lanesOf(RECORDING, [message('ben', false), message('bot', true)])
  expect(lanes.map(({ name, spans }) => [name, spans.map(({ kind, from, to }) => `${kind} ${from}-${to}`)])).toEqual([
    ['Ben', ['speech 0-2', 'chat 3-3']],
    ['Ada Lovelace', ['speech 2-4', 'screen 4-7']],
    ['Unknown', ['speech 8-9']],
  ])
})

test('draws pauses and absences through all lanes', () => {
  expect(breaksOf(RECORDING).map(({ kind, from, to }) => `${kind} ${from}-${to}`)).toEqual(['pause 5-6', 'absence 7-8'])
})
