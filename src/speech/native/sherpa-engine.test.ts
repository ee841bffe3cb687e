// Tokens with times keep them; words without any share the time of the voice.
import { expect, test } from 'vitest'
import { piecesOf } from './sherpa-engine.ts'

const STRETCH = {
  start: 100,
  samples: new Float32Array(16_000 * 4),
  voice: { windowSeconds: 1, probabilities: Float32Array.of(0, 1, 1, 0) },
}
const NOTHING = { text: '', tokens: [], timestamps: [], durations: [], logProbabilities: [] }

test('a token lasts until the next, the last one until the end', () => {
  const pieces = piecesOf({ ...NOTHING, tokens: ['▁go', 'od', '▁day'], timestamps: [1, 1.5, 2], logProbabilities: [-1, -2, -3] }, STRETCH)
  expect(pieces).toEqual([
    { text: ' go', start: 1, end: 1.5, logProbability: -1 },
    { text: 'od', start: 1.5, end: 2, logProbability: -2 },
    { text: ' day', start: 2, end: 4, logProbability: -3 },
  ])
})

test('or as long as it says', () => {
  const [piece] = piecesOf({ ...NOTHING, tokens: [' day'], timestamps: [1], durations: [0.25] }, STRETCH)
  expect(piece).toMatchObject({ start: 1, end: 1.25 })
})

test('words without times share the voice, by their length', () => {
  const pieces = piecesOf({ ...NOTHING, text: ' four  sixsix' }, STRETCH)
  expect(pieces.map(({ text, start, end }) => [text, start, end])).toEqual([
    [' four', 1, 1.8],
    [' sixsix', 1.8, 3],
  ])
})

test('nothing heard is nothing', () => {
  expect(piecesOf(NOTHING, STRETCH)).toEqual([])
})
