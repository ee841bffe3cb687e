import { expect, test } from 'vitest'
import { type VoiceProbabilities, type WordPart, withinVoice, wordsOf } from './words.ts'

const VOICED: VoiceProbabilities = { windowSeconds: 0.1, probabilities: new Float32Array(100).fill(1) }
const pieces = (...texts: readonly string[]): readonly WordPart[] =>
  texts.map((text, at) => ({ text, start: at, end: at + 1, logProbability: Math.log(0.5) }))
/** One character for each window: `x` is voice. */
const voice = (pattern: string): VoiceProbabilities => ({
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
])('builds words from the parts %j', (texts, punctuated, bare) => {
  const words = wordsOf(pieces(...texts), VOICED)
  expect(words.map(({ punctuatedWord }) => punctuatedWord)).toEqual(punctuated)
  expect(words.map(({ word }) => word)).toEqual(bare)
})

test('times a word by its first and last spoken part and averages their probabilities', () => {
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

test('keeps word times ascending when the part times overlap', () => {
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
  ['cuts off a pause before it', '.....xxxxx', { start: 0, end: 1 }, { start: 0.5, end: 1 }],
  ['cuts off a pause after it', 'xxxx......', { start: 0, end: 1 }, { start: 0, end: 0.4 }],
  ['keeps a pause within it', 'xx..xx', { start: 0, end: 0.6 }, { start: 0, end: 0.6 }],
  ['keeps its times within a voice', 'xxxxxxxxxx', { start: 0.234, end: 0.567 }, { start: 0.234, end: 0.567 }],
  ['keeps its times without any voice', '..........', { start: 0.2, end: 0.4 }, { start: 0.2, end: 0.4 }],
])('clips a word to voice activity: %s', (_, pattern, span, expected) => {
  const { start, end } = withinVoice(span, voice(pattern))
  expect(start).toBeCloseTo(expected.start)
  expect(end).toBeCloseTo(expected.end)
})
