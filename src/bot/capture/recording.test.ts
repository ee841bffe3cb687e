// What reaches the disk, judged by the manifest and the files it names.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { audio, type Bench, clearFolders, PLAIN, play, playing, video } from '../../../test/helpers/recording-bench.ts'

afterEach(clearFolders)

const spans = ({ tracks }: Bench) => tracks().map(({ kind, segments }) => [kind, ...segments.map(({ startMs, endMs }) => [startMs, endMs])])

test('segments are at most ten seconds and follow each other without a gap', async () => {
  const bed = await playing()
  play(bed, 0, 25_000, [0, 8_400, 17_000])
  await bed.recording.end('left')
  expect(spans(bed)).toEqual([
    ['audio', [0, 10_000], [10_000, 20_000], [20_000, 25_000]],
    ['camera', [0, 8_400], [8_400, 17_000], [17_000, 25_000]],
  ])
  for (const segment of bed.tracks().flatMap(({ segments }) => segments)) {
    expect(statSync(path.join(bed.folder, segment.file)).size).toBe(segment.bytes)
    expect(segment.closed).toBe(true)
  }
  expect(bed.facts().at(-1)).toEqual({ fact: 'ended', atMs: 25_000, reason: 'left' })
})

test('a key frame is asked for once a ripe segment, and a segment whose key frame never comes goes on in the next file', async () => {
  const bed = await playing()
  play(bed, 0, 21_000)
  await bed.recording.end('left')
  expect(bed.tracks()[1]?.segments.map(({ startMs, continues }) => [startMs, continues])).toEqual([
    [0, false],
    [10_000, true],
    [20_000, true],
  ])
  expect(bed.asked).toEqual(['v@8300', 'v@18300'])
})

test('nothing is written before the first key frame, which is asked for', async () => {
  const bed = await playing()
  play(bed, 0, 3_000, [2_500])
  await bed.recording.end('left')
  expect(spans(bed)[1]).toEqual(['camera', [2_500, 3_000]])
  expect(bed.asked).toEqual(['v@300', 'v@2300'])
})

test('another size and another codec are another segment', async () => {
  const bed = await playing()
  play(bed, 0, 1_000)
  video(bed.recording, 1_000, { key: true, width: 32, height: 24 })
  video(bed.recording, 1_100)
  video(bed.recording, 1_200, { key: true, codec: 'vp9' })
  await bed.recording.end('left')
  const shapes = bed.tracks()[1]?.segments.map(({ width, codec, frames, keyFrames }) => [width, codec, frames, keyFrames])
  expect(shapes).toEqual([
    [64, 'vp8', 10, 1],
    [32, 'vp8', 2, 1],
    [64, 'vp9', 1, 1],
  ])
})

test('a pause writes nothing, keeps the clock, and starts again at a key frame', async () => {
  const bed = await playing()
  play(bed, 0, 2_000)
  bed.recording.pause()
  bed.recording.pause()
  play(bed, 2_000, 5_000, [])
  bed.recording.resume()
  // Sent before the resume, came after it.
  audio(bed.recording, 4_990)
  play(bed, 5_000, 7_000, [5_300])
  await bed.recording.end('left')
  expect(spans(bed)).toEqual([
    ['audio', [0, 2_000], [5_000, 7_000]],
    ['camera', [0, 2_000], [5_300, 7_000]],
  ])
  expect(bed.facts().filter(({ fact }) => fact === 'paused' || fact === 'resumed')).toEqual([
    { fact: 'paused', atMs: 2_000 },
    { fact: 'resumed', atMs: 5_000 },
  ])
  expect(bed.asked).toEqual(['v@5000'])
})

test('silence without packets stays a gap', async () => {
  const bed = await playing()
  for (const at of [0, 20, 40, 3_000, 3_020]) audio(bed.recording, at)
  await bed.recording.end('left')
  expect(bed.tracks()[0]).toMatchObject({ totalSeconds: 3.04, segments: [{ frames: 5, startMs: 0, endMs: 3_040 }] })
})

test('speech is told with its owner', async () => {
  const bed = await playing()
  bed.recording.own('a', 'ann', 'audio')
  for (let at = 0; at < 1_000; at += 20) audio(bed.recording, at, { audioLevel: at >= 200 && at < 500 ? 20 : 80 })
  await bed.recording.end('left')
  expect(bed.facts().filter(({ fact }) => fact === 'speech')).toEqual([
    { fact: 'speech', trackId: '1-1', participantId: 'ann', fromMs: 200, toMs: 500 },
  ])
})

test('media from before the owner was known is the owner’s; another owner is another track', async () => {
  const bed = await playing()
  play(bed, 0, 1_000)
  bed.recording.own('v', 'ann', 'camera')
  play(bed, 1_000, 2_000, [])
  bed.recording.own('v', 'bob', 'screen')
  play(bed, 2_000, 3_000)
  await bed.recording.end('left')
  expect(
    bed
      .tracks()
      .filter(({ kind }) => kind !== 'audio')
      .map(({ participantId, kind, totalSeconds }) => [participantId, kind, totalSeconds]),
  ).toEqual([
    ['ann', 'camera', expect.closeTo(2, 1)],
    ['bob', 'screen', expect.closeTo(1, 1)],
  ])
  expect(bed.recording.own('nobody', 'x', 'audio')).toBe(false)
})

test('pictures that came just before the meeting said whose they are now are nobody’s, back to their key frame', async () => {
  const bed = await playing()
  bed.recording.own('v', 'ann', 'camera')
  play(bed, 0, 2_000)
  play(bed, 2_000, 2_200)
  bed.recording.own('v', 'bob', 'camera')
  play(bed, 2_200, 3_000, [2_400])
  expect(bed.recording.health().sources.v?.dropped).toBe(4)
  await bed.recording.end('left')
  const cameras = bed.tracks().filter(({ kind }) => kind === 'camera')
  expect(cameras.map(({ participantId, segments: [first] }) => [participantId, first?.startMs, first?.endMs])).toEqual([
    ['ann', 0, 2_000],
    ['bob', 2_400, 3_000],
  ])
})

test('audio of a track that changes its owner is split at the pause before the change', async () => {
  const bed = await playing()
  bed.recording.own('a', 'ann', 'audio')
  for (const [fromMs, toMs] of [
    [0, 1_000],
    [1_220, 1_300],
  ] as const)
    for (let at = fromMs; at < toMs; at += 20) audio(bed.recording, at)
  bed.to(1_300)
  bed.recording.own('a', 'bob', 'audio')
  for (let at = 1_300; at < 2_000; at += 20) audio(bed.recording, at)
  await bed.recording.end('left')
  expect(bed.tracks().map(({ participantId, segments: [first] }) => [participantId, first?.startMs, first?.endMs, first?.frames])).toEqual([
    ['ann', 0, 1_000, 50],
    ['bob', 1_220, 2_000, 39],
  ])
})

test('a track that turns out to be a lane keeps what came before, and its packets stay in order', async () => {
  const bed = await playing()
  for (let at = 0; at < 400; at += 20) audio(bed.recording, at)
  const frame = { ...PLAIN, kind: 'audio', codec: 'opus', rtpTimestamp: 0, receivedMs: 0, payload: Uint8Array.of(0x78, 1) } as const
  // The clock of the lane is a little behind that of the track.
  for (const at of [370, 390, 410]) bed.recording.timed('a', frame, at)
  await bed.recording.end('left')
  const [track] = bed.tracks()
  expect(track?.segments.map(({ frames, startMs, endMs }) => [frames, startMs, endMs])).toEqual([[23, 0, 430]])
})

test('containers written by the page are kept as they are, one segment each', async () => {
  const bed = await playing()
  const chunk = { ...PLAIN, kind: 'chunk', codec: 'webm', rtpTimestamp: 0, receivedMs: 0 } as const
  const send = (atMs: number, first: boolean, ...bytes: number[]) =>
    bed.recording.frame('v', { ...chunk, key: first, first, payload: Uint8Array.from(bytes) }, atMs)
  send(100, true, 1, 2)
  send(1_100, false, 3)
  send(2_100, true, 4)
  send(3_100, false, 5)
  await bed.recording.end('left')
  const [track] = bed.tracks()
  expect(track?.segments.map(({ file, startMs, endMs }) => [[...readFileSync(path.join(bed.folder, file))], startMs, endMs])).toEqual([
    [[1, 2, 3], 100, 1_100],
    [[4, 5], 2_100, 3_100],
  ])
})

test('whoever is unmuted on a busy machine is heard when they speak, from their first sound on', async () => {
  const bed = await playing()
  for (let index = 0; index < 200; index++) {
    // Muted for eight seconds, of which their count tells nothing; the first packets afterwards come in a heap.
    const sentMs = index * 20 + (index < 100 ? 0 : 8_000)
    const arrivedMs = index < 100 ? sentMs : Math.max(sentMs, 10_120)
    bed.to(arrivedMs)
    const frame = { ...PLAIN, kind: 'audio', codec: 'opus', receivedMs: 0, payload: Uint8Array.of(0x78, 1, 2, 3) } as const
    bed.recording.frame('a', { ...frame, audioLevel: 20, rtpTimestamp: index * 960 }, arrivedMs)
  }
  bed.to(12_000)
  await bed.recording.end('left')
  const speech = bed.facts().filter((fact) => fact.fact === 'speech')
  expect(speech.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [0, 2_000],
    [10_000, 12_000],
  ])
})
