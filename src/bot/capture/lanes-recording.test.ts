// What comes of lanes in a recording: a track a person, and nothing that grows with the meeting.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ADA, BEN, sender } from '../../../test/helpers/lane-sender.ts'
import { bench, clearFolders, note } from '../../../test/helpers/recording-bench.ts'
import { Lanes } from './lanes.ts'
import { noteOfCsrc, type SourceNote } from './source-note.ts'
import { NO_LEVEL } from './wire.ts'

afterEach(clearFolders)

/** Lanes into a real recording whose clock is moved by hand. */
async function recorded(more: Partial<SourceNote> = {}) {
  const bed = await bench()
  const { recording } = bed
  const notes = new Map<string, SourceNote>(
    [1, 2, 3].map((number) => [`p/${number}`, { ...note('audio'), number, id: `t${number}`, ...more }]),
  )
  for (const [lane, it] of notes) recording.track(lane, it)
  const lanes = new Lanes({
    noteOf: (lane) => notes.get(lane),
    track: (source, it) => recording.track(source, it),
    frame: (source, frame, atMs) => recording.frame(source, frame, atMs),
    timed: (source, frame, atMs) => recording.timed(source, frame, atMs),
    live: () => undefined,
    trackEnded: (source) => recording.trackEnded(source),
  })
  return { ...bed, lanes }
}

test('the recording has one track a person; an owner learned late is theirs from the start, another owner is another track', async () => {
  const { recording, lanes, tracks, facts, to } = await recorded()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2, rtp: 77 })]
  first.speak(ADA, 1_000, 2_000)
  to(2_000)
  recording.own('csrc:101', 'ada', 'audio')
  second.speak(BEN, 1_500, 2_000)
  first.speak(BEN, 2_000, 3_000)
  second.speak(ADA, 2_000, 3_000)
  recording.own('csrc:102', 'ben', 'audio')
  to(3_500)
  // The number passes to somebody else, who is not known at first.
  recording.own('csrc:101', null, 'audio')
  first.speak(ADA, 3_500, 4_500)
  recording.own('csrc:101', 'cy', 'audio')
  to(5_000)
  lanes.pause()
  await recording.end('left')
  expect(
    tracks().map(({ participantId, inTurns, segments }) => [participantId, inTurns, segments[0]?.startMs, segments.at(-1)?.endMs]),
  ).toEqual([
    ['ada', true, 1_030, 3_030],
    ['ben', true, 1_530, 3_030],
    ['cy', true, 3_530, 4_530],
  ])
  const speech = facts().filter((fact) => fact.fact === 'speech')
  expect(speech.map(({ participantId, trackId, fromMs, toMs }) => [participantId, trackId, fromMs, toMs])).toEqual([
    ['ada', '1-1', 1_030, 3_030],
    ['cy', '1-3', 3_530, 4_530],
    ['ben', '1-2', 1_530, 3_030],
  ])
})

type Bed = Awaited<ReturnType<typeof recorded>>

/** Ada has spoken under a number, and somebody else speaks under it before anybody is told; `notes` are what is told then. */
async function handedOn(notes: (own: Bed['recording']['own']) => void, underWayMs = 0): Promise<readonly (readonly unknown[])[]> {
  const { recording, lanes, tracks, to } = await recorded()
  const { speak } = sender(lanes, 'p/1')
  recording.track('csrc:101', noteOfCsrc(note('audio'), ADA))
  recording.own('csrc:101', 'ada', 'audio')
  speak(ADA, 1_000, 2_000)
  to(2_100)
  await recording.sync()
  speak(ADA, 2_600, 3_100)
  to(3_130 + underWayMs)
  notes((...it) => recording.own(...it))
  speak(ADA, 3_100, 4_000)
  to(4_030)
  lanes.pause()
  await recording.end('left')
  return tracks().map(({ participantId, segments }) => [participantId, segments[0]?.startMs, segments.at(-1)?.endMs])
}

test.each([
  ['one who is gone, and one who came', [null, 'ben'], 0, 'ben'],
  ['one who came', ['ben'], 0, 'ben'],
  ['one who is gone', [null], 0, null],
  ['one who came, whose last packets are still under way', [null, 'ben'], 300, 'ben'],
] as const)('a number is heard before it is told whose it is now: %s', async (_, told, underWayMs, whose) => {
  const tracks = await handedOn((own) => {
    for (const participantId of told) own('csrc:101', participantId, 'audio')
  }, underWayMs)
  expect(tracks).toEqual([
    ['ada', 1_030, 2_030],
    [whose, 2_630, 4_030],
  ])
})

test('whoever is said to be gone for a moment is who they were', async () => {
  const tracks = await handedOn((own) => {
    for (const participantId of [null, 'ada']) own('csrc:101', participantId, 'audio')
  })
  expect(tracks).toEqual([['ada', 1_030, 4_030]])
})

test.each([3_060, 3_200])('the last word of one who leaves is theirs, and not of who gets the number; told at %d', async (toldMs) => {
  const { recording, lanes, tracks, to } = await recorded()
  const { speak } = sender(lanes, 'p/1')
  recording.track('csrc:101', noteOfCsrc(note('audio'), ADA))
  recording.own('csrc:101', 'ada', 'audio')
  speak(ADA, 1_000, 2_000)
  speak(ADA, 2_800, 3_020)
  to(toldMs)
  recording.own('csrc:101', null, 'audio')
  to(5_000)
  await recording.sync()
  speak(ADA, 5_000, 6_000)
  recording.own('csrc:101', 'ben', 'audio')
  to(6_030)
  lanes.pause()
  await recording.end('left')
  expect(tracks().map(({ participantId, segments }) => [participantId, segments[0]?.startMs, segments.at(-1)?.endMs])).toEqual([
    ['ada', 1_030, 3_050],
    ['ben', 5_030, 6_030],
  ])
})

test('thousands of visits keep no file and no memory', async () => {
  const { recording, lanes, tracks, folder, to } = await recorded()
  const senders = [1, 2, 3].map((number) => sender(lanes, `p/${number}`, { ssrc: number }))
  const filesBefore = readdirSync('/proc/self/fd').length
  let [mostSources, mostFiles] = [0, 0]
  // Two hours, each with forty other people, who speak for a moment one after another in all three lanes.
  for (let second = 0; second < 7_200; second += 10) {
    to(second * 1_000)
    const hour = Math.floor(second / 3_600)
    for (const [index, { speak }] of senders.entries())
      speak(101 + ((second / 10 + index) % 40) + 40 * hour, second * 1_000, second * 1_000 + 60)
    lanes.tick(recording.nowMs())
    await recording.sync()
    mostSources = Math.max(mostSources, Object.keys(recording.health().sources).length)
    mostFiles = Math.max(mostFiles, readdirSync('/proc/self/fd').length - filesBefore)
  }
  expect(mostSources).toBeLessThan(3 + 80)
  expect(mostFiles).toBeLessThan(20)
  to(7_600_000)
  lanes.tick(recording.nowMs())
  expect(Object.keys(recording.health().sources)).toEqual(['p/1', 'p/2', 'p/3'])
  await recording.end('left')
  const segments = tracks().flatMap((track) => track.segments)
  expect(segments.reduce((sum, { frames }) => sum + frames, 0)).toBe(720 * 3 * 3)
  expect(segments.every(({ file, bytes }) => readFileSync(path.join(folder, file)).length === bytes)).toBe(true)
}, 60_000)

test('of a mixed packet the sound stays in the mix and the speech is that of everybody it names, without any level', async () => {
  const { recording, lanes, tracks, facts, to } = await recorded({ isMix: true })
  const { frameAt } = sender(lanes, 'p/1')
  const speak = (mixes: readonly number[], fromMs: number, toMs: number): void => {
    const whose = mixes.length === 1 ? { csrc: mixes[0] ?? 0, mixes: [] } : { mixes }
    for (let at = fromMs; at < toMs; at += 20) lanes.take('p/1', frameAt(at, 0, { ...whose, audioLevel: NO_LEVEL }), at + 30)
  }
  speak([ADA], 1_000, 2_000)
  speak([ADA, BEN], 2_000, 2_600)
  to(2_700)
  recording.own('csrc:101', 'ada', 'audio')
  recording.own('csrc:102', 'ben', 'audio')
  to(4_000)
  lanes.pause()
  await recording.end('left')
  const sounds = tracks().map(({ participantId, mix, segments }) => [participantId, mix, segments[0]?.startMs, segments.at(-1)?.endMs])
  expect(sounds.toSorted()).toEqual([
    [null, true, 2_030, 2_630],
    ['ada', undefined, 1_030, 2_030],
    ['ben', undefined, undefined, undefined],
  ])
  const speech = facts().filter((fact) => fact.fact === 'speech')
  expect(speech.map(({ participantId, fromMs, toMs }) => [participantId, fromMs, toMs]).toSorted()).toEqual([
    ['ada', 1_030, 2_630],
    ['ben', 2_030, 2_630],
  ])
})
