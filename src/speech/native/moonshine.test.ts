// Tokens are spelled as the vocabulary says, also those that come byte by byte.
import llamaTokenizer from 'llama-tokenizer-js'
import { expect, test } from 'vitest'
import { textsOf } from './moonshine.ts'

const tokensOf = (text: string): number[] => llamaTokenizer.encode(text, false)

test.each(['Good morning, everybody.', '12% of it', 'Zoë’s café', '日本 and 🙂 too'])('%s is spelled', (text) => {
  expect(textsOf(tokensOf(text)).join('').trim()).toBe(text)
})

test('there is one text for each token, and a character belongs to its last byte', () => {
  const texts = textsOf(tokensOf('🙂 yes'))
  expect(texts).toHaveLength(tokensOf('🙂 yes').length)
  expect(texts.slice(-2)).toEqual(['🙂', ' yes'])
})

test('a character that was never finished spoils nothing after it', () => {
  const [, first = 0] = tokensOf('🙂')
  expect(textsOf([first, ...tokensOf('yes')]).join('')).toMatch(/ yes$/)
})
