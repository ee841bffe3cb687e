import { expect, test } from 'vitest'
import { Downsampler } from './downsampler.ts'

const tone = (hertz: number, samples: number) =>
  Int16Array.from({ length: samples }, (_, at) => Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / 48_000)))

/** Converts in frames of 20 ms. */
function downsampled(sound: Int16Array): number[] {
  const downsampler = new Downsampler()
  const frames = Array.from({ length: sound.length / 960 }, (_, index) => downsampler.push(sound.subarray(index * 960, (index + 1) * 960)))
  return frames.flatMap((frame) => [...frame])
}

const loudest = (sound: readonly number[]) => Math.max(...sound.slice(100).map(Math.abs))

test('returns a third of the samples with the same pitch and loudness', () => {
  const sound = downsampled(tone(1_000, 9_600))
  expect(sound).toHaveLength(3_200)
  expect(Math.abs(loudest(sound) - 10_000)).toBeLessThan(300)
  const crossings = sound.filter((sample, at) => sample >= 0 && (sound[at - 1] ?? 0) < 0).length
  expect(Math.abs(crossings - 200)).toBeLessThan(2)
})

test('leaves no discontinuity between frames', () => {
  const sound = downsampled(tone(300, 9_600)).slice(100)
  const steps = sound.slice(1).map((sample, at) => Math.abs(sample - (sound[at] ?? 0)))
  expect(Math.max(...steps)).toBeLessThan(10_000 * 2 * Math.PI * (300 / 16_000) * 1.1)
})

test('suppresses frequencies that would alias', () => {
  expect(loudest(downsampled(tone(12_000, 9_600)))).toBeLessThan(100)
})
