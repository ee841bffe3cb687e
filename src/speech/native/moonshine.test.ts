// Tokens are spelled as the vocabulary says, also those that come byte by byte; and sentences that were never said are known by their tokens.
import llamaTokenizer from 'llama-tokenizer-js'
import { expect, test } from 'vitest'
import { isMadeUp, settledPieces, textsOf } from './moonshine.ts'

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

/** Probabilities of tokens that the model gave when its first choice was to say nothing. */
test.each([
  ['silence', [0.037], true],
  ['pink noise', [0.01, 0.29, 0.68, 0.26, 0.12, 0.03], true],
  ['a tone', [0.0004, 0.7, 0.73], true],
  ['speech through a wall', [0.0004, 0.53], true],
  ['speech that noise has drowned', [0.08, 0.36, 0.48, 0.57, 0.95], true],
  ['muffled speech', [0.144, 0.48, 0.79, 0.6, 0.5], false],
  ['clear speech', [0.332, 0.968, 0.848, 0.9], false],
  ['clear speech with an unlikely first word', [0.05, 0.97, 0.99, 0.9, 0.85], false],
])('whether %s was said is known by its tokens', (_, probabilities, madeUp) => {
  expect(isMadeUp(probabilities.map(Math.log))).toBe(madeUp)
})

test.each([
  ['nothing yet', 0.5, ''],
  ['a whole word', 1, ' Good'],
  ['words without the end of a sentence', 2.2, ' Good morning'],
  ['not the last word, which may go on', 9, ' Good morning'],
])('%s of a growing sound is settled at %s s', (_, seconds, text) => {
  const said: [string, number][] = [[' Good', 0.8], [' morn', 1.2], ['ing', 1.5], ['.', 1.6], [' every', 2]] // biome-ignore format: one line
  const pieces = said.map(([piece, end]) => ({ text: piece, start: end - 0.3, end, logProbability: 0 }))
  expect(said.slice(0, settledPieces(pieces, seconds)).map(([piece]) => piece).join('')).toBe(text) // biome-ignore format: one line
})
