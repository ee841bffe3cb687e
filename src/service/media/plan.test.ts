// Plans of manifests: lengths, participants, runs, active speakers and layouts.
import { expect, test } from 'vitest'
import type { ManifestFact } from '../../domain/recording.ts'
import { speakerTimeline } from './audio/speaker-timeline.ts'
import { type Person, planMedia } from './plan.ts'
import type { Span } from './span.ts'
import { activeSpeakers } from './video/active-speaker.ts'
import { scenesOf } from './video/layout.ts'
import { piecesOf } from './video/pieces.ts'
import { gridOf, PICTURE } from './video/tiles.ts'

const STARTED: ManifestFact = { fact: 'started', wallClock: '2026-01-02T03:04:05.000Z', monotonicZeroMs: 0 }
const ended = (atMs: number): ManifestFact => ({ fact: 'ended', atMs, reason: 'left' })
const span = (fromMs: number, toMs: number): Span => ({ fromMs, toMs })

type Made = { readonly id: string; readonly owner: string | null; readonly kind: 'audio' | 'camera' | 'screen'; readonly size?: number }

/** A track with a closed segment for every pair of times. */
function track({ id, owner, kind, size = 64 }: Made, ...spans: readonly (readonly [number, number])[]): readonly ManifestFact[] {
  const codec = kind === 'audio' ? 'opus' : 'vp8'
  const segments = spans.map(([startMs, endMs], index): ManifestFact => {
    const shape = { trackId: id, index, file: `${id}-${index}.mkv`, codec, width: size, height: size, continues: false } as const
    return { fact: 'segment', ...shape, startMs, endMs, bytes: 100, frames: 10, keyFrames: 1 }
  })
  return [{ fact: 'track', trackId: id, participantId: owner, kind, codec }, ...segments]
}

const speech = (owner: string | null, fromMs: number, toMs: number, trackId = `${owner}-a`): ManifestFact => ({
  fact: 'speech',
  trackId,
  participantId: owner,
  fromMs,
  toMs,
})
const voice = (owner: string, fromMs: number, toMs: number) => track({ id: `${owner}-a`, owner, kind: 'audio' }, [fromMs, toMs])
const camera = (owner: string, ...spans: (readonly [number, number])[]) => track({ id: `${owner}-v`, owner, kind: 'camera' }, ...spans)
const plan = (facts: readonly ManifestFact[], people: readonly Person[] = []) => planMedia({ facts: [STARTED, ...facts] }, people)
const printed = (scenes: ReturnType<typeof scenesOf>) =>
  scenes.map(
    ({ fromMs, toMs, dark, tiles }) =>
      `${fromMs}-${toMs} ${dark ? 'dark' : tiles.map((it) => `${it.participantId}:${it.shows}`).join(' ')}`,
  )

test('plans a recording as long as its last fact, also when the bot ended several times or was killed', () => {
  expect(plan([ended(5_000), { fact: 'gap', fromMs: 5_000, toMs: 8_000 }, ended(12_345)]).totalMs).toBe(12_345)
  expect(plan(voice('ann', 0, 7_777)).totalMs).toBe(7_777)
  expect(plan([]).totalMs).toBe(40)
  expect(plan([ended(1)]).startedAt).toBe(Date.parse('2026-01-02T03:04:05Z'))
})

test('extends an open pause to the end and merges a repeated pause', () => {
  const pauses = (...facts: readonly ManifestFact[]) => plan([...facts, ended(9_000)]).pauses
  const [paused, resumed] = [(atMs: number) => ({ fact: 'paused', atMs }) as const, (atMs: number) => ({ fact: 'resumed', atMs }) as const]
  expect(pauses(paused(1_000), resumed(2_000), paused(5_000))).toEqual([span(1_000, 2_000), span(5_000, 9_000)])
  expect(pauses(paused(1_000), paused(1_500), resumed(2_000), resumed(3_000))).toEqual([span(1_000, 2_000)])
})

test('lists participants in the order they appeared, with times from the roster and the tracks', () => {
  const facts = [...voice('bob', 3_000, 9_000), ...voice('ann', 1_000, 8_000), ...camera('ann', [2_000, 4_000]), ended(10_000)]
  const people = [
    { id: 'cy', name: 'Cy', present: [span(0, 20_000)] },
    { id: 'bob', name: 'Bob', present: [span(2_500, 9_500)] },
    { id: 'dot', name: 'Dot' },
  ]
  const { participants } = plan(facts, people)
  expect(participants.map(({ id, name, present, visible }) => ({ id, name, present, visible }))).toEqual([
    { id: 'cy', name: 'Cy', present: [span(0, 10_000)], visible: [] },
    { id: 'ann', name: '', present: [span(1_000, 8_000)], visible: [span(2_000, 4_000)] },
    { id: 'bob', name: 'Bob', present: [span(2_500, 9_500)], visible: [] },
  ])
})

test('lists a participant who joins five times once, with five stays', () => {
  const stays = [0, 1, 2, 3, 4].map((time) => [time * 10_000, time * 10_000 + 4_000] as const)
  const facts = stays.flatMap((stay, index) => track({ id: `${index}`, owner: 'ann', kind: 'audio' }, stay))
  const { participants } = plan([...facts, ended(50_000)])
  expect(participants.map(({ present }) => present)).toEqual([stays.map(([from, to]) => span(from, to))])
})

test('treats a track without an owner as an unnamed participant', () => {
  const { participants } = plan([...track({ id: '1-1', owner: null, kind: 'audio' }, [0, 1_000]), ...voice('ann', 500, 1_000)])
  expect(participants.map(({ id, runs }) => [id, runs.audio.length])).toEqual([
    ['unnamed:1-1', 1],
    ['ann', 1],
  ])
})

test('splits runs at size changes and long holes, with a longer limit for screens than for cameras', () => {
  const sized = [...track({ id: 'v', owner: 'ann', kind: 'camera' }, [0, 10_000], [10_000, 20_000], [24_000, 30_000])]
  const other = sized.map((fact, index) => (fact.fact === 'segment' && index === 2 ? { ...fact, width: 32 } : fact))
  const runs = (facts: readonly ManifestFact[], kind: 'camera' | 'screen') =>
    plan(facts).participants[0]?.runs[kind].map(({ startMs, endMs, segments }) => [startMs, endMs, segments.length])
  expect(runs(sized, 'camera')).toEqual([
    [0, 20_000, 2],
    [24_000, 30_000, 1],
  ])
  expect(runs(other, 'camera')).toHaveLength(3)
  expect(runs(track({ id: 's', owner: 'ann', kind: 'screen' }, [0, 10_000], [24_000, 30_000]), 'screen')).toEqual([[0, 30_000, 2]])
})

const turn = (id: string, owner: string, ...spans: readonly (readonly [number, number])[]) =>
  track({ id, owner, kind: 'audio' }, ...spans).map((fact) => (fact.fact === 'track' ? { ...fact, inTurns: true as const } : fact))

test('joins audio that comes in turns into one run, except after five minutes of silence or where turns overlap', () => {
  const runs = (...facts: readonly (readonly ManifestFact[])[]) =>
    plan(facts.flat()).participants[0]?.runs.audio.map(({ startMs, endMs, segments }) => [startMs, endMs, segments.length])
  const visits = Array.from({ length: 200 }, (_, index) => turn(`${index}`, 'ann', [index * 90_000, index * 90_000 + 3_000]))
  expect(runs(...visits)).toEqual([[0, 199 * 90_000 + 3_000, 200]])
  // Two lanes alternate, and their clocks differ a little.
  expect(runs(turn('a', 'ann', [0, 3_000], [6_000, 9_000]), turn('b', 'ann', [2_990, 6_010]), turn('c', 'ann', [9_000, 9_500]))).toEqual([
    [0, 9_500, 4],
  ])
  expect(runs(turn('a', 'ann', [0, 3_000]), turn('b', 'ann', [303_001, 304_000]))).toHaveLength(2)
  expect(runs(turn('a', 'ann', [0, 3_000]), turn('b', 'ann', [2_000, 5_000]), turn('c', 'ann', [3_000, 4_000]))).toEqual([
    [0, 4_000, 2],
    [2_000, 5_000, 1],
  ])
  // A participant who sends continuously and stops for this long has left.
  expect(runs(voice('ann', 0, 3_000), track({ id: 'x', owner: 'ann', kind: 'audio' }, [6_000, 9_000]))).toHaveLength(2)
})

test('drops an unnamed lane without speech if the manifest has speech', () => {
  const lane = track({ id: '1-1', owner: null, kind: 'audio' }, [0, 9_000])
  const ids = (...facts: readonly ManifestFact[]) => plan([...lane, ...voice('ann', 0, 9_000), ...facts]).participants.map(({ id }) => id)
  expect(ids(speech('ann', 1_000, 2_000))).toEqual(['ann'])
  expect(ids(speech('ann', 1_000, 2_000), speech(null, 3_000, 4_000, '1-1'))).toEqual(['unnamed:1-1', 'ann'])
  // Without any speech facts, an unused lane cannot be recognised.
  expect(ids()).toEqual(['unnamed:1-1', 'ann'])
})

test('follows the active speaker, holds through silence and ignores interjections', () => {
  const changes = (...facts: readonly ManifestFact[]) =>
    activeSpeakers(plan([...voice('ann', 0, 60_000), ...voice('bob', 0, 60_000), ...facts]).participants).map(
      ({ fromMs, id }) => `${id}@${fromMs}`,
    )
  expect(changes(speech('ann', 1_000, 5_000), speech('bob', 8_000, 9_000), speech('ann', 12_000, 13_000))).toEqual([
    'ann@1000',
    'bob@8000',
    'ann@12000',
  ])
  expect(changes(speech('ann', 1_000, 5_000), speech('bob', 5_200, 5_600), speech('ann', 6_000, 7_000))).toEqual(['ann@1000'])
  expect(changes(speech('ann', 1_000, 5_000), speech('bob', 2_000, 9_000))).toEqual(['ann@1000', 'bob@5000'])
  // An active speaker is shown for at least a second and a half.
  expect(changes(speech('ann', 1_000, 1_700), speech('bob', 1_800, 9_000))).toEqual(['ann@1000', 'bob@2500'])
})

test('changes the grid with joins, leaves and cameras, and is dark exactly during pauses and gaps', () => {
  const facts = [
    ...camera('ann', [0, 9_000]),
    ...voice('bob', 2_100, 6_000),
    { fact: 'paused', atMs: 3_333 } as const,
    { fact: 'resumed', atMs: 4_444 } as const,
    { fact: 'gap', fromMs: 8_000, toMs: 9_001 } as const,
    ended(9_500),
  ]
  expect(printed(scenesOf(plan(facts), 'grid_view'))).toEqual([
    '0-2500 ann:camera',
    '2500-3333 ann:camera bob:card',
    '3333-4444 dark',
    '4444-6000 ann:camera bob:card',
    '6000-8000 ann:camera',
    '8000-9001 dark',
    '9001-9500 ',
  ])
})

test('shows a shared screen large, with all participants beside it or only the speaker in the speaker view', () => {
  const facts = [
    ...camera('ann', [0, 9_000]),
    ...camera('bob', [0, 9_000]),
    ...track({ id: 's', owner: 'bob', kind: 'screen' }, [3_000, 6_000]),
  ]
  const both = [...facts, speech('ann', 1_000, 2_000), speech('bob', 4_000, 5_000), ended(9_000)]
  expect(printed(scenesOf(plan(both), 'grid_view'))).toEqual([
    '0-3000 ann:camera bob:camera',
    '3000-6000 bob:screen ann:camera bob:camera',
    '6000-9000 ann:camera bob:camera',
  ])
  expect(printed(scenesOf(plan(both), 'speaker_view'))).toEqual([
    '0-3000 ann:camera',
    '3000-4000 bob:screen ann:camera',
    '4000-6000 bob:screen bob:camera',
    '6000-9000 bob:camera',
  ])
})

test('shows the recent speakers of more than 25 participants and keeps the other tiles in place', () => {
  const ids = Array.from({ length: 30 }, (_, index) => `p${String(index).padStart(2, '0')}`)
  const facts = [
    ...ids.flatMap((id, index) => voice(id, index, 60_000)),
    speech('p28', 10_000, 12_000),
    speech('p27', 20_000, 22_000),
    ended(60_000),
  ]
  const [first, second, third] = scenesOf(plan(facts), 'grid_view').map(({ tiles }) => tiles.map(({ participantId }) => participantId))
  expect(first).toEqual(ids.slice(0, 25))
  expect(second).toEqual([...ids.slice(0, 24), 'p28'])
  expect(third).toEqual([...ids.slice(0, 23), 'p27', 'p28'])
})

test.each([1, 2, 3, 4, 5, 9, 10, 16, 25])('places %i tiles inside the picture without overlap', (count) => {
  const boxes = gridOf(count)
  expect(boxes).toHaveLength(count)
  for (const [index, a] of boxes.entries()) {
    expect([a.x, a.y, a.width, a.height].every((value) => value >= 0 && value % 2 === 0)).toBe(true)
    expect(a.x + a.width <= PICTURE.width && a.y + a.height <= PICTURE.height).toBe(true)
    for (const b of boxes.slice(index + 1)) {
      expect(a.x + a.width < b.x || b.x + b.width < a.x || a.y + a.height < b.y || b.y + b.height < a.y).toBe(true)
    }
  }
})

test('splits the session into contiguous pieces of at most a minute that add up to its length', () => {
  const facts = [
    ...camera('ann', [0, 200_030]),
    ...voice('bob', 777, 33_333),
    { fact: 'gap', fromMs: 50_001, toMs: 50_009 } as const,
    ended(200_030),
  ]
  const pieces = piecesOf(plan(facts), 'grid_view')
  let next = 0
  for (const { fps, firstFrame, frames } of pieces) {
    expect(firstFrame).toBe(next)
    expect(frames > 0 && frames <= 60 * fps).toBe(true)
    next += frames
  }
  expect(next).toBe(Math.round((200_030 * (pieces[0]?.fps ?? 0)) / 1000))
})

test('lists speech in the speaker timeline, also without a known speaker', () => {
  const facts = [
    STARTED,
    ...voice('ann', 0, 9_000),
    ...track({ id: 'm', owner: null, kind: 'audio' }, [0, 9_000]),
    speech('ann', 1_000, 6_000),
  ]
  const more = [speech('ann', 6_000, 7_000), speech(null, 3_000, 4_000, 'm'), ended(10_000)]
  const manifest = { facts: [...facts, ...more] }
  const timeline = speakerTimeline(manifest, planMedia(manifest, [{ id: 'ann', name: 'Ann' }]))
  expect(timeline.chunks).toEqual([
    { ...chunk(0, 1_000, 7_000), speakerId: 'ann', speakerName: 'Ann', room: null },
    { ...chunk(1, 3_000, 4_000), speakerId: null, speakerName: null, room: null },
  ])
  expect(timeline).toMatchObject({ rooms: [], totalFileSize: 960_000, lastUpdated: '2026-01-02T03:04:15.000Z' })
})

function chunk(chunkIndex: number, fromMs: number, toMs: number) {
  const timestamp = new Date(Date.parse('2026-01-02T03:04:05Z') + fromMs).toISOString()
  return { chunkIndex, timestamp, sampleRate: 48_000, startByte: fromMs * 96, endByte: toMs * 96, start: fromMs / 1000, end: toMs / 1000 }
}
