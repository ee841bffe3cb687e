import { expect, test } from 'vitest'
import { partsOf } from './sherpa-engine.ts'

const STRETCH = {
  start: 100,
  samples: new Float32Array(16_000 * 4),
  voice: { windowSeconds: 1, probabilities: Float32Array.of(0, 1, 1, 0) },
}
const NOTHING = { text: '', tokens: [], timestamps: [], durations: [], logProbabilities: [] }

test('ends a token at the next one and the last token at the end', () => {
  const pieces = partsOf({ ...NOTHING, tokens: ['▁go', 'od', '▁day'], timestamps: [1, 1.5, 2], logProbabilities: [-1, -2, -3] }, STRETCH)
  expect(pieces).toEqual([
    { text: ' go', start: 1, end: 1.5, logProbability: -1 },
    { text: 'od', start: 1.5, end: 2, logProbability: -2 },
    { text: ' day', start: 2, end: 4, logProbability: -3 },
  ])
})

test('uses the duration of a token', () => {
  const [piece] = partsOf({ ...NOTHING, tokens: [' day'], timestamps: [1], durations: [0.25] }, STRETCH)
  expect(piece).toMatchObject({ start: 1, end: 1.25 })
})

test('spreads words without times over the voiced time by their length', () => {
  const pieces = partsOf({ ...NOTHING, text: ' four  sixsix' }, STRETCH)
  expect(pieces.map(({ text, start, end }) => [text, start, end])).toEqual([
    [' four', 1, 1.8],
    [' sixsix', 1.8, 3],
  ])
})

test('returns no parts for an empty result', () => {
  expect(partsOf(NOTHING, STRETCH)).toEqual([])
})
