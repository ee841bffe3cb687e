import { expect, test } from 'vitest'
import { chooseToken, END, logProbabilityOf } from './token-choice.ts'

const logits = (...values: readonly number[]): Float32Array => Float32Array.from(values)

test('chooses the most likely token and returns its probability', () => {
  const likely = logits(0, 0, 0, Math.log(5), 0)
  expect(chooseToken(likely, [9]).token).toBe(3)
  expect(Math.exp(logProbabilityOf(likely, 3))).toBeCloseTo(5 / 9)
})

test('refuses to end before any text and reports that first choice', () => {
  const wanted = logits(0, 0, 8, 5, 4)
  expect(chooseToken(wanted, [])).toMatchObject({ token: 3, firstChoiceWasEnd: true })
  expect(chooseToken(wanted, [3])).toMatchObject({ token: END, firstChoiceWasEnd: false })
})

test('chooses the next best token instead of one that completes a loop', () => {
  const looping = Array.from({ length: 11 }, () => 4)
  expect(chooseToken(logits(0, 0, 3, 1, 9), looping).token).toBe(END)
  expect(chooseToken(logits(0, 0, 1, 3, 9), looping).token).toBe(3)
  expect(chooseToken(logits(0, 0, 1, 3, 9), looping.slice(1)).token).toBe(4)
})
