// What is left of a voice whose recogniser is gone.
import { expect, test } from 'vitest'
import type { LiveHeard } from '../../speech/provider.ts'
import { Rest, type Unheard, Unsettled } from './unsettled.ts'

const utterance = (start: number, end: number, final: boolean): LiveHeard => ({ text: 'Alpha', start, end, words: [], final })
const sound = (it: Unsettled, fromMs: number, toMs: number) => {
  for (let atMs = fromMs; atMs < toMs; atMs += 20) it.sounded(atMs)
}

test('a part that was delivered is final, and the sound behind it was not heard', () => {
  const it = new Unsettled()
  sound(it, 0, 2_000)
  it.heard(utterance(0, 1.2, false))
  expect(it.settle()).toEqual({ part: utterance(0, 1.2, false), unheard: { fromMs: 1_200, toMs: 2_000 } })
  expect(it.settle()).toEqual({ part: null, unheard: null })
})

test('sound that final words cover is not missing, nor is a breath after them', () => {
  const it = new Unsettled()
  sound(it, 0, 2_100)
  it.heard(utterance(0, 2, true))
  expect(it.settle()).toEqual({ part: null, unheard: null })
})

test('sound that the recogniser had time to settle was no speech', () => {
  const it = new Unsettled()
  sound(it, 0, 40_000)
  expect(it.settle().unheard).toEqual({ fromMs: 24_980, toMs: 40_000 })
})

test('what is said while a failed provider rests is counted once', () => {
  const spans: Unheard[] = []
  let nowMs = 0
  const rest = new Rest(
    () => nowMs,
    (span) => spans.push(span),
  )
  expect(rest.misses(0, false)).toBe(false)
  rest.begin(10_000)
  expect([rest.misses(100, true), rest.misses(200, false), rest.misses(900, false)]).toEqual([true, true, true])
  nowMs = 10_000
  expect(rest.misses(10_000, false)).toBe(false)
  rest.tellUnheard()
  rest.tellUnheard()
  expect(spans).toEqual([{ fromMs: 200, toMs: 920 }])
})
