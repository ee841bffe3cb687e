import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignTokens } from './alignment.ts'

/** Attention on the frames from `first` to `last`, with a little on all others. */
function resting(first: number, last: number, frames: number): Float32Array {
  return Float32Array.from({ length: frames }, (_, frame) => (frame >= first && frame <= last ? 1 : 0.05))
}

test('aligns a token with the frames of its attention', () => {
  const spans = [
    [0, 9],
    [10, 14],
    [15, 39],
    [40, 59],
  ] as const
  const found = alignTokens(
    spans.map(([first, last]) => resting(first, last, 60)),
    60,
  )
  for (const [at, [first, last]] of spans.entries()) {
    expect(Math.abs((found[at]?.first ?? 99) - first)).toBeLessThanOrEqual(1)
    expect(Math.abs((found[at]?.last ?? 99) - last)).toBeLessThanOrEqual(1)
  }
})

test('ignores a short peak of attention elsewhere', () => {
  const rows = [resting(0, 19, 60), resting(20, 39, 60), resting(40, 59, 60)]
  const first = rows[0]
  if (first) first[50] = 3
  expect(alignTokens(rows, 60)[0]?.last).toBeLessThan(22)
})

test('aligns tokens in ascending order and assigns every frame', () => {
  const rows = fc.integer({ min: 1, max: 60 }).chain((frames) =>
    fc.record({
      frames: fc.constant(frames),
      rows: fc.array(fc.float32Array({ minLength: frames, maxLength: frames, min: 0, max: 1, noNaN: true }), {
        minLength: 1,
        maxLength: 40,
      }),
    }),
  )
  fc.assert(
    fc.property(rows, ({ frames, rows }) => {
      const spans = alignTokens(rows, frames)
      expect(spans).toHaveLength(rows.length)
      expect(spans[0]?.first).toBe(0)
      expect(spans.at(-1)?.last).toBe(frames - 1)
      for (const [at, { first, last }] of spans.entries()) {
        expect(last).toBeGreaterThanOrEqual(first)
        const next = spans[at + 1]
        if (next) expect([last, last + 1]).toContain(next.first)
      }
    }),
    { numRuns: 50 },
  )
})

test('returns no spans without tokens or frames', () => {
  expect(alignTokens([], 10)).toEqual([])
})
