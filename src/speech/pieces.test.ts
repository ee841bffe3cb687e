// Where a long recording is cut.
import { expect, test } from 'vitest'
import { spans } from './pieces.ts'

const ends = (seconds: number, most: number, silences: { start: number; end: number }[]) =>
  spans(seconds, most, silences).map(({ end }) => end)

test.each([
  [
    'in the middle of the latest silence that fits',
    25,
    [
      { start: 6, end: 7 },
      { start: 8, end: 9 },
    ],
    [8.5, 18.5, 25],
  ],
  ['within a silence that is longer than a piece', 26, [{ start: 2, end: Number.POSITIVE_INFINITY }], [7.5, 15, 22.5, 26]],
  ['not in one that would make a piece too short', 15, [{ start: 1, end: 2 }], [10, 15]],
  ['anywhere where nobody pauses', 25, [], [10, 20, 25]],
  ['not at all where it is short', 10, [{ start: 5, end: 6 }], [10]],
])('%s', (_, seconds, silences, wanted) => {
  expect(ends(seconds, 10, silences)).toEqual(wanted)
})
