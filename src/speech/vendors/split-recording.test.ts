import { expect, test } from 'vitest'
import { spans } from './split-recording.ts'

const ends = (seconds: number, most: number, silences: { start: number; end: number }[]) =>
  spans(seconds, most, silences).map(({ end }) => end)

test.each([
  [
    'cuts in the middle of the latest silence within the limit',
    25,
    [
      { start: 6, end: 7 },
      { start: 8, end: 9 },
    ],
    [8.5, 18.5, 25],
  ],
  ['cuts within a silence that is longer than a piece', 26, [{ start: 2, end: Number.POSITIVE_INFINITY }], [7.5, 15, 22.5, 26]],
  ['does not cut in a silence that would make a piece too short', 15, [{ start: 1, end: 2 }], [10, 15]],
  ['cuts at the limit where there is no silence', 25, [], [10, 20, 25]],
  ['does not cut a short recording', 10, [{ start: 5, end: 6 }], [10]],
])('%s', (_, seconds, silences, wanted) => {
  expect(ends(seconds, 10, silences)).toEqual(wanted)
})
