import { expect, test } from 'vitest'
import { counted, sentenceOf } from './counted.ts'

test('uses the singular for one and the plural for none and several', () => {
  expect([0, 1, 2].map((count) => counted(count, 'scheduled bot'))).toEqual(['0 scheduled bots', '1 scheduled bot', '2 scheduled bots'])
})

test('adds a full stop only where none is', () => {
  expect(['Bot left', 'Bot left.', 'Really?'].map(sentenceOf)).toEqual(['Bot left.', 'Bot left.', 'Really?'])
})
