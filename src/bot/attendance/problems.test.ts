import { expect, test } from 'vitest'
import { collectProblems } from './problems.ts'

test('logs each problem once, at most ten, and reports one failure per step with our own message', () => {
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
    'live audio, live_audio_failed: The audio of a participant could not be decoded for live audio',
  ])
})

test('logs a problem before the bot has a page', () => {
  const logged: string[] = []
  collectProblems({ log: (_message, detail) => logged.push(detail), failed: () => null })('capture', 'recorder: NotSupportedError')
  expect(logged).toEqual(['capture: recorder: NotSupportedError'])
})
