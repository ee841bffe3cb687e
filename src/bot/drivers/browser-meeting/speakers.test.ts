import { expect, test } from 'vitest'
import { Speakers } from './speakers.ts'

const OWNERS: Readonly<Record<number, string>> = { 1: 'ann', 2: 'ben' }
const nowIn = (speakers: Speakers) =>
  speakers.now(
    (source) => OWNERS[source] ?? null,
    (userId) => userId !== 'screen',
  )

test('prefers packet levels of known owners over the platform’s messages', () => {
  const speakers = new Speakers()
  speakers.update([{ userId: 'eve', speaks: true }])
  speakers.setSources([1, 2])
  expect(nowIn(speakers)).toEqual(['ann', 'ben'])
  speakers.setSources([])
  expect(nowIn(speakers), 'also for silence').toEqual([])
})

test('uses the platform’s messages for a source without a known owner', () => {
  const speakers = new Speakers()
  speakers.setSources([1, 7])
  expect(nowIn(speakers)).toEqual(['ann', 'csrc:7'])
  speakers.update([
    { userId: 'ann', speaks: true },
    { userId: 'eve', speaks: true },
    { userId: 'screen', speaks: true },
  ])
  expect(nowIn(speakers)).toEqual(['ann', 'eve'])
  speakers.forget('eve')
  expect(nowIn(speakers)).toEqual(['ann', 'csrc:7'])
})

test('uses the platform’s messages where no packet has a level', () => {
  const speakers = new Speakers()
  speakers.update([{ userId: 'eve', speaks: true }])
  expect(nowIn(speakers)).toEqual(['eve'])
  speakers.update([{ userId: 'eve', speaks: false }])
  expect(nowIn(speakers)).toEqual([])
})
