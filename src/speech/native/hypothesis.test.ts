// The text of a segment grows by the likeliest tokens until it ends.
import { expect, test } from 'vitest'
import { Hypothesis } from './hypothesis.ts'
import { END } from './token-choice.ts'

const VOCABULARY = 40

function answer(token: number, attention = [1]) {
  const logits = new Float32Array(VOCABULARY)
  logits[token] = 10
  return { logits, attention: () => Float32Array.from(attention) }
}

test('takes the likeliest token of each answer', () => {
  const text = new Hypothesis(1, 10)
  expect(text.add([], [answer(7)])).toBe(7)
  expect(text.add([], [answer(9)])).toBe(9)
  expect(text.tokens.map(({ token }) => token)).toEqual([7, 9])
  expect(text.isOver).toBe(false)
})

test('ends with the end token, and then stays as it is', () => {
  const text = new Hypothesis(1, 10)
  text.add([], [answer(7)])
  expect(text.add([], [answer(END)])).toBe(END)
  expect(text.isOver).toBe(true)
  expect(text.add([], [answer(8)])).toBe(END)
  expect(text.tokens).toHaveLength(1)
})

test('begins with the known tokens, each with its own answer', () => {
  const text = new Hypothesis(2, 10)
  expect(text.add([5, 6], [answer(5, [0, 1]), answer(6, [1, 0]), answer(7, [0.5, 0.5])])).toBe(7)
  expect(text.tokens.map(({ token, attention }) => [token, ...attention])).toEqual([
    [5, 0, 1],
    [6, 1, 0],
    [7, 0.5, 0.5],
  ])
})

test('says that its first choice was no text', () => {
  const text = new Hypothesis(1, 10)
  const forced = answer(END)
  forced.logits[4] = 9
  expect(text.add([], [forced])).toBe(4)
  expect(text.firstChoiceWasEnd).toBe(true)
})

test('is over after as many tokens as its seconds allow', () => {
  const text = new Hypothesis(1, 2)
  for (let token = 3; !text.isOver; token++) text.add([], [answer(token)])
  expect(text.tokens).toHaveLength(13)
})
