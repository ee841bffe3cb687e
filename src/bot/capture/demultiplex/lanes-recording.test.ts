// Lanes that write into a recording.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ADA, BEN, sender } from '../../../../test/helpers/media/lane-sender.ts'
import { clearFolders, openRecordingFixture, sourceInfo } from '../../../../test/helpers/media/recording-fixture.ts'
import { infoOfCsrc, type SourceInfo } from '../source/source-info.ts'
import { NO_LEVEL } from '../wire.ts'
import { Lanes } from './lanes.ts'

afterEach(clearFolders)

/** Lanes that write into a real recording, whose clock the test moves. */
async function recorded(more: Partial<SourceInfo> = {}) {
  const bed = await openRecordingFixture()
  const { recording } = bed
  const lanes = new Lanes(recording)
  for (const number of [1, 2, 3]) lanes.track(`p/${number}`, { ...sourceInfo('audio'), number, id: `t${number}`, ...more })
  return { ...bed, lanes }
}

test('writes one track per participant, from the first packet on, and another track for another owner', async () => {
  const { recording, lanes, tracks, facts, to } = await recorded()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2, rtp: 77 })]
  first.speak(ADA, 1_000, 2_000)
  to(2_000)
  recording.setOwner('csrc:101', 'ada', 'audio')
  second.speak(BEN, 1_500, 2_000)
  first.speak(BEN, 2_000, 3_000)
  second.speak(ADA, 2_000, 3_000)
  recording.setOwner('csrc:102', 'ben', 'audio')
  to(3_500)
  // The CSRC passes to another participant, who is unknown at first.
  recording.setOwner('csrc:101', null, 'audio')
  first.speak(ADA, 3_500, 4_500)
  recording.setOwner('csrc:101', 'cy', 'audio')
  to(5_000)
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

/** Another participant speaks under Ada's CSRC before the driver reports a change. `reports` are the changes that it reports then. */
async function reassigned(reports: (own: Bed['recording']['setOwner']) => void, lagMs = 0): Promise<readonly (readonly unknown[])[]> {
  const { recording, lanes, tracks, to } = await recorded()
  const { speak } = sender(lanes, 'p/1')
  recording.track('csrc:101', infoOfCsrc(sourceInfo('audio'), ADA))
  recording.setOwner('csrc:101', 'ada', 'audio')
  speak(ADA, 1_000, 2_000)
  to(2_100)
  await recording.sync()
  speak(ADA, 2_600, 3_100)
  to(3_130 + lagMs)
  reports((...it) => recording.setOwner(...it))
  speak(ADA, 3_100, 4_000)
  to(4_030)
  await recording.end('left')
  return tracks().map(({ participantId, segments }) => [participantId, segments[0]?.startMs, segments.at(-1)?.endMs])
}

test.each([
  ['the owner left and another joined', [null, 'ben'], 0, 'ben'],
  ['another owner joined', ['ben'], 0, 'ben'],
  ['the owner left', [null], 0, null],
  ['another owner joined, while packets are on their way', [null, 'ben'], 300, 'ben'],
] as const)('attributes audio that precedes its CSRC mapping to the new owner: %s', async (_, reported, lagMs, owner) => {
  const tracks = await reassigned((own) => {
    for (const participantId of reported) own('csrc:101', participantId, 'audio')
  }, lagMs)
  expect(tracks).toEqual([
    ['ada', 1_030, 2_030],
    [owner, 2_630, 4_030],
  ])
})

test('keeps an owner who is reported as gone only for a moment', async () => {
  const tracks = await reassigned((own) => {
    for (const participantId of [null, 'ada']) own('csrc:101', participantId, 'audio')
  })
  expect(tracks).toEqual([['ada', 1_030, 4_030]])
})

test.each([3_060, 3_200])('attributes the last packets of an owner who left at %d ms to them, not to the next owner', async (leftMs) => {
  const { recording, lanes, tracks, to } = await recorded()
  const { speak } = sender(lanes, 'p/1')
  recording.track('csrc:101', infoOfCsrc(sourceInfo('audio'), ADA))
  recording.setOwner('csrc:101', 'ada', 'audio')
  speak(ADA, 1_000, 2_000)
  speak(ADA, 2_800, 3_020)
  to(leftMs)
  recording.setOwner('csrc:101', null, 'audio')
  to(5_000)
  await recording.sync()
  speak(ADA, 5_000, 6_000)
  recording.setOwner('csrc:101', 'ben', 'audio')
  to(6_030)
  await recording.end('left')
  expect(tracks().map(({ participantId, segments }) => [participantId, segments[0]?.startMs, segments.at(-1)?.endMs])).toEqual([
    ['ada', 1_030, 3_050],
    ['ben', 5_030, 6_030],
  ])
})

test('frees the files and the memory of thousands of short speakers', async () => {
  const { recording, lanes, tracks, folder, to } = await recorded()
  const senders = [1, 2, 3].map((number) => sender(lanes, `p/${number}`, { ssrc: number }))
  const filesBefore = readdirSync('/proc/self/fd').length
  let [mostSources, mostFiles] = [0, 0]
  // Two hours, each with forty other participants, who speak briefly one after another in all three lanes.
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

test('keeps the sound of a packet with several CSRCs in the mix, and counts it as speech of each, without audio levels', async () => {
  const { recording, lanes, tracks, facts, to } = await recorded({ isMix: true })
  const { frameAt } = sender(lanes, 'p/1')
  const speak = (mixes: readonly number[], fromMs: number, toMs: number): void => {
    const speakers = mixes.length === 1 ? { csrc: mixes[0] ?? 0, mixes: [] } : { mixes }
    for (let at = fromMs; at < toMs; at += 20) lanes.frame('p/1', frameAt(at, 0, { ...speakers, audioLevel: NO_LEVEL }), at + 30)
  }
  speak([ADA], 1_000, 2_000)
  speak([ADA, BEN], 2_000, 2_600)
  to(2_700)
  recording.setOwner('csrc:101', 'ada', 'audio')
  recording.setOwner('csrc:102', 'ben', 'audio')
  to(4_000)
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
