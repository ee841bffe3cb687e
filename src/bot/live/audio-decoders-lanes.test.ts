import { afterEach, expect, test } from 'vitest'
import { joined, toneOf, tonePackets, wireFrame } from '../../../test/helpers/media/live-opus.ts'
import { sourceInfo } from '../../../test/helpers/media/recording-fixture.ts'
import { until } from '../../../test/helpers/until.ts'
import { Lanes } from '../capture/demultiplex/lanes.ts'
import { type AudioDecoders, createAudioDecoders } from './audio-decoders.ts'

const [ADA, BEN] = [101, 102]
const FRAME = 960
let decoders: AudioDecoders | null = null
afterEach(() => decoders?.end())

type Decoded = { readonly source: string; readonly pcm: Int16Array; readonly atMs: number }

/** Two lanes, each with its own counters, into real decoders. */
function openDecoders() {
  const decoded: Decoded[] = []
  const it = createAudioDecoders({ onFrame: (source, pcm, atMs) => decoded.push({ source, pcm, atMs }) })
  decoders = it
  const lanes = new Lanes({
    track: () => undefined,
    frame: (source, frame, arrivedMs) => it.push(source, frame, arrivedMs),
    trackEnded: (source) => it.remove(source),
  })
  for (const lane of [0, 1]) lanes.track(`p/${lane}`, sourceInfo('audio'))
  const sequences = [0xfff0, 77]
  const send = (lane: 0 | 1, csrc: number, atMs: number, payload: Uint8Array): void => {
    const sequence = (sequences[lane] ?? 0) & 0xffff
    sequences[lane] = sequence + 1
    lanes.frame(`p/${lane}`, wireFrame(payload, { csrc, ssrc: lane, sequence, rtpTimestamp: (lane * 9_999 + atMs * 48) >>> 0 }), atMs + 30)
  }
  const skip = (lane: 0 | 1, packets: number): void => {
    sequences[lane] = (sequences[lane] ?? 0) + packets
  }
  const of = (csrc: number) => decoded.filter(({ source }) => source === `csrc:${csrc}`)
  return { of, send, skip, decoders: it }
}

test('decodes a speaker who changes lanes without noise, gap or delay', async () => {
  const { of, send, decoders } = openDecoders()
  const [low, high] = [tonePackets({ toneHz: 300, seconds: 2 }), tonePackets({ toneHz: 1_500, seconds: 2 })]
  for (let index = 0; index < 100; index++) {
    const lane = index < 30 || index >= 60 ? 0 : 1
    send(lane, ADA, index * 20, low[index] ?? new Uint8Array())
    send(lane === 0 ? 1 : 0, BEN, index * 20, high[index] ?? new Uint8Array())
  }
  await until('both voices', () => of(ADA).length >= 100 && of(BEN).length >= 100)
  for (const [csrc, toneHz] of [
    [ADA, 300],
    [BEN, 1_500],
  ] as const) {
    // biome-ignore format: one line
    const frames = of(csrc)
    expect(frames.map(({ atMs }) => Math.round(atMs))).toEqual(frames.map((_, index) => 30 + index * 20))
    for (const at of [28, 58]) {
      const { hz, amplitude } = toneOf(joined(frames.map(({ pcm }) => pcm)).subarray(at * FRAME, (at + 6) * FRAME))
      expect(hz).toBeCloseTo(toneHz, -1)
      expect(amplitude).toBeGreaterThan(0.11)
      expect(amplitude).toBeLessThan(0.14)
    }
  }
  expect(decoders.counts()).toEqual({ undecodable: 0, discarded: 0 })
})

test('decodes a speaker who returns to a lane at once, after any number of packets of others', async () => {
  const { of, send, skip, decoders } = openDecoders()
  const packets = tonePackets({ toneHz: 440, seconds: 1 })
  packets.slice(0, 50).forEach((payload, index) => void send(0, ADA, index * 20, payload))
  await until('the first second', () => of(ADA).length >= 50)
  // Nearly a full wrap: the sequence numbers seem to go back by a few.
  skip(0, 0x1_0000 - 60)
  packets.slice(0, 50).forEach((payload, index) => void send(0, ADA, 1_310_520 + index * 20, payload))
  await until('the second one', () => of(ADA).length >= 100)
  expect(of(ADA)[50]?.atMs).toBe(1_310_550)
  expect(decoders.counts()).toEqual({ undecodable: 0, discarded: 0 })
})

test('does not count packets of other speakers in the lane as lost', async () => {
  const { of, send } = openDecoders()
  const [ada, ben] = [tonePackets({ toneHz: 300, seconds: 1 }), tonePackets({ toneHz: 1_500, seconds: 1 })]
  for (let index = 0; index < 40; index++) {
    const csrc = index >= 10 && index < 30 ? BEN : ADA
    send(0, csrc, index * 20, (csrc === BEN ? ben : ada)[index] ?? new Uint8Array())
  }
  await until('both speakers', () => of(ADA).length >= 20 && of(BEN).length >= 20)
  expect(of(ADA).map(({ atMs }) => Math.round(atMs))).toEqual([...Array(10).keys(), ...Array.from({ length: 10 }, (_, at) => 30 + at)].map((at) => 30 + at * 20)) // biome-ignore format: one line
  expect(of(BEN)).toHaveLength(20)
})
