// A voice that goes through several lanes, decoded live: no noise, no gap and no delay where it changes lanes.
import { afterEach, expect, test } from 'vitest'
import { joined, toneOf, tonePackets, wireFrame } from '../../../test/helpers/live-opus.ts'
import { note } from '../../../test/helpers/recording-bench.ts'
import { until } from '../../../test/helpers/until.ts'
import { Lanes } from '../capture/lanes.ts'
import { createHearing, type Hearing } from './hearing.ts'

const [ADA, BEN] = [101, 102]
const FRAME = 960
let hearing: Hearing | null = null
afterEach(() => hearing?.end())

type Heard = { readonly source: string; readonly pcm: Int16Array; readonly atMs: number }

/** Two lanes, each with numbers and times of its own, into real ears. */
function bench() {
  const heard: Heard[] = []
  const it = createHearing({ onFrame: (source, pcm, atMs) => heard.push({ source, pcm, atMs }) })
  hearing = it
  const nothing = (): void => undefined
  const lanes = new Lanes({
    ...{ noteOf: () => note('audio'), track: nothing, frame: nothing, timed: nothing },
    live: (...packet) => it.hear(...packet),
    trackEnded: (source) => it.forget(source),
  })
  const sequences = [0xfff0, 77]
  const send = (lane: 0 | 1, csrc: number, atMs: number, payload: Uint8Array): void => {
    const sequence = (sequences[lane] ?? 0) & 0xffff
    sequences[lane] = sequence + 1
    lanes.take(`p/${lane}`, wireFrame(payload, { csrc, ssrc: lane, sequence, rtpTimestamp: (lane * 9_999 + atMs * 48) >>> 0 }), atMs + 30)
  }
  const skip = (lane: 0 | 1, packets: number): void => {
    sequences[lane] = (sequences[lane] ?? 0) + packets
  }
  const of = (csrc: number) => heard.filter(({ source }) => source === `csrc:${csrc}`)
  return { of, send, skip, hearing: it }
}

test('somebody who changes lanes in the middle of a word sounds as if they had not', async () => {
  const { of, send, hearing } = bench()
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
  expect(hearing.counts()).toEqual({ undecodable: 0, passedOver: 0 })
})

test('whoever comes back to a lane is heard at once, however many packets of others went through it', async () => {
  const { of, send, skip, hearing } = bench()
  const packets = tonePackets({ toneHz: 440, seconds: 1 })
  packets.slice(0, 50).forEach((payload, index) => void send(0, ADA, index * 20, payload))
  await until('the first second', () => of(ADA).length >= 50)
  // Nearly once around: the numbers seem to go back by a few.
  skip(0, 0x1_0000 - 60)
  packets.slice(0, 50).forEach((payload, index) => void send(0, ADA, 1_310_520 + index * 20, payload))
  await until('the second one', () => of(ADA).length >= 100)
  expect(of(ADA)[50]?.atMs).toBe(1_310_550)
  expect(hearing.counts()).toEqual({ undecodable: 0, passedOver: 0 })
})

test('what others say in the lane is no loss of the one who spoke before', async () => {
  const { of, send } = bench()
  const [ada, ben] = [tonePackets({ toneHz: 300, seconds: 1 }), tonePackets({ toneHz: 1_500, seconds: 1 })]
  for (let index = 0; index < 40; index++) {
    const csrc = index >= 10 && index < 30 ? BEN : ADA
    send(0, csrc, index * 20, (csrc === BEN ? ben : ada)[index] ?? new Uint8Array())
  }
  await until('everybody', () => of(ADA).length >= 20 && of(BEN).length >= 20)
  expect(of(ADA).map(({ atMs }) => Math.round(atMs))).toEqual([...Array(10).keys(), ...Array.from({ length: 10 }, (_, at) => 30 + at)].map((at) => 30 + at * 20)) // biome-ignore format: one line
  expect(of(BEN)).toHaveLength(20)
})
