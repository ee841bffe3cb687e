import { expect, test } from 'vitest'
import { counted, sentenceOf } from './counted.ts'

test('one is singular, none and several are plural', () => {
  expect([0, 1, 2].map((count) => counted(count, 'scheduled bot'))).toEqual(['0 scheduled bots', '1 scheduled bot', '2 scheduled bots'])
})

test('a sentence ends with one full stop', () => {
  expect(['Bot left', 'Bot left.', 'Really?'].map(sentenceOf)).toEqual(['Bot left.', 'Bot left.', 'Really?'])
})
