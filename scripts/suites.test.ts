import { expect, test } from 'vitest'
import { filesToRepeat } from './suites.ts'

const failed = (...paths: string[]) => paths.map((path) => ({ path, log: [] }))
const [STORY, MEETING] = ['test/stories/bot-leaves.test.ts', 'test/meetings/zoom/call.test.ts'] as const

test('repeats up to two failed files with a browser', () => {
  expect(filesToRepeat(failed(STORY))).toEqual([STORY])
  expect(filesToRepeat(failed(STORY, MEETING))).toEqual([STORY, MEETING])
})

test('repeats nothing after three failures', () => {
  expect(filesToRepeat(failed(STORY, MEETING, 'test/stories/trace.test.ts'))).toEqual([])
})

test('repeats nothing if a file without a browser failed too', () => {
  expect(filesToRepeat(failed(STORY, 'test/contracts/reads.test.ts'))).toEqual([])
})

test('repeats nothing after a run that did not come to its end', () => {
  expect(filesToRepeat([])).toEqual([])
})
