import { expect, test } from 'vitest'
import { Downsampler } from './downsampler.ts'

const tone = (hertz: number, samples: number) =>
  Int16Array.from({ length: samples }, (_, at) => Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / 48_000)))

/** In frames of 20 ms, as they come. */
function lowered(sound: Int16Array): number[] {
  const downsampler = new Downsampler()
  const frames = Array.from({ length: sound.length / 960 }, (_, index) => downsampler.push(sound.subarray(index * 960, (index + 1) * 960)))
  return frames.flatMap((frame) => [...frame])
}

const loudest = (sound: readonly number[]) => Math.max(...sound.slice(100).map(Math.abs))

test('a third of the samples, and a voice sounds as it did', () => {
  const sound = lowered(tone(1_000, 9_600))
  expect(sound).toHaveLength(3_200)
  expect(Math.abs(loudest(sound) - 10_000)).toBeLessThan(300)
  const crossings = sound.filter((sample, at) => sample >= 0 && (sound[at - 1] ?? 0) < 0).length
  expect(Math.abs(crossings - 200)).toBeLessThan(2)
})

test('there is no seam between frames', () => {
  const sound = lowered(tone(300, 9_600)).slice(100)
  const steps = sound.slice(1).map((sample, at) => Math.abs(sample - (sound[at] ?? 0)))
  expect(Math.max(...steps)).toBeLessThan(10_000 * 2 * Math.PI * (300 / 16_000) * 1.1)
})

test('what is too high to be told does not come back as something else', () => {
  expect(loudest(lowered(tone(12_000, 9_600)))).toBeLessThan(100)
})
