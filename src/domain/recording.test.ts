// Reading a manifest: whole, torn at any byte, and as tracks.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinManifests, type ManifestFact, manifestLine, parseManifest, tracksOf } from './recording.ts'

const TRACK: ManifestFact = {
  fact: 'track',
  trackId: 'a',
  participantId: null,
  kind: 'audio',
  codec: 'opus',
  sampleRate: 48_000,
  channels: 2,
}
const opened = (index: number, startMs: number) =>
  ({ trackId: 'a', index, file: `a-${index}.mkv`, startMs, codec: 'opus', width: 0, height: 0, continues: false }) as const
const extent = (endMs: number, frames: number) => ({ endMs, bytes: frames * 50, frames, keyFrames: frames })
const write = (facts: readonly ManifestFact[]) => facts.map(manifestLine).join('')

const facts: readonly ManifestFact[] = [
  { fact: 'started', wallClock: '2026-01-02T03:04:05.678Z', monotonicZeroMs: 12.5 },
  TRACK,
  { fact: 'opened', ...opened(0, 100) },
  { fact: 'segment', ...opened(0, 100), ...extent(10_100, 500) },
  { fact: 'opened', ...opened(1, 10_100) },
  { fact: 'synced', segments: [{ trackId: 'a', index: 1, ...extent(11_100, 50) }] },
  { fact: 'owner', trackId: 'a', participantId: 'Zoë 🙂', kind: 'audio' },
  { fact: 'paused', atMs: 11_500 },
  { fact: 'resumed', atMs: 12_500 },
  { fact: 'speech', trackId: 'a', participantId: null, fromMs: 200, toMs: 900 },
  { fact: 'gap', fromMs: 13_000, toMs: 14_000 },
  { fact: 'ended', atMs: 15_000, reason: 'left' },
]

test('reads the facts that were written', () => {
  expect(parseManifest(write(facts)).facts).toEqual(facts)
})

test('reads a prefix of the facts from a manifest torn at any byte', () => {
  const bytes = Buffer.from(write(facts))
  fc.assert(
    fc.property(fc.nat(bytes.length), (length) => {
      const read = parseManifest(bytes.subarray(0, length).toString('utf8')).facts
      expect(read).toEqual(facts.slice(0, read.length))
      const whole = bytes.subarray(0, length).filter((byte) => byte === 10).length
      expect(read).toHaveLength(whole)
    }),
    { numRuns: 500 },
  )
})

test('loses only the torn line of a bot that resumed', () => {
  const torn = `${write(facts.slice(0, 2))}{"fact":"seg\n${write(facts.slice(2, 4))}`
  expect(parseManifest(torn).facts).toEqual(facts.slice(0, 4))
})

test('skips lines that are not facts', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.json(), fc.string())), (lines) => {
      expect(parseManifest(`${lines.join('\n')}\n`).facts).toEqual([])
    }),
  )
  expect(parseManifest('{"fact":"constructor"}\n{"fact":"paused"}\n{"fact":"synced","segments":3}\n').facts).toEqual([])
})

test('groups facts into tracks with owner, ordered segments and length', () => {
  const [track, ...others] = tracksOf({ facts })
  expect(others).toEqual([])
  expect(track).toMatchObject({ trackId: 'a', participantId: 'Zoë 🙂', totalSeconds: 11 })
  expect(track?.segments.map(({ index, endMs, closed }) => [index, endMs, closed])).toEqual([
    [0, 10_100, true],
    [1, 11_100, false],
  ])
})

test('drops a segment without data on disk', () => {
  expect(tracksOf({ facts: [TRACK, { fact: 'opened', ...opened(0, 5) }] })[0]?.segments).toEqual([])
})

test('keeps words that two sessions transcribed once, as the earlier one did', () => {
  const said = (participantId: string, text: string, start: number, end: number): ManifestFact => ({
    fact: 'said',
    participantId,
    name: participantId,
    text,
    start,
    end,
    words: [],
  })
  const first = write([said('ada', 'Good morning, Ben.', 8, 12)])
  const second = write([said('ada', 'morning, Ben.', 9.5, 12.2), said('ben', 'Morning.', 11, 12), said('ada', 'Shall we?', 13, 14)])
  const texts = joinManifests([first, second]).facts.map((it) => it.fact === 'said' && it.text)
  expect(texts).toEqual(['Good morning, Ben.', 'Morning.', 'Shall we?'])
})

test('lets a gap begin where the session before ended, however late its end arrived', () => {
  const gap = (fromMs: number, toMs: number): ManifestFact => ({ fact: 'gap', fromMs, toMs })
  const first = write([facts[0] as ManifestFact, { fact: 'ended', atMs: 15_000, reason: 'left' }])
  const gapAfter = (...before: readonly string[]) => joinManifests([...before, write([gap(8_000, 20_000)])]).facts.at(-1)
  expect(gapAfter(first)).toEqual(gap(15_000, 20_000))
  expect(gapAfter()).toEqual(gap(8_000, 20_000))
  expect(joinManifests([first, write([gap(8_000, 14_000)])]).facts.at(-1)).toEqual(gap(14_000, 14_000))
})
