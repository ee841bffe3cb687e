import llamaTokenizer from 'llama-tokenizer-js'
import { expect, test } from 'vitest'
import { isInvented, stableParts, textsOf } from './moonshine.ts'

const tokensOf = (text: string): number[] => llamaTokenizer.encode(text, false)

test.each(['Good morning, everybody.', '12% of it', 'Zoë’s café', '日本 and 🙂 too'])('decodes the tokens of %s', (text) => {
  expect(textsOf(tokensOf(text)).join('').trim()).toBe(text)
})

test('returns one text for each token and assigns a character to its last byte', () => {
  const texts = textsOf(tokensOf('🙂 yes'))
  expect(texts).toHaveLength(tokensOf('🙂 yes').length)
  expect(texts.slice(-2)).toEqual(['🙂', ' yes'])
})

test('decodes the tokens after an incomplete character', () => {
  const [, first = 0] = tokensOf('🙂')
  expect(textsOf([first, ...tokensOf('yes')]).join('')).toMatch(/ yes$/)
})

/** Measured token probabilities where the model's first choice was no text. */
test.each([
  ['silence', [0.037], true],
  ['pink noise', [0.01, 0.29, 0.68, 0.26, 0.12, 0.03], true],
  ['a tone', [0.0004, 0.7, 0.73], true],
  ['speech through a wall', [0.0004, 0.53], true],
  ['speech that noise has drowned', [0.08, 0.36, 0.48, 0.57, 0.95], true],
  ['muffled speech', [0.144, 0.48, 0.79, 0.6, 0.5], false],
  ['clear speech', [0.332, 0.968, 0.848, 0.9], false],
  ['clear speech with an unlikely first word', [0.05, 0.97, 0.99, 0.9, 0.85], false],
])('judges by token probabilities whether text for %s is a hallucination', (_, probabilities, invented) => {
  expect(isInvented(probabilities.map(Math.log))).toBe(invented)
})

test.each([
  ['no word', 0.5, ''],
  ['one whole word', 1, ' Good'],
  ['two words without their full stop', 2.2, ' Good morning'],
  ['all words except the last', 9, ' Good morning'],
])('treats %s of a growing segment as stable after %s s', (_, seconds, text) => {
  const said: [string, number][] = [[' Good', 0.8], [' morn', 1.2], ['ing', 1.5], ['.', 1.6], [' every', 2]] // biome-ignore format: one line
  const parts = said.map(([piece, end]) => ({ text: piece, start: end - 0.3, end, logProbability: 0 }))
  expect(said.slice(0, stableParts(parts, seconds)).map(([piece]) => piece).join('')).toBe(text) // biome-ignore format: one line
})
