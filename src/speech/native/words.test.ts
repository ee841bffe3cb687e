// Pieces become words, and words stay within the voice.
import { expect, test } from 'vitest'
import { type Piece, type Voice, withinVoice, wordsOf } from './words.ts'

const VOICED: Voice = { windowSeconds: 0.1, probabilities: new Float32Array(100).fill(1) }
const pieces = (...texts: readonly string[]): readonly Piece[] =>
  texts.map((text, at) => ({ text, start: at, end: at + 1, logProbability: Math.log(0.5) }))
/** One window a character: `x` is voice. */
const voice = (pattern: string): Voice => ({
  windowSeconds: 0.1,
  probabilities: Float32Array.from(pattern, (it) => (it === 'x' ? 0.9 : 0.1)),
})

test.each([
  [
    [' Good', ' mor', 'ning', ','],
    ['Good', 'morning,'],
    ['good', 'morning'],
  ],
  [
    [' by', ' ', '1', '2', '%', ' more'],
    ['by', '12%', 'more'],
    ['by', '12', 'more'],
  ],
  [
    [' it', "'", 's', ' well', '-', 'known', '.'],
    ["it's", 'well-known.'],
    ["it's", 'well-known'],
  ],
  [
    [' yes', ' —', ' no'],
    ['yes —', 'no'],
    ['yes', 'no'],
  ],
  [['Straight', 'away'], ['Straightaway'], ['straightaway']],
  [[' Ä', 'rger', '!'], ['Ärger!'], ['ärger']],
  [['.', ' ...'], [], []],
])('%j are words', (texts, punctuated, bare) => {
  const words = wordsOf(pieces(...texts), VOICED)
  expect(words.map(({ punctuatedWord }) => punctuatedWord)).toEqual(punctuated)
  expect(words.map(({ word }) => word)).toEqual(bare)
})

test('a word lasts from its first to its last spoken piece, and is as sure as they are on the whole', () => {
  const [word] = wordsOf(
    [
      { text: ' mor', start: 1, end: 2, logProbability: 0 },
      { text: 'ning', start: 2, end: 3, logProbability: Math.log(0.25) },
      { text: '.', start: 3, end: 9, logProbability: -9 },
    ],
    VOICED,
  )
  expect(word).toEqual({ word: 'morning', punctuatedWord: 'morning.', start: 1, end: 3, confidence: 0.5 })
})

test('words follow one another, even when their pieces do not', () => {
  const words = wordsOf(
    [
      { text: ' a', start: 1, end: 3, logProbability: 0 },
      { text: ' b', start: 2, end: 2.5, logProbability: 0 },
      { text: ' c', start: 0, end: 1, logProbability: 0 },
    ],
    VOICED,
  )
  for (const [at, { start, end }] of words.entries()) {
    expect(end).toBeGreaterThan(start)
    expect(start).toBeGreaterThanOrEqual(words[at - 1]?.end ?? 0)
  }
})

test.each([
  ['the pause before a word is cut off', '.....xxxxx', { start: 0, end: 1 }, { start: 0.5, end: 1 }],
  ['the pause after it too', 'xxxx......', { start: 0, end: 1 }, { start: 0, end: 0.4 }],
  ['a pause within it is part of it', 'xx..xx', { start: 0, end: 0.6 }, { start: 0, end: 0.6 }],
  ['within a voice nothing is moved', 'xxxxxxxxxx', { start: 0.234, end: 0.567 }, { start: 0.234, end: 0.567 }],
  ['where there is no voice at all, the word is believed', '..........', { start: 0.2, end: 0.4 }, { start: 0.2, end: 0.4 }],
])('%s', (_, pattern, span, expected) => {
  const { start, end } = withinVoice(span, voice(pattern))
  expect(start).toBeCloseTo(expected.start)
  expect(end).toBeCloseTo(expected.end)
})
