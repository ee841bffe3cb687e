import { expect, test } from 'vitest'
import type { LiveResult } from '../../speech/provider.ts'
import type { Span } from '../capture/source/speech-detector.ts'
import { PendingSpeech, ProviderBackoff } from './pending-speech.ts'

const utterance = (start: number, end: number, final: boolean): LiveResult => ({ text: 'Alpha', start, end, words: [], final })
const sound = (it: PendingSpeech, fromMs: number, toMs: number) => {
  for (let atMs = fromMs; atMs < toMs; atMs += 20) it.onAudio(atMs)
}

test('returns the interim result, and the sound after it as untranscribed, once', () => {
  const it = new PendingSpeech()
  sound(it, 0, 2_000)
  it.onResult(utterance(0, 1.2, false))
  expect(it.settle()).toEqual({ part: utterance(0, 1.2, false), untranscribed: { fromMs: 1_200, toMs: 2_000 } })
  expect(it.settle()).toEqual({ part: null, untranscribed: null })
})

test('reports nothing as untranscribed for a final result, and for a breath after it', () => {
  const it = new PendingSpeech()
  sound(it, 0, 2_100)
  it.onResult(utterance(0, 2, true))
  expect(it.settle()).toEqual({ part: null, untranscribed: null })
})

test('does not report sound that is older than 15 s as untranscribed', () => {
  const it = new PendingSpeech()
  sound(it, 0, 40_000)
  expect(it.settle().untranscribed).toEqual({ fromMs: 24_980, toMs: 40_000 })
})

test('reports speech during the backoff of a failed provider once', () => {
  const spans: Span[] = []
  let nowMs = 0
  const backoff = new ProviderBackoff(
    () => nowMs,
    (span) => spans.push(span),
  )
  expect(backoff.skips(0, false)).toBe(false)
  backoff.start(10_000)
  expect([backoff.skips(100, true), backoff.skips(200, false), backoff.skips(900, false)]).toEqual([true, true, true])
  nowMs = 10_000
  expect(backoff.skips(10_000, false)).toBe(false)
  backoff.report()
  backoff.report()
  expect(spans).toEqual([{ fromMs: 200, toMs: 920 }])
})
