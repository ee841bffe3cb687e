// Where samples are placed for packets whose times are rounded, drift, jump or are missing.
import { expect, test } from 'vitest'
import { tonePackets } from '../../../../test/helpers/media/live-opus.ts'
import { SAMPLES_PER_MS, TrackDecoder } from './track-decoder.ts'

const PACKETS = tonePackets({ toneHz: 440, seconds: 20 })

type Placed = { readonly at: number; readonly length: number }

async function place(packets: readonly { readonly atMs: number; readonly data: Uint8Array }[]): Promise<readonly Placed[]> {
  const placed: Placed[] = []
  const voice = new TrackDecoder((at, samples) => placed.push({ at, length: samples.length }))
  await voice.decode(packets.map((packet) => ({ ...packet, key: true })))
  voice.end()
  return placed
}

const timed = (atMs: (index: number) => number) => PACKETS.map((data, index) => ({ data, atMs: Math.round(atMs(index)) }))
const seams = (placed: readonly Placed[]) =>
  placed.slice(1).filter(({ at }, index) => at !== (placed[index]?.at ?? 0) + (placed[index]?.length ?? 0))

test('places packets with rounded times without a seam', async () => {
  const placed = await place(timed((index) => 100.5 + index * 20))
  expect(seams(placed)).toEqual([])
  expect(placed.every(({ length }) => length === 960)).toBe(true)
})

test.each([1.001, 0.999])('follows a sender clock of %f times the speed without a seam', async (speed) => {
  const placed = await place(timed((index) => index * 20 * speed))
  const last = placed.at(-1)
  const wanted = (PACKETS.length - 1) * 20 * speed * SAMPLES_PER_MS
  expect(seams(placed)).toEqual([])
  expect(Math.abs((last?.at ?? 0) - wanted)).toBeLessThan(3 * SAMPLES_PER_MS)
})

test.each([20, 60])('removes a difference of 15 ms within five seconds, in packets of %d ms', async (packetMs) => {
  const packets = tonePackets({ toneHz: 440, seconds: 10, packetMs })
  const placed = await place(packets.map((data, index) => ({ data, atMs: index * packetMs + (index * packetMs < 2_000 ? 0 : 15) })))
  expect(seams(placed)).toEqual([])
  const corrected = placed.filter((_, index) => index * packetMs >= 7_000)
  const differences = corrected.map(({ at }, index) => at - ((placed.length - corrected.length + index) * packetMs + 15) * SAMPLES_PER_MS)
  expect(Math.max(...differences.map(Math.abs))).toBeLessThan(3 * SAMPLES_PER_MS)
})

test('places audio after a hole at its session time', async () => {
  const placed = await place(timed((index) => index * 20).filter(({ atMs }) => atMs < 1_000 || atMs >= 5_000))
  expect(seams(placed)).toHaveLength(1)
  expect(seams(placed)[0]?.at).toBe(5_000 * SAMPLES_PER_MS)
})

test('treats undecodable packets as missing', async () => {
  const broken = timed((index) => index * 20).map((packet, index) =>
    index % 10 === 5 ? { ...packet, data: new Uint8Array(5_000) } : packet,
  )
  const placed = await place([...broken, { atMs: 30_000, data: new Uint8Array(0) }])
  expect(placed).toHaveLength(Math.ceil(PACKETS.length * 0.9))
})
