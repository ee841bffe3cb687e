// The breakout rooms of a recording in its speaker timeline.
import { expect, test } from 'vitest'
import type { ManifestFact } from '../../domain/recording.ts'
import { speakerTimeline } from './audio/speaker-timeline.ts'
import { planMedia } from './plan.ts'

test('names the breakout room of speech, until the bot returns, loses its session or ends', () => {
  const room = (name: string, atMs: number): ManifestFact => ({ fact: 'room', name, atMs })
  const spoken = [1_000, 2_500, 4_500, 5_500, 6_500, 8_500, 9_500].map(
    (fromMs): ManifestFact => ({ fact: 'speech', trackId: 'a', participantId: 'ann', fromMs, toMs: fromMs + 100 }),
  )
  const facts: ManifestFact[] = [
    ...[room('Red', 2_000), room('Blue', 4_000), room('', 5_000), room('Red', 6_000)],
    { fact: 'gap', fromMs: 7_000, toMs: 8_000 },
    ...[room('Green', 9_000), ...spoken],
    { fact: 'ended', atMs: 10_000, reason: 'left' },
  ]
  const { chunks, rooms } = speakerTimeline({ facts }, planMedia({ facts }))
  expect(chunks.map((it) => it.room)).toEqual([null, 'Red', 'Blue', null, 'Red', null, 'Green'])
  expect(rooms.map(({ name, start, end }) => `${name} ${start}-${end}`)).toEqual(['Red 2-4', 'Blue 4-5', 'Red 6-7', 'Green 9-10'])
})

test('names the room in which most of a speech was, on the way in and back', () => {
  const room = (name: string, atMs: number): ManifestFact => ({ fact: 'room', name, atMs })
  const speech = (fromMs: number, toMs: number): ManifestFact => ({ fact: 'speech', trackId: 'a', participantId: 'ann', fromMs, toMs })
  const facts: ManifestFact[] = [
    ...[speech(1_500, 4_000), room('Red', 2_000), speech(4_700, 5_100), speech(5_800, 9_000), room('', 6_000)],
    { fact: 'ended', atMs: 10_000, reason: 'left' },
  ]
  const { chunks } = speakerTimeline({ facts }, planMedia({ facts }))
  expect(chunks.map((it) => it.room)).toEqual(['Red', 'Red', null])
})
