import { expect, test } from 'vitest'
import { apiTurns } from '../../media/transcript/transcript-file.ts'
import { TEXT_FORMATS } from './text-formats.ts'

const said = (speaker: string, start: number, text: string) => ({
  speaker,
  speakerId: speaker.toLowerCase(),
  text,
  start,
  end: start + text.split(' ').length / 2,
  words: text.split(' ').map((word, at) => ({
    word: word.toLowerCase(),
    punctuatedWord: word,
    confidence: 1,
    start: start + at / 2,
    end: start + at / 2 + 0.4,
  })),
})

const turns = apiTurns([said('Ann', 1.5, 'Hello there.'), said('<Bob>\n\n&', 3_723.004, 'A --> b')], null)

test('writes SRT with numbered cues, times with commas, and no blank line inside a cue', () => {
  expect(TEXT_FORMATS.srt.write(turns)).toBe(
    '1\n00:00:01,500 --> 00:00:02,400\nAnn: Hello there.\n\n2\n01:02:03,004 --> 01:02:04,404\n<Bob> &: A -> b\n',
  )
})

test('marks voices and escapes markup in WebVTT', () => {
  expect(TEXT_FORMATS.vtt.write(turns)).toBe(
    'WEBVTT\n\n00:00:01.500 --> 00:00:02.400\n<v Ann>Hello there.</v>\n\n01:02:03.004 --> 01:02:04.404\n<v &lt;Bob&gt; &amp;>A --&gt; b</v>\n',
  )
})

test('writes one line per turn in txt', () => {
  expect(TEXT_FORMATS.txt.write(turns)).toBe('[00:00:01] Ann: Hello there.\n[01:02:03] <Bob> &: A --> b\n')
})

test('cuts a long turn into readable cues without losing text', () => {
  const text = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
  const cues = TEXT_FORMATS.srt.write(apiTurns([said('Ann', 0, text)], null)).split('\n\n')
  expect(cues.length).toBeGreaterThan(4)
  expect(cues.map((cue) => cue.split('\n')[2]?.replace('Ann: ', '')).join(' ')).toBe(text)
})

test('returns an empty file of each format for an empty transcript', () => {
  expect(TEXT_FORMATS.srt.write([])).toBe('')
  expect(TEXT_FORMATS.vtt.write([])).toBe('WEBVTT\n')
  expect(TEXT_FORMATS.txt.write([])).toBe('')
})

test('adds times of day if the start of the recording is known', () => {
  const [turn] = apiTurns([said('Ann', 1.5, 'Hi')], '2026-11-15T09:00:00.000Z')
  expect(turn).toMatchObject({ absolute_start_time: '2026-11-15T09:00:01.500Z', absolute_end_time: '2026-11-15T09:00:02.000Z' })
})
