// The meeting's captions become words: version by version, once final, and nothing of what was said in a pause.

import { expect, test } from 'vitest'
import { until } from '../../../test/helpers/until.ts'
import { Failure } from '../../kit/failure.ts'
import { startCaptions } from './captions.ts'
import type { Heard } from './live-words.ts'

const ZERO = Date.parse('2026-11-15T09:00:00.000Z')

function bench(begin: () => Promise<void> = async () => undefined) {
  const heard: Heard[] = []
  const failures: string[] = []
  let nowMs = 0
  const captions = startCaptions({
    begin,
    onHeard: (it) => void heard.push(it),
    onFailed: (message) => void failures.push(message),
    zeroMs: () => ZERO,
    now: () => ZERO + nowMs,
  })
  /** `ada:1 hello` is the first caption, said by Ada; a full stop behind the number makes it final. */
  const see = (atMs: number, line: string): void => {
    const [, from = '', number = '', stop, text = ''] = /^(\w*):(\d+)(\.?) ?(.*)$/s.exec(line) ?? []
    nowMs = atMs
    captions.see({ id: number, from, name: from.toUpperCase(), text, final: stop === '.', at: ZERO + atMs })
  }
  const at = (ms: number): void => {
    nowMs = ms
  }
  const told = () => heard.splice(0).map(({ speaker, text, newText, final }) => `${speaker.name}${final ? '.' : ''} ${text} +${newText}`)
  return { captions, heard, failures, see, at, told }
}

test('a caption is told with what is new in it, until it is final; then it is over', () => {
  const { see, told } = bench()
  see(1_000, 'ada:1 so we')
  see(1_500, 'ada:1 so we')
  see(2_000, 'ben:2 yes')
  see(2_500, 'ada:1 so we begin')
  see(3_000, 'ada:1. So, we began.')
  see(3_500, 'ada:1 so we begin again')
  see(4_000, 'ben:2. yes')
  expect(told()).toEqual(['ADA so we +so we', 'BEN yes +yes', 'ADA so we begin +begin', 'ADA. So, we began. +So, we began.', 'BEN. yes +'])
})

test('words share the time from the first arrival to the last change, by their length', () => {
  const { see, heard } = bench()
  see(1_000, 'ada:1 abcd')
  see(3_000, 'ada:1 abcd, efgh')
  see(9_000, 'ada:1. abcd, efgh')
  const final = heard.at(-1)
  expect(final).toMatchObject({ text: 'abcd, efgh', start: 1, end: 3, final: true, newText: '' })
  expect(final?.words.map(({ word, punctuatedWord, confidence }) => [word, punctuatedWord, confidence])).toEqual([
    ['abcd', 'abcd,', 1],
    ['efgh', 'efgh', 1],
  ])
  const [first, second] = final?.words ?? []
  expect([first?.start, second?.end]).toEqual([1, expect.closeTo(3, 6)])
  expect(first?.end).toBe(second?.start)
})

test('a caption that comes whole was said just before, and never before the recording', () => {
  const { see, heard } = bench()
  see(5_000, 'ada:1. one two three four five')
  see(100, 'ada:2. one two')
  expect(heard.map(({ start, end }) => [start, end])).toEqual([
    [4, 5],
    [0, 0.1],
  ])
})

test('who is not named is nobody, and a caption without words is none', () => {
  const { see, told } = bench()
  see(0, ':1 hello')
  see(10, 'ada:2   ')
  see(20, 'ada:3.')
  expect(told()).toEqual(['NoSpeaker hello +hello'])
})

test('at the end, and after a minute without news, what was never finished is final', async () => {
  const { see, told, captions } = bench()
  see(0, 'ada:1 first')
  see(30_000, 'ben:2 second')
  see(61_000, 'cy:3 third')
  expect(told().at(-1)).toBe('ADA. first +')
  see(62_000, 'ada:1 first and more')
  await captions.end()
  expect(told()).toEqual(['BEN. second +', 'CY. third +'])
  see(63_000, 'ben:4 too late')
  await captions.end()
  expect(told()).toEqual([])
})

test('paused means no words, also of a caption that goes on through the pause, or comes late', () => {
  const { see, told, captions, at } = bench()
  see(1_000, 'ada:1 before the')
  see(1_000, 'ben:2. done')
  told()
  at(2_000)
  captions.pause()
  expect(told()).toEqual(['ADA. before the +'])
  see(2_500, 'ada:1 before the secret')
  see(3_000, 'ben:3 hidden')
  at(10_000)
  captions.resume()
  // Said in the pause, written after it.
  see(11_900, 'ada:1 before the secret word')
  see(11_900, 'cy:4 whispered')
  expect(told()).toEqual([])
  see(12_100, 'ada:1 before the secret word is out')
  see(12_500, 'ben:3. hidden and seen')
  see(13_000, 'cy:4. whispered')
  see(13_500, 'ada:1. before the secret word is out now')
  expect(told()).toEqual(['ADA is out +is out', 'BEN. and seen +and seen', 'ADA. is out now +now'])
})

test('captions that cannot be switched on are told', async () => {
  const { failures } = bench(() => Promise.reject(new Failure('captions_failed', 'no such button')))
  await until('it is told', () => failures.length > 0)
  expect(failures).toEqual(['The captions could not be switched on: no such button'])
})

test('thousands of captions that never end are kept no longer than needed', () => {
  const { see, told } = bench()
  for (let index = 0; index < 5_000; index++) see(index, `ada:${index} word`)
  expect(told().filter((it) => it.startsWith('ADA.'))).toHaveLength(4_000)
})
