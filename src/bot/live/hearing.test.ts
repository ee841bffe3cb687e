// What comes out of packets: the tone that went in, at its loudness and length, whatever happens to them on the way.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { joined, numbered, toneOf, tonePackets, wireFrame } from '../../../test/helpers/live-opus.ts'
import { until } from '../../../test/helpers/until.ts'
import type { WireFrame } from '../capture/wire.ts'
import { createHearing, type Hearing } from './hearing.ts'

const PACKETS = tonePackets({ toneHz: 440, seconds: 2 })
const SECOND = 48_000
let hearing: Hearing | null = null

afterEach(() => {
  hearing?.end()
  vi.restoreAllMocks()
})

type Heard = { readonly source: string; readonly pcm: Int16Array; readonly atMs: number }

function bench() {
  const heard: Heard[] = []
  const it = createHearing({ onFrame: (source, pcm, atMs) => heard.push({ source, pcm, atMs }) })
  hearing = it
  const hearAll = (frames: readonly WireFrame[], packetMs = 20, startMs = 1_000): void => {
    for (const [index, frame] of frames.entries()) it.hear('a', frame, startMs + index * packetMs)
  }
  return { heard, hearing: it, hearAll, sound: () => joined(heard.map(({ pcm }) => pcm)) }
}

test.each([2.5, 5, 10, 20, 40, 60, 120])('packets of %d ms become frames of 20 ms that follow each other', async (packetMs) => {
  const packets = tonePackets({ toneHz: 1_000, seconds: 2, packetMs })
  const { heard, hearAll, hearing } = bench()
  hearAll(numbered(packets, packetMs), packetMs)
  const whole = Math.floor((packets.length * packetMs) / 20)
  await until('all frames', () => heard.length >= whole)
  hearing.forget('a')

  const sound = joined(heard.map(({ pcm }) => pcm))
  expect(heard.every(({ pcm }) => pcm.length === 960)).toBe(true)
  // The encoder's own delay of 6.5 ms, and the last packet filled up.
  expect(sound.length / SECOND).toBeGreaterThanOrEqual(2)
  expect(sound.length / SECOND).toBeLessThan(2.15)
  const { hz, amplitude } = toneOf(sound.subarray(SECOND / 2, 1.5 * SECOND))
  expect(hz).toBeCloseTo(1_000, 0)
  expect(amplitude).toBeGreaterThan(0.11)
  expect(amplitude).toBeLessThan(0.14)
  heard.forEach(({ atMs }, index) => void expect(Math.abs(atMs - 1_000 - index * 20)).toBeLessThan(2.6))
})

test('stereo is heard as one channel', async () => {
  const { heard, hearAll, sound } = bench()
  hearAll(numbered(tonePackets({ toneHz: 600, seconds: 1, channels: 2 })))
  await until('frames', () => heard.length >= 50)
  const { hz, amplitude } = toneOf(sound().subarray(SECOND / 4, SECOND / 2))
  expect(hz).toBeCloseTo(600, 0)
  // Each of two channels is given as much less as keeps the power.
  expect(amplitude).toBeCloseTo(0.125 / Math.SQRT2, 2)
})

test('each source has its own decoder', async () => {
  const { heard, hearing } = bench()
  const tones = { a: 300, b: 700, c: 1_500 }
  for (const [source, toneHz] of Object.entries(tones)) {
    numbered(tonePackets({ toneHz, seconds: 1 })).forEach((frame, index) => void hearing.hear(source, frame, index * 20))
  }
  await until('all', () => heard.length >= 150)
  for (const [source, toneHz] of Object.entries(tones)) {
    const sound = joined(heard.filter((it) => it.source === source).map(({ pcm }) => pcm))
    expect(toneOf(sound.subarray(SECOND / 4, SECOND / 2)).hz).toBeCloseTo(toneHz, 0)
  }
})

describe('on the way', () => {
  test('packets that come twice or too late are passed over', async () => {
    const frames = numbered(PACKETS.slice(0, 30))
    const { heard, hearAll, hearing } = bench()
    hearAll(frames)
    const [late] = frames
    for (const again of [frames[29], frames[10], late]) if (again) hearing.hear('a', again, 2_000)
    await until('all', () => heard.length >= 30)
    expect(heard).toHaveLength(30)
    expect(hearing.counts()).toEqual({ undecodable: 0, passedOver: 3 })
  })

  test('a loss of up to 200 ms is silence of the same length', async () => {
    const { heard, hearAll, sound } = bench()
    const frames = numbered(PACKETS.slice(0, 60))
    hearAll(frames.filter((_, index) => index < 20 || index >= 30))
    await until('all', () => heard.length >= 60)
    expect(heard).toHaveLength(60)
    expect(toneOf(sound().subarray(20 * 960, 30 * 960)).amplitude).toBe(0)
    expect(toneOf(sound().subarray(35 * 960, 55 * 960)).hz).toBeCloseTo(440, 0)
  })

  test('a longer gap is nobody speaking: nothing is made up, and time tells', async () => {
    const { heard, hearing } = bench()
    const frames = numbered(PACKETS.slice(0, 60)).filter((_, index) => index < 20 || index >= 31)
    const first = frames[0]?.rtpTimestamp ?? 0
    for (const frame of frames) hearing.hear('a', frame, 1_000 + ((frame.rtpTimestamp - first) | 0) / 48)
    await until('all', () => heard.length >= 49)
    expect(heard).toHaveLength(49)
    expect(heard[20]?.atMs).toBe(1_000 + 31 * 20)
  })

  test('silence that is hardly sent is not filled in for ever', async () => {
    const { heard, hearing } = bench()
    // What a browser sends of a silent microphone: an empty frame, every 400 ms.
    for (let index = 0; index < 25; index++) {
      hearing.hear('a', wireFrame(Uint8Array.of(0xf8), { sequence: index, rtpTimestamp: index * 400 * 48 }), index * 400)
    }
    await until('all', () => heard.length >= 25)
    expect(heard).toHaveLength(25)
    expect(heard.at(-1)?.atMs).toBe(24 * 400)
  })

  test('what cannot be decoded is counted and heard as silence', async () => {
    const complaints = vi.spyOn(console, 'error').mockReturnValue()
    const { heard, hearAll, hearing, sound } = bench()
    const tooLarge = new Uint8Array(4_802)
    tooLarge.set([0xeb, 4])
    const broken = [new Uint8Array(0), Uint8Array.of(0xff, 0xff), tooLarge]
    const frames = numbered(PACKETS.slice(0, 60)).map((frame, index) => ({ ...frame, payload: broken[index - 20] ?? frame.payload }))
    hearAll(frames)
    await until('all', () => heard.length >= 60)
    expect(heard).toHaveLength(60)
    expect(hearing.counts()).toEqual({ undecodable: 3, passedOver: 0 })
    expect(toneOf(sound().subarray(20 * 960, 23 * 960)).amplitude).toBe(0)
    expect(toneOf(sound().subarray(30 * 960, 50 * 960)).hz).toBeCloseTo(440, 0)
    expect(complaints).not.toHaveBeenCalled()
  })

  test('a sender that counts anew is listened to at once', async () => {
    const { heard, hearAll } = bench()
    hearAll(numbered(PACKETS.slice(0, 10)))
    hearAll(
      PACKETS.slice(0, 10).map((payload, index) => wireFrame(payload, { ssrc: 8, sequence: 0xfff0 + index, rtpTimestamp: index * 960 })),
      20,
      1_200,
    )
    await until('both', () => heard.length >= 20)
    expect(heard).toHaveLength(20)
  })

  test('packets without a number are ordered by their time', async () => {
    const { heard, hearAll, hearing } = bench()
    const frames = numbered(PACKETS.slice(0, 10)).map((frame) => ({ ...frame, sequence: null }))
    hearAll([...frames, ...frames.slice(5, 8)])
    await until('all', () => heard.length >= 10)
    expect(heard).toHaveLength(10)
    expect(hearing.counts().passedOver).toBe(3)
  })

  test('other codecs and pictures are not listened to', async () => {
    const { heard, hearing } = bench()
    const [payload = new Uint8Array()] = PACKETS
    hearing.hear('a', wireFrame(payload, { codec: 'webm', kind: 'chunk' }), 0)
    hearing.hear('a', wireFrame(payload, { codec: 'vp8', kind: 'video' }), 0)
    hearing.hear('b', wireFrame(payload), 0)
    await until('sound', () => heard.length >= 1)
    expect(heard.map(({ source }) => source)).toEqual(['b'])
  })
})

test('a source that is forgotten gives the rest of its last frame, and begins anew when it comes back', async () => {
  const { heard, hearAll, hearing } = bench()
  const packets = tonePackets({ toneHz: 440, seconds: 1, packetMs: 5 })
  hearAll(numbered(packets.slice(0, 6), 5), 5)
  await until('a frame', () => heard.length === 1)
  hearing.forget('a')
  expect(heard).toHaveLength(2)
  hearAll(numbered(packets.slice(0, 4), 5), 5)
  await until('one more', () => heard.length === 3)
  expect(hearing.counts().passedOver).toBe(0)
})

test('a source that is silent for ten seconds gives its decoder back, and begins anew when it comes back', async () => {
  const { heard, hearing } = bench()
  const [first, second] = numbered(PACKETS.slice(0, 2))
  if (!first || !second) throw new Error('no packets')
  const of = (source: string) => heard.filter((it) => it.source === source).length
  hearing.hear('a', second, 0)
  for (const atMs of [1_000, 9_900]) hearing.hear('b', { ...second, sequence: atMs, rtpTimestamp: atMs * 48 }, atMs)
  await until('both are decoded', () => of('a') === 1 && of('b') === 2)
  // Still known, so what was sent before is late.
  hearing.hear('a', first, 9_950)
  expect(hearing.counts().passedOver).toBe(1)
  hearing.hear('b', { ...second, sequence: 20_000, rtpTimestamp: 20_000 * 48 }, 20_000)
  hearing.hear('a', first, 20_010)
  await until('both', () => of('a') === 2 && of('b') === 3)
  expect(hearing.counts()).toEqual({ undecodable: 0, passedOver: 1 })
})

test('nothing is heard after the end, also not what was waiting for a decoder', async () => {
  const { heard, hearAll, hearing } = bench()
  hearAll(numbered(PACKETS.slice(0, 10)))
  hearing.end()
  hearAll(numbered(PACKETS.slice(0, 10)))
  const after = bench()
  after.hearAll(numbered(PACKETS.slice(0, 10)))
  await until('a later hearing is ready', () => after.heard.length === 10)
  expect(heard).toEqual([])
})
