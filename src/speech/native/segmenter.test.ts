import { expect, test } from 'vitest'
import { type SpeechSegment, secondsOf } from './engine.ts'
import { Segmenter } from './segmenter.ts'
import { WINDOW_SAMPLES, WINDOW_SECONDS } from './voice-activity.ts'

const count = (seconds: number): number => Math.round(seconds / WINDOW_SECONDS)

/** `[seconds, probability, loudness]`: every sample of a window has the value `loudness`. */
type Part = readonly [number, number, number?]

function cut(parts: readonly Part[], start = 0): { readonly segmenter: Segmenter; readonly stretches: SpeechSegment[] } {
  const segmenter = new Segmenter(start)
  const stretches: SpeechSegment[] = []
  for (const [seconds, probability, loudness = probability] of parts)
    for (let window = 0; window < count(seconds); window++) {
      const stretch = segmenter.push(new Float32Array(WINDOW_SAMPLES).fill(loudness), probability)
      if (stretch) stretches.push(stretch)
    }
  return { segmenter, stretches }
}

/** Within a window and a half, because all times are multiples of a window. */
function expectSpans(found: readonly SpeechSegment[], expected: readonly (readonly [number, number])[]): void {
  expect(found).toHaveLength(expected.length)
  for (const [at, [start, end]] of expected.entries()) {
    const stretch = found[at]
    if (!stretch) continue
    expect(Math.abs(stretch.start - start)).toBeLessThan(WINDOW_SECONDS * 1.5)
    expect(Math.abs(stretch.start + secondsOf(stretch) - end)).toBeLessThan(WINDOW_SECONDS * 1.5)
  }
}

test('ends a segment after half a second of silence and keeps a quarter of a second before and after', () => {
  const { stretches } = cut(
    [
      [2, 0],
      [1, 1],
      [0.45, 0],
      [1, 1],
      [1, 0],
      [1, 1],
      [1, 0],
    ],
    10,
  )
  expectSpans(stretches, [
    [11.75, 14.7],
    [15.2, 16.7],
  ])
})

test('returns the segment in advance at a pause', () => {
  const segmenter = new Segmenter(0)
  const say = (seconds: number, probability: number) =>
    Array.from({ length: count(seconds) }, () => {
      const ended = segmenter.push(new Float32Array(WINDOW_SAMPLES).fill(probability), probability)
      return { ended, foretold: segmenter.pausing() }
    })
  const first = [...say(1, 1), ...say(0.3, 0)]
  expect(first.filter(({ foretold }) => foretold)).toHaveLength(1)
  expect(segmenter.isPausing).toBe(true)
  const again = say(0.5, 1)
  expect([segmenter.isPausing, again.every(({ foretold }) => foretold === null)]).toEqual([false, true])
  const last = say(1, 0)
  const ended = last.flatMap((it) => it.ended ?? [])
  const foretold = last.flatMap((it) => it.foretold ?? [])
  expect(foretold).toHaveLength(1)
  expect(foretold).toEqual(ended)
})

test('returns the unfinished segment once on flush', () => {
  const { segmenter, stretches } = cut([
    [1, 0],
    [2, 1],
  ])
  expect(stretches).toEqual([])
  const last = segmenter.flush()
  expectSpans(last ? [last] : [], [[0.75, 3]])
  expect(segmenter.flush()).toBeNull()
})

test('ignores a click and keeps a fading voice', () => {
  const { segmenter, stretches } = cut([
    [1, 0],
    [0.1, 1],
    [1, 0],
    [0.5, 0.4],
    [1, 0],
  ])
  expect([...stretches, segmenter.flush()]).toEqual([null])
  expectSpans(
    cut([
      [1, 0],
      [0.5, 1],
      [3, 0.4],
      [1, 0],
    ]).stretches,
    [[0.75, 4.75]],
  )
})

test('cuts speech without a pause within twelve seconds at the quietest point and loses nothing', () => {
  const { segmenter, stretches } = cut([
    [1, 0],
    [9, 1],
    [0.16, 1, 0.2],
    [20, 1],
  ])
  const last = segmenter.flush()
  const all = [...stretches, ...(last ? [last] : [])]
  expectSpans(all.slice(0, 1), [[0.75, 10.03]])
  expect(all.every((it) => secondsOf(it) <= 12.01)).toBe(true)
  for (const [at, it] of all.slice(1).entries()) expect(it.start).toBeCloseTo((all[at]?.start ?? 0) + secondsOf(all[at] ?? it))
  expect(all.reduce((sum, it) => sum + secondsOf(it), 0)).toBeCloseTo(29.4, 0)
})

test('returns the growing segment from one second on and only during speech', () => {
  expect(cut([[5, 0]]).segmenter.unfinished()).toBeNull()
  expect(
    cut([
      [5, 0],
      [0.5, 1],
    ]).segmenter.unfinished(),
  ).toBeNull()
  const open = cut([
    [5, 0],
    [2, 1],
  ]).segmenter.unfinished()
  expectSpans(open ? [open] : [], [[4.75, 7]])
})
