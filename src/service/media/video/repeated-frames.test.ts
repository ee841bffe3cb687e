import { expect, test } from 'vitest'
import { repeatedSpans, withoutRepeats } from './repeated-frames.ts'

const MINUTE = { frames: 900, fps: 15 }
const every = (ms: number, fromMs: number, toMs: number) => Array.from({ length: (toMs - fromMs) / ms }, (_, index) => fromMs + index * ms)

test.each<readonly [string, readonly number[], readonly (readonly [number, number])[]]>([
  ['no source', [], [[2, 898]]],
  ['a source that never stops', every(66, 0, 60_000), []],
  ['a source that stops after ten seconds', every(50, 0, 10_000), [[151, 898]]],
  ['a shared screen that changes once', [-40, 20_000], [[2, 298], [302, 898]]], // biome-ignore format: pairs
  ['a source that rests for less than a second', [...every(66, 0, 30_000), ...every(66, 31_000, 60_000)], []],
  ['a change after the end of the piece', [70_000], [[2, 898]]],
])('finds the repeated frames of a minute with %s', (_source, changesMs, expected) => {
  expect(repeatedSpans(changesMs, MINUTE).map(({ first, last }) => [first, last])).toEqual(expected)
})

test('keeps the frames around each change and one frame per second', () => {
  const repeats = repeatedSpans([20_000], MINUTE)
  expect(withoutRepeats(repeats, 15)).toEqual(["select='not(between(n,2,298)+between(n,302,898))+not(mod(n,15))'"])
  expect(withoutRepeats([], 15)).toEqual([])
})
