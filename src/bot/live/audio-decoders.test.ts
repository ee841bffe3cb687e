import { afterEach, describe, expect, test, vi } from 'vitest'
import { joined, numbered, toneOf, tonePackets, wireFrame } from '../../../test/helpers/media/live-opus.ts'
import { until } from '../../../test/helpers/until.ts'
import type { WireFrame } from '../capture/wire.ts'
import { type AudioDecoders, createAudioDecoders } from './audio-decoders.ts'

const PACKETS = tonePackets({ toneHz: 440, seconds: 2 })
const SECOND = 48_000
let decoders: AudioDecoders | null = null

afterEach(() => {
  decoders?.end()
  vi.restoreAllMocks()
})

type Decoded = { readonly source: string; readonly pcm: Int16Array; readonly atMs: number }

function openDecoders() {
  const decoded: Decoded[] = []
  const it = createAudioDecoders({ onFrame: (source, pcm, atMs) => decoded.push({ source, pcm, atMs }) })
  decoders = it
  const pushAll = (frames: readonly WireFrame[], packetMs = 20, startMs = 1_000): void => {
    for (const [index, frame] of frames.entries()) it.push('a', frame, startMs + index * packetMs)
  }
  return { decoded, decoders: it, pushAll, sound: () => joined(decoded.map(({ pcm }) => pcm)) }
}

test.each([2.5, 5, 10, 20, 40, 60, 120])('turns packets of %d ms into consecutive frames of 20 ms', async (packetMs) => {
  const packets = tonePackets({ toneHz: 1_000, seconds: 2, packetMs })
  const { decoded, pushAll, decoders } = openDecoders()
  pushAll(numbered(packets, packetMs), packetMs)
  const whole = Math.floor((packets.length * packetMs) / 20)
  await until('all frames', () => decoded.length >= whole)
  decoders.remove('a')

  const sound = joined(decoded.map(({ pcm }) => pcm))
  expect(decoded.every(({ pcm }) => pcm.length === 960)).toBe(true)
  // The encoder adds its delay of 6.5 ms and pads the last packet.
  expect(sound.length / SECOND).toBeGreaterThanOrEqual(2)
  expect(sound.length / SECOND).toBeLessThan(2.15)
  const { hz, amplitude } = toneOf(sound.subarray(SECOND / 2, 1.5 * SECOND))
  expect(hz).toBeCloseTo(1_000, 0)
  expect(amplitude).toBeGreaterThan(0.11)
  expect(amplitude).toBeLessThan(0.14)
  decoded.forEach(({ atMs }, index) => void expect(Math.abs(atMs - 1_000 - index * 20)).toBeLessThan(2.6))
})

test('decodes stereo to one channel', async () => {
  const { decoded, pushAll, sound } = openDecoders()
  pushAll(numbered(tonePackets({ toneHz: 600, seconds: 1, channels: 2 })))
  await until('frames', () => decoded.length >= 50)
  const { hz, amplitude } = toneOf(sound().subarray(SECOND / 4, SECOND / 2))
  expect(hz).toBeCloseTo(600, 0)
  // Each of the two channels is attenuated to keep the power.
  expect(amplitude).toBeCloseTo(0.125 / Math.SQRT2, 2)
})

test('decodes each source independently', async () => {
  const { decoded, decoders } = openDecoders()
  const tones = { a: 300, b: 700, c: 1_500 }
  for (const [source, toneHz] of Object.entries(tones)) {
    numbered(tonePackets({ toneHz, seconds: 1 })).forEach((frame, index) => void decoders.push(source, frame, index * 20))
  }
  await until('all', () => decoded.length >= 150)
  for (const [source, toneHz] of Object.entries(tones)) {
    const sound = joined(decoded.filter((it) => it.source === source).map(({ pcm }) => pcm))
    expect(toneOf(sound.subarray(SECOND / 4, SECOND / 2)).hz).toBeCloseTo(toneHz, 0)
  }
})

describe('with a faulty stream', () => {
  test('discards duplicates and late packets', async () => {
    const frames = numbered(PACKETS.slice(0, 30))
    const { decoded, pushAll, decoders } = openDecoders()
    pushAll(frames)
    const [late] = frames
    for (const again of [frames[29], frames[10], late]) if (again) decoders.push('a', again, 2_000)
    await until('all', () => decoded.length >= 30)
    expect(decoded).toHaveLength(30)
    expect(decoders.counts()).toEqual({ undecodable: 0, discarded: 3 })
  })

  test('fills a loss of up to 200 ms with silence', async () => {
    const { decoded, pushAll, sound } = openDecoders()
    const frames = numbered(PACKETS.slice(0, 60))
    pushAll(frames.filter((_, index) => index < 20 || index >= 30))
    await until('all', () => decoded.length >= 60)
    expect(decoded).toHaveLength(60)
    expect(toneOf(sound().subarray(20 * 960, 30 * 960)).amplitude).toBe(0)
    expect(toneOf(sound().subarray(35 * 960, 55 * 960)).hz).toBeCloseTo(440, 0)
  })

  test('leaves a longer gap empty, and times the frames after it', async () => {
    const { decoded, decoders } = openDecoders()
    const frames = numbered(PACKETS.slice(0, 60)).filter((_, index) => index < 20 || index >= 31)
    const first = frames[0]?.rtpTimestamp ?? 0
    for (const frame of frames) decoders.push('a', frame, 1_000 + ((frame.rtpTimestamp - first) | 0) / 48)
    await until('all', () => decoded.length >= 49)
    expect(decoded).toHaveLength(49)
    expect(decoded[20]?.atMs).toBe(1_000 + 31 * 20)
  })

  test('does not fill the gaps between comfort-noise packets', async () => {
    const { decoded, decoders } = openDecoders()
    // A browser sends an empty frame every 400 ms for a silent microphone.
    for (let index = 0; index < 25; index++) {
      decoders.push('a', wireFrame(Uint8Array.of(0xf8), { sequence: index, rtpTimestamp: index * 400 * 48 }), index * 400)
    }
    await until('all', () => decoded.length >= 25)
    expect(decoded).toHaveLength(25)
    expect(decoded.at(-1)?.atMs).toBe(24 * 400)
  })

  test('counts an undecodable packet and replaces it by silence', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const { decoded, pushAll, decoders, sound } = openDecoders()
    const tooLarge = new Uint8Array(4_802)
    tooLarge.set([0xeb, 4])
    const broken = [new Uint8Array(0), Uint8Array.of(0xff, 0xff), tooLarge]
    const frames = numbered(PACKETS.slice(0, 60)).map((frame, index) => ({ ...frame, payload: broken[index - 20] ?? frame.payload }))
    pushAll(frames)
    await until('all', () => decoded.length >= 60)
    expect(decoded).toHaveLength(60)
    expect(decoders.counts()).toEqual({ undecodable: 3, discarded: 0 })
    expect(toneOf(sound().subarray(20 * 960, 23 * 960)).amplitude).toBe(0)
    expect(toneOf(sound().subarray(30 * 960, 50 * 960)).hz).toBeCloseTo(440, 0)
    expect(logged).not.toHaveBeenCalled()
  })

  test('decodes a new SSRC with new counters at once', async () => {
    const { decoded, pushAll } = openDecoders()
    pushAll(numbered(PACKETS.slice(0, 10)))
    pushAll(
      PACKETS.slice(0, 10).map((payload, index) => wireFrame(payload, { ssrc: 8, sequence: 0xfff0 + index, rtpTimestamp: index * 960 })),
      20,
      1_200,
    )
    await until('both', () => decoded.length >= 20)
    expect(decoded).toHaveLength(20)
  })

  test('discards duplicates by RTP timestamp without sequence numbers', async () => {
    const { decoded, pushAll, decoders } = openDecoders()
    const frames = numbered(PACKETS.slice(0, 10)).map((frame) => ({ ...frame, sequence: null }))
    pushAll([...frames, ...frames.slice(5, 8)])
    await until('all', () => decoded.length >= 10)
    expect(decoded).toHaveLength(10)
    expect(decoders.counts().discarded).toBe(3)
  })

  test('ignores other codecs and video', async () => {
    const { decoded, decoders } = openDecoders()
    const [payload = new Uint8Array()] = PACKETS
    decoders.push('a', wireFrame(payload, { codec: 'webm', kind: 'chunk' }), 0)
    decoders.push('a', wireFrame(payload, { codec: 'vp8', kind: 'video' }), 0)
    decoders.push('b', wireFrame(payload), 0)
    await until('sound', () => decoded.length >= 1)
    expect(decoded.map(({ source }) => source)).toEqual(['b'])
  })
})

test('pads the last frame of a removed source, and starts again when it returns', async () => {
  const { decoded, pushAll, decoders } = openDecoders()
  const packets = tonePackets({ toneHz: 440, seconds: 1, packetMs: 5 })
  pushAll(numbered(packets.slice(0, 6), 5), 5)
  await until('a frame', () => decoded.length === 1)
  decoders.remove('a')
  expect(decoded).toHaveLength(2)
  pushAll(numbered(packets.slice(0, 4), 5), 5)
  await until('one more', () => decoded.length === 3)
  expect(decoders.counts().discarded).toBe(0)
})

test('frees the decoder of a source that is silent for ten seconds, and starts again when it returns', async () => {
  const { decoded, decoders } = openDecoders()
  const [first, second] = numbered(PACKETS.slice(0, 2))
  if (!first || !second) throw new Error('no packets')
  const of = (source: string) => decoded.filter((it) => it.source === source).length
  decoders.push('a', second, 0)
  for (const atMs of [1_000, 9_900]) decoders.push('b', { ...second, sequence: atMs, rtpTimestamp: atMs * 48 }, atMs)
  await until('both are decoded', () => of('a') === 1 && of('b') === 2)
  // The source is known, so an earlier packet is late.
  decoders.push('a', first, 9_950)
  expect(decoders.counts().discarded).toBe(1)
  decoders.push('b', { ...second, sequence: 20_000, rtpTimestamp: 20_000 * 48 }, 20_000)
  decoders.push('a', first, 20_010)
  await until('both', () => of('a') === 2 && of('b') === 3)
  expect(decoders.counts()).toEqual({ undecodable: 0, discarded: 1 })
})

test('decodes nothing after the end, not even packets that wait for a decoder', async () => {
  const { decoded, pushAll, decoders } = openDecoders()
  pushAll(numbered(PACKETS.slice(0, 10)))
  decoders.end()
  pushAll(numbered(PACKETS.slice(0, 10)))
  const after = openDecoders()
  after.pushAll(numbered(PACKETS.slice(0, 10)))
  await until('a later decoder is ready', () => after.decoded.length === 10)
  expect(decoded).toEqual([])
})
