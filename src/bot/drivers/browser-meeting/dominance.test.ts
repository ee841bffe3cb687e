// Speakers by the platform's dominant speaker and by sound.
import { expect, test } from 'vitest'
import { Dominance } from './dominance.ts'

const OWNERS: Readonly<Record<string, string>> = { 1: 'ann', 2: 'ben' }

function bench(...unmuted: readonly string[]) {
  const spoken: string[] = []
  const now = { unmuted }
  const it = new Dominance({
    ownerOf: (source) => OWNERS[source] ?? null,
    unmuted: () => now.unmuted,
    onSpoken: (id, { fromMs, toMs }) => void spoken.push(`${id} ${fromMs}-${toMs}`),
  })
  const sound = (fromMs: number, toMs: number) => {
    it.setSound(true, fromMs)
    it.setSound(false, toMs)
  }
  return { it, spoken, now, sound }
}

test('believes the dominant speaker once it has changed, also for what was said before', () => {
  const { it, spoken, sound } = bench('ann', 'ben')
  it.setSource('1', 0)
  sound(100, 2_000)
  expect([spoken, it.speaker]).toEqual([[], null])
  it.setSound(true, 3_000)
  it.setSource('2', 3_100)
  expect(it.speaker).toBe('ben')
  it.setSound(false, 5_000)
  expect(it.speaker, 'the newest stays in the history').toBeNull()
  expect(spoken).toEqual(['ann 100-2000', 'ann 3000-3100', 'ben 3100-5000'])
  expect(it.needsCaptions).toBe(false)
})

test('needs captions without any dominant speaker after eight seconds of sound', () => {
  const { it, spoken, sound } = bench('ann', 'ben')
  sound(0, 7_000)
  expect(it.needsCaptions).toBe(false)
  sound(60_000, 61_000)
  expect(it.needsCaptions).toBe(true)
  expect(spoken).toEqual([])
})

test('gives a dominant speaker up that never changes, and names no one by it', () => {
  const { it, spoken, sound } = bench('ann', 'ben')
  it.setSource('1', 0)
  for (let at = 0; at < 29_000; at += 2_000) sound(at, at + 1_900)
  expect(it.needsCaptions).toBe(false)
  sound(30_000, 34_000)
  expect(it.needsCaptions).toBe(true)
  it.setSource('2', 40_000)
  sound(41_000, 42_000)
  expect(spoken, 'captions name them').toEqual([])
})

test('gives a dominant speaker up sooner who is muted', () => {
  const { it, sound } = bench('ben', 'cy')
  it.setSource('1', 0)
  sound(0, 8_000)
  expect(it.needsCaptions).toBe(true)
})

test('names the only participant who is not muted', () => {
  const { it, spoken } = bench('ben')
  it.setSource('1', 0)
  it.setSound(true, 100)
  expect(it.speaker).toBe('ben')
  it.setSound(false, 60_000)
  expect(spoken).toEqual(['ben 100-60000'])
  expect(it.needsCaptions).toBe(false)
})

test('does not take the dominant speaker of another call for a change', () => {
  const { it, spoken, sound } = bench('ann', 'ben')
  it.setSource('1', 0)
  it.reset(500)
  it.setSource('2', 1_000)
  sound(2_000, 3_000)
  expect(spoken).toEqual([])
})

test('needs captions while one sound lasts', () => {
  const { it } = bench('ann', 'ben')
  it.setSound(true, 0)
  for (let at = 1_000; at <= 8_000; at += 1_000) it.advance(at)
  expect(it.needsCaptions).toBe(false)
  it.advance(9_000)
  expect(it.needsCaptions).toBe(true)
})

test('names the speaker of a sound that lasts, without the silence after it', () => {
  const { it, spoken } = bench('ben')
  it.setSound(true, 0)
  it.advance(1_500)
  expect(spoken).toEqual([])
  it.advance(3_500)
  expect(spoken).toEqual(['ben 0-2500'])
  it.advance(4_000)
  it.setSound(false, 3_200)
  expect(spoken).toEqual(['ben 0-2500', 'ben 2500-3200'])
})

test('gives the sound before a mute to no one who was not alone', () => {
  const { it, spoken, now } = bench('ann', 'ben')
  it.setSound(true, 0)
  now.unmuted = ['ann']
  it.advance(6_000)
  it.setSound(false, 7_000)
  expect(spoken).toEqual(['ann 6000-7000'])
})

test('never names a dominant speaker who is muted', () => {
  const { it, spoken, now, sound } = bench('ben', 'cy')
  it.setSource('1', 0)
  sound(0, 2_000)
  it.setSource('2', 3_000)
  sound(3_000, 4_000)
  now.unmuted = ['ann', 'cy']
  sound(5_000, 6_000)
  expect(it.speaker).toBeNull()
  expect(spoken).toEqual(['ben 3000-4000'])
})

test('forgets its doubts when the dominant speaker changes', () => {
  const { it, now, sound } = bench('ann', 'ben')
  it.setSource('1', 0)
  it.setSource('2', 1_000)
  now.unmuted = ['ann', 'cy']
  sound(2_000, 9_000)
  it.setSource('1', 10_000)
  it.setSource('2', 11_000)
  sound(12_000, 19_000)
  expect(it.needsCaptions).toBe(false)
})

test('begins anew in another call, with the sound that goes on', () => {
  const { it, spoken, now, sound } = bench('ann', 'ben')
  sound(0, 9_000)
  expect(it.needsCaptions).toBe(true)
  it.setSound(true, 10_000)
  now.unmuted = ['cy']
  it.reset(11_000)
  expect(it.needsCaptions).toBe(false)
  it.advance(15_000)
  expect(spoken).toEqual(['cy 11000-14000'])
})
