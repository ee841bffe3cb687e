// The media that reaches the disk, checked by the manifest and its files.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { audio, clearFolders, PLAIN, play, playing, type RecordingFixture, video } from '../../../test/helpers/media/recording-fixture.ts'

afterEach(clearFolders)

const spans = ({ tracks }: RecordingFixture) =>
  tracks()
    .map(({ kind, segments }) => [kind, ...segments.map(({ startMs, endMs }) => [startMs, endMs])])
    .toSorted()

const cameraOf = ({ tracks }: RecordingFixture) => tracks().find(({ kind }) => kind === 'camera')

test('writes segments of at most ten seconds without gaps between them', async () => {
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

test('requests one key frame per segment, and continues in the next file if none arrives', async () => {
  const bed = await playing()
  play(bed, 0, 21_000)
  await bed.recording.end('left')
  expect(cameraOf(bed)?.segments.map(({ startMs, continues }) => [startMs, continues])).toEqual([
    [0, false],
    [10_000, true],
    [20_000, true],
  ])
  expect(bed.asked).toEqual(['v@8300', 'v@18300'])
})

test('requests the first key frame and writes no video before it', async () => {
  const bed = await playing()
  play(bed, 0, 3_000, [2_500])
  await bed.recording.end('left')
  expect(spans(bed)[1]).toEqual(['camera', [2_500, 3_000]])
  expect(bed.asked).toEqual(['v@300', 'v@2300'])
})

test('starts a new segment when the size or the codec changes', async () => {
  const bed = await playing()
  play(bed, 0, 1_000)
  video(bed.recording, 1_000, { key: true, width: 32, height: 24 })
  video(bed.recording, 1_100)
  video(bed.recording, 1_200, { key: true, codec: 'vp9' })
  await bed.recording.end('left')
  const shapes = cameraOf(bed)?.segments.map(({ width, codec, frames, keyFrames }) => [width, codec, frames, keyFrames])
  expect(shapes).toEqual([
    [64, 'vp8', 10, 1],
    [32, 'vp8', 2, 1],
    [64, 'vp9', 1, 1],
  ])
})

test('writes nothing during a pause, keeps the clock, and resumes at a key frame', async () => {
  const bed = await playing()
  play(bed, 0, 2_000)
  bed.recording.pause()
  bed.recording.pause()
  play(bed, 2_000, 5_000, [])
  bed.recording.resume()
  // Sent before the resume, and received after it.
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

test('keeps silence without packets as a gap', async () => {
  const bed = await playing()
  for (const at of [0, 20, 40, 3_000, 3_020]) audio(bed.recording, at)
  await bed.recording.end('left')
  expect(bed.tracks()[0]).toMatchObject({ totalSeconds: 3.04, segments: [{ frames: 5, startMs: 0, endMs: 3_040 }] })
})

test('records speech with its owner', async () => {
  const bed = await playing()
  bed.recording.setOwner('a', 'ann', 'audio')
  for (let at = 0; at < 1_000; at += 20) audio(bed.recording, at, { audioLevel: at >= 200 && at < 500 ? 20 : 80 })
  await bed.recording.end('left')
  expect(bed.facts().filter(({ fact }) => fact === 'speech')).toEqual([
    { fact: 'speech', trackId: '1-1', participantId: 'ann', fromMs: 200, toMs: 500 },
  ])
})

test('attributes earlier media to the first known owner, and starts a track for another owner', async () => {
  const bed = await playing()
  play(bed, 0, 1_000)
  bed.recording.setOwner('v', 'ann', 'camera')
  play(bed, 1_000, 2_000, [])
  bed.recording.setOwner('v', 'bob', 'screen')
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
  expect(bed.recording.setOwner('unknown', 'x', 'audio')).toBe(false)
})

test('drops video since the last key frame when its owner changes', async () => {
  const bed = await playing()
  bed.recording.setOwner('v', 'ann', 'camera')
  play(bed, 0, 2_000)
  play(bed, 2_000, 2_200)
  bed.recording.setOwner('v', 'bob', 'camera')
  play(bed, 2_200, 3_000, [2_400])
  expect(bed.recording.health().sources.v?.dropped).toBe(4)
  bed.recording.trackEnded('v')
  expect(bed.recording.health()).toMatchObject({ sources: {}, dropped: 4 })
  await bed.recording.end('left')
  const cameras = bed.tracks().filter(({ kind }) => kind === 'camera')
  expect(cameras.map(({ participantId, segments: [first] }) => [participantId, first?.startMs, first?.endMs])).toEqual([
    ['ann', 0, 2_000],
    ['bob', 2_400, 3_000],
  ])
})

test('splits audio at the pause before a change of owner', async () => {
  const bed = await playing()
  bed.recording.setOwner('a', 'ann', 'audio')
  for (const [fromMs, toMs] of [
    [0, 1_000],
    [1_220, 1_300],
  ] as const)
    for (let at = fromMs; at < toMs; at += 20) audio(bed.recording, at)
  bed.to(1_300)
  bed.recording.setOwner('a', 'bob', 'audio')
  for (let at = 1_300; at < 2_000; at += 20) audio(bed.recording, at)
  await bed.recording.end('left')
  expect(bed.tracks().map(({ participantId, segments: [first] }) => [participantId, first?.startMs, first?.endMs, first?.frames])).toEqual([
    ['ann', 0, 1_000, 50],
    ['bob', 1_220, 2_000, 39],
  ])
})

test('keeps the audio and the order of a track that becomes a lane', async () => {
  const bed = await playing()
  for (let at = 0; at < 400; at += 20) audio(bed.recording, at)
  const frame = { ...PLAIN, kind: 'audio', codec: 'opus', receivedMs: 0, payload: Uint8Array.of(0x78, 1) } as const
  const lane = { track: 'a', sequence: null, speakers: [] }
  // The lane's clock is a little behind the track's.
  for (const at of [370, 390, 410]) bed.recording.frame('a', { ...frame, rtpTimestamp: at * 48 }, at, lane)
  await bed.recording.end('left')
  const [track] = bed.tracks()
  expect(track?.segments.map(({ frames, startMs, endMs }) => [frames, startMs, endMs])).toEqual([[23, 0, 430]])
})

test('keeps containers that the page records unchanged, one segment each', async () => {
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

test('times speech after an unmute from its first packet, also on a busy machine', async () => {
  const bed = await playing()
  for (let index = 0; index < 200; index++) {
    // Muted for eight seconds, which the RTP timestamps omit. The first packets afterwards arrive in a burst.
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

test.each([
  ['20 ms', Uint8Array.of(0x78, 1, 2, 3), 20],
  ['60 ms', Uint8Array.of(0x7b, 3, 1, 2, 3), 60],
])('gives sound the same time in packets of %s, which arrive when their last sample is recorded', async (_, payload, packetMs) => {
  const bed = await playing()
  for (let atMs = 0; atMs < 24_000; atMs += packetMs) {
    bed.to(atMs + packetMs)
    const frame = { ...PLAIN, kind: 'audio', codec: 'opus', receivedMs: 0, audioLevel: 20, payload } as const
    bed.recording.frame('a', { ...frame, rtpTimestamp: atMs * 48, sequence: atMs / packetMs }, atMs + packetMs)
  }
  await bed.recording.end('left')
  const segments = bed.tracks()[0]?.segments ?? []
  expect([segments[0]?.startMs, segments.at(-1)?.endMs]).toEqual([20, 24_020])
  expect(segments.slice(1).map(({ startMs }, index) => startMs - (segments[index]?.endMs ?? 0))).toEqual([0, 0])
})

test('does not shift packets before a malformed one, which claims to last more than a second', async () => {
  const bed = await playing()
  for (let atMs = 0; atMs < 2_000; atMs += 20) {
    bed.to(atMs)
    const isLoud = atMs >= 300 && atMs < 480
    const malformed = atMs === 500 && { payload: Uint8Array.of(0x7b, 63) }
    audio(bed.recording, atMs, { sequence: atMs / 20, audioLevel: isLoud ? 20 : 70, ...malformed })
  }
  await bed.recording.end('left')
  const speech = bed.facts().filter((fact) => fact.fact === 'speech')
  expect(speech.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([[300, 480]])
})
