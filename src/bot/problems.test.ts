// Each media problem of a bot is logged and kept as evidence once, in a bounded number.
import { expect, test } from 'vitest'
import { collectProblems } from './problems.ts'

test('logs a repeated problem once, no more than ten of them, and keeps evidence in our words once for each step', () => {
  const logged: string[] = []
  const kept: string[] = []
  const onProblem = collectProblems({
    log: (_message, detail) => logged.push(detail),
    failed: () => async (step, message, code) => void kept.push(`${step}, ${code}: ${message}`),
  })
  onProblem('capture', 'transform: TypeError')
  onProblem('capture', 'transform: TypeError')
  for (let count = 0; count < 20; count++) onProblem('live audio', `number ${count}`)
  expect(logged.slice(0, 2)).toEqual(['capture: transform: TypeError', 'live audio: number 0'])
  expect(logged).toHaveLength(10)
  expect(kept).toEqual([
    'capture, capture_failed: A part of the meeting could not be recorded',
    'live audio, live_audio_failed: The sound of a participant could not be decoded for live listeners',
  ])
})

test('logs a problem of a bot that has no page yet', () => {
  const logged: string[] = []
  collectProblems({ log: (_message, detail) => logged.push(detail), failed: () => null })('capture', 'recorder: NotSupportedError')
  expect(logged).toEqual(['capture: recorder: NotSupportedError'])
})
