import { expect, test } from 'vitest'
import { until } from '../../../test/helpers/until.ts'
import { Failure } from '../../kit/failure.ts'
import { startCaptions } from './captions.ts'
import type { SpeakerResult } from './live-words.ts'

const ZERO = Date.parse('2026-11-15T09:00:00.000Z')

function openCaptions(begin: () => Promise<void> = async () => undefined) {
  const results: SpeakerResult[] = []
  const failures: string[] = []
  let nowMs = 0
  const captions = startCaptions({
    begin,
    onResult: (it) => void results.push(it),
    onFailed: (message) => void failures.push(message),
    zeroMs: () => ZERO,
    now: () => ZERO + nowMs,
  })
  /** `ada:1 hello` is caption 1 by Ada. A full stop after the number makes it final. */
  const caption = (atMs: number, line: string): void => {
    const [, from = '', number = '', stop, text = ''] = /^(\w*):(\d+)(\.?) ?(.*)$/s.exec(line) ?? []
    nowMs = atMs
    captions.onCaption({ id: number, from, name: from.toUpperCase(), text, final: stop === '.', at: ZERO + atMs })
  }
  const at = (ms: number): void => {
    nowMs = ms
  }
  const taken = () => results.splice(0).map(({ speaker, text, newText, final }) => `${speaker.name}${final ? '.' : ''} ${text} +${newText}`)
  return { captions, results, failures, caption, at, taken }
}

test('delivers each version of a caption with its new text, until it is final', () => {
  const { caption, taken } = openCaptions()
  caption(1_000, 'ada:1 so we')
  caption(1_500, 'ada:1 so we')
  caption(2_000, 'ben:2 yes')
  caption(2_500, 'ada:1 so we begin')
  caption(3_000, 'ada:1. So, we began.')
  caption(3_500, 'ada:1 so we begin again')
  caption(4_000, 'ben:2. yes')
  expect(taken()).toEqual(['ADA so we +so we', 'BEN yes +yes', 'ADA so we begin +begin', 'ADA. So, we began. +So, we began.', 'BEN. yes +'])
})

test('spreads words over the time from the first version to the last change, by length', () => {
  const { caption, results } = openCaptions()
  caption(1_000, 'ada:1 abcd')
  caption(3_000, 'ada:1 abcd, efgh')
  caption(9_000, 'ada:1. abcd, efgh')
  const final = results.at(-1)
  expect(final).toMatchObject({ text: 'abcd, efgh', start: 1, end: 3, final: true, newText: '' })
  expect(final?.words.map(({ word, punctuatedWord, confidence }) => [word, punctuatedWord, confidence])).toEqual([
    ['abcd', 'abcd,', 1],
    ['efgh', 'efgh', 1],
  ])
  const [first, second] = final?.words ?? []
  expect([first?.start, second?.end]).toEqual([1, expect.closeTo(3, 6)])
  expect(first?.end).toBe(second?.start)
})

test('places a caption that arrives whole just before its arrival, and never before the recording', () => {
  const { caption, results } = openCaptions()
  caption(5_000, 'ada:1. one two three four five')
  caption(100, 'ada:2. one two')
  expect(results.map(({ start, end }) => [start, end])).toEqual([
    [4, 5],
    [0, 0.1],
  ])
})

test('delivers an unnamed caption as NoSpeaker, and ignores one without words', () => {
  const { caption, taken } = openCaptions()
  caption(0, ':1 hello')
  caption(10, 'ada:2   ')
  caption(20, 'ada:3.')
  expect(taken()).toEqual(['NoSpeaker hello +hello'])
})

test('makes an open caption final at the end and after a minute without change', async () => {
  const { caption, taken, captions } = openCaptions()
  caption(0, 'ada:1 first')
  caption(30_000, 'ben:2 second')
  caption(61_000, 'cy:3 third')
  expect(taken().at(-1)).toBe('ADA. first +')
  caption(62_000, 'ada:1 first and more')
  await captions.end()
  expect(taken()).toEqual(['BEN. second +', 'CY. third +'])
  caption(63_000, 'ben:4 too late')
  await captions.end()
  expect(taken()).toEqual([])
})

test('delivers no words of a pause, also of a caption that spans it or arrives late', () => {
  const { caption, taken, captions, at } = openCaptions()
  caption(1_000, 'ada:1 before the')
  caption(1_000, 'ben:2. done')
  taken()
  at(2_000)
  captions.pause()
  expect(taken()).toEqual(['ADA. before the +'])
  caption(2_500, 'ada:1 before the secret')
  caption(3_000, 'ben:3 hidden')
  at(10_000)
  captions.resume()
  // Spoken in the pause, and received after it.
  caption(11_900, 'ada:1 before the secret word')
  caption(11_900, 'cy:4 whispered')
  expect(taken()).toEqual([])
  caption(12_100, 'ada:1 before the secret word is out')
  caption(12_500, 'ben:3. hidden and seen')
  caption(13_000, 'cy:4. whispered')
  caption(13_500, 'ada:1. before the secret word is out now')
  expect(taken()).toEqual(['ADA is out +is out', 'BEN. and seen +and seen', 'ADA. is out now +now'])
})

test('reports captions that cannot be switched on', async () => {
  const { failures } = openCaptions(() => Promise.reject(new Failure('captions_failed', 'no such button')))
  await until('the failure is reported', () => failures.length > 0)
  expect(failures).toEqual(['The captions could not be switched on: no such button'])
})

test('keeps at most a thousand open captions', () => {
  const { caption, taken } = openCaptions()
  for (let index = 0; index < 5_000; index++) caption(index, `ada:${index} word`)
  expect(taken().filter((it) => it.startsWith('ADA.'))).toHaveLength(4_000)
})
