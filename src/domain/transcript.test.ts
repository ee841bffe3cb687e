import { expect, test } from 'vitest'
import { countWords, turnsOf, type Voice } from './transcript.ts'

/** One word at each moment, half a second long. */
const voice = (speakerId: string, startSeconds: number, ...moments: readonly (readonly [number, string])[]): Voice => ({
  speakerId,
  speaker: speakerId.toUpperCase(),
  startSeconds,
  utterances: moments.map(([start, text]) => ({
    text,
    start,
    end: start + 0.5,
    words: [{ word: text.toLowerCase(), punctuatedWord: text, start, end: start + 0.5, confidence: 0.9 }],
  })),
})

const brief = (voices: readonly Voice[]) => turnsOf(voices).map(({ speaker, text, start, end }) => `${speaker} ${start}-${end}: ${text}`)

test('what one says without a long silence is one turn, in the time of the recording', () => {
  expect(brief([voice('ann', 10, [0, 'Hello'], [1.9, 'there'], [4, 'Well'])])).toEqual(['ANN 10-12.4: Hello there', 'ANN 14-14.5: Well'])
})

test('turns come in the order of their beginnings, whoever speaks', () => {
  const voices = [voice('ann', 0, [1, 'One'], [5, 'Three']), voice('bob', 2, [1, 'Two'])]
  expect(brief(voices)).toEqual(['ANN 1-1.5: One', 'BOB 3-3.5: Two', 'ANN 5-5.5: Three'])
})

test('who speaks at the same time as another is kept, and words have their own times', () => {
  const voices = [voice('ann', 0, [1, 'Left'], [2, 'right']), voice('bob', 0, [1.2, 'Over'])]
  expect(brief(voices)).toEqual(['ANN 1-1.5: Left', 'BOB 1.2-1.7: Over', 'ANN 2-2.5: right'])
  expect(turnsOf([voice('ann', 3.0004, [1, 'Left'])])[0]?.words).toEqual([
    { word: 'left', punctuatedWord: 'Left', start: 4, end: 4.5, confidence: 0.9 },
  ])
})

test('who comes back is the same speaker; what has no text is no turn', () => {
  const voices = [voice('ann', 0, [1, 'Before']), voice('ann', 2, [0, 'after'], [1, ' '])]
  expect(brief(voices)).toEqual(['ANN 1-2.5: Before after'])
  expect(countWords(turnsOf(voices))).toBe(2)
})

test('a lecture is cut into paragraphs', () => {
  const words = Array.from({ length: 100 }, (_, at) => [at, 'on'] as const)
  const turns = turnsOf([voice('ann', 0, ...words)])
  expect(turns.length).toBe(2)
  expect(Math.max(...turns.map(({ start, end }) => end - start))).toBeLessThanOrEqual(60)
})
