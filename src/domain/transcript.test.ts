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

test('merges words of one speaker without a long silence into one turn, in recording time', () => {
  expect(brief([voice('ann', 10, [0, 'Hello'], [1.9, 'there'], [4, 'Well'])])).toEqual(['ANN 10-12.4: Hello there', 'ANN 14-14.5: Well'])
})

test('orders turns of all speakers by start', () => {
  const voices = [voice('ann', 0, [1, 'One'], [5, 'Three']), voice('bob', 2, [1, 'Two'])]
  expect(brief(voices)).toEqual(['ANN 1-1.5: One', 'BOB 3-3.5: Two', 'ANN 5-5.5: Three'])
})

test('keeps overlapping speakers separate, with the times of each word', () => {
  const voices = [voice('ann', 0, [1, 'Left'], [2, 'right']), voice('bob', 0, [1.2, 'Over'])]
  expect(brief(voices)).toEqual(['ANN 1-1.5: Left', 'BOB 1.2-1.7: Over', 'ANN 2-2.5: right'])
  expect(turnsOf([voice('ann', 3.0004, [1, 'Left'])])[0]?.words).toEqual([
    { word: 'left', punctuatedWord: 'Left', start: 4, end: 4.5, confidence: 0.9 },
  ])
})

test('merges the voices of a speaker who rejoined, and skips empty text', () => {
  const voices = [voice('ann', 0, [1, 'Before']), voice('ann', 2, [0, 'after'], [1, ' '])]
  expect(brief(voices)).toEqual(['ANN 1-2.5: Before after'])
  expect(countWords(turnsOf(voices))).toBe(2)
})

test('splits a long turn into paragraphs', () => {
  const words = Array.from({ length: 100 }, (_, at) => [at, 'on'] as const)
  const turns = turnsOf([voice('ann', 0, ...words)])
  expect(turns.length).toBe(2)
  expect(Math.max(...turns.map(({ start, end }) => end - start))).toBeLessThanOrEqual(60)
})
