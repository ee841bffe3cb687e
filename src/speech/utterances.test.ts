import { expect, test } from 'vitest'
import { spread, toUtterance, toUtterances } from './utterances.ts'

const word = (text: string, start: number | null, end: number | null, confidence: number | null = 0.5) => ({ text, start, end, confidence })
const textsOf = (words: Parameters<typeof toUtterances>[0], transcript: string) =>
  toUtterances(words, transcript).map(({ text, words }) => [text, ...words.map(({ word, punctuatedWord }) => `${word}=${punctuatedWord}`)])

test.each([
  [
    'takes punctuation from the transcript',
    ['Well', 'it’s', 'done'],
    '“Well, it’s done!”',
    ['“Well, it’s done!”', 'well=“Well,', 'it’s=it’s', 'done=done!”'],
  ],
  ['accepts words with their own punctuation', ['Hello,', 'Anna.'], 'Hello, Anna.', ['Hello, Anna.', 'hello=Hello,', 'anna=Anna.']],
  ['ignores a transcript with other words', ['seven', 'pm'], '7pm', ['seven pm', 'seven=seven', 'pm=pm']],
  [
    'adds no blanks between words of a text without blanks',
    ['今日', 'は', '晴れ'],
    '今日は晴れ。',
    ['今日は晴れ。', '今日=今日', 'は=は', '晴れ=晴れ。'],
  ],
  ['keeps combining marks with their letters', ['नमस्ते', 'जी'], 'नमस्ते जी।', ['नमस्ते जी।', 'नमस्ते=नमस्ते', 'जी=जी।']],
  ['matches a repeated word with its next occurrence', ['no', 'no', 'no'], 'No, no. No!', ['No, no. No!', 'no=No,', 'no=no.', 'no=No!']],
  ['keeps a symbol that is a word', ['5', '%'], '5 %', ['5 %', '5=5', '%=%']],
  [
    'accepts letters that change their length in lower case',
    ['İstanbul', 'var'],
    'İstanbul var',
    ['İstanbul var', 'i̇stanbul=İstanbul', 'var=var'],
  ],
  ['joins the words without a transcript', ['hello', 'there'], '', ['hello there', 'hello=hello', 'there=there']],
])('%s', (_, words, transcript, wanted) => {
  expect(
    textsOf(
      words.map((text, index) => word(text, index, index + 1)),
      transcript,
    ),
  ).toEqual([wanted])
})

test('ends an utterance at a silence', () => {
  const words = [word('one', 0, 0.5), word('two', 1.2, 1.5), word('three', 2.4, 3)]
  expect(toUtterances(words, 'One two. Three.')).toMatchObject([
    { text: 'One two.', start: 0, end: 1.5 },
    { text: 'Three.', start: 2.4, end: 3 },
  ])
  expect(toUtterance(words, 'One two. Three.')).toMatchObject({ text: 'One two. Three.', start: 0, end: 3, words: [{}, {}, {}] })
})

test('takes missing times from the neighbouring words', () => {
  const [utterance] = toUtterances([word('a', null, null), word('b', 1, null), word('c', null, 1.6), word('d', 1.5, 1.2)], 'a b c d')
  expect(utterance?.words.map(({ start, end }) => [start, end])).toEqual([[0, 1], [1, 1.5], [1.5, 1.6], [1.5, 1.5]]) // biome-ignore format: pairs
})

test('clamps confidence to the range from 0 to 1', () => {
  const words = [word('a', 0, 0.1, -3), word('b', 0.1, 0.2, 7), word('c', 0.2, 0.3, null)]
  expect(toUtterances(words, 'a b c')[0]?.words.map(({ confidence }) => confidence)).toEqual([0, 1, 1])
})

test('returns no utterances without words', () => {
  expect(toUtterances([word(' ', 0, 1)], ' ')).toEqual([])
  expect(toUtterance([], '')).toBeNull()
})

test('spreads the time of a phrase over its words', () => {
  expect(spread(' ab  cdef ', 1, 4)).toEqual([word('ab', 1, 2, null), word('cdef', 2, 4, null)])
  expect(spread('', 1, 4)).toEqual([])
  expect(spread('ab', 4, 1)).toEqual([word('ab', 4, 4, null)])
})

test('handles the words of four hours quickly', () => {
  const words = Array.from({ length: 40_000 }, (_, index) => word(`word${index % 97}`, index / 3, index / 3 + 0.3))
  const startedAt = performance.now()
  const [utterance] = toUtterances(words, words.map(({ text }) => `${text},`).join(' '))
  expect(utterance?.words[39_999]?.punctuatedWord).toMatch(/^word\d+,$/)
  expect(performance.now() - startedAt).toBeLessThan(3_000)
})
