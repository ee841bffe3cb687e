import { expect, test } from 'vitest'
import { Speakers } from './speakers.ts'

const OWNERS: Readonly<Record<number, string>> = { 1: 'ann', 2: 'ben' }
const nowIn = (speakers: Speakers) =>
  speakers.now(
    (source) => OWNERS[source] ?? null,
    (userId) => userId !== 'screen',
  )

test('packets with known owners say who speaks, whatever the platform says', () => {
  const speakers = new Speakers()
  speakers.tell([{ userId: 'eve', speaks: true }])
  speakers.hear([1, 2])
  expect(nowIn(speakers)).toEqual(['ann', 'ben'])
  speakers.hear([])
  expect(nowIn(speakers), 'and who is silent').toEqual([])
})

test('the platform names the speaker of a source without a known owner', () => {
  const speakers = new Speakers()
  speakers.hear([1, 7])
  expect(nowIn(speakers)).toEqual(['ann', 'csrc:7'])
  speakers.tell([
    { userId: 'ann', speaks: true },
    { userId: 'eve', speaks: true },
    { userId: 'screen', speaks: true },
  ])
  expect(nowIn(speakers)).toEqual(['ann', 'eve'])
  speakers.forget('eve')
  expect(nowIn(speakers)).toEqual(['ann', 'csrc:7'])
})

test('the platform alone is believed where no packet tells its loudness', () => {
  const speakers = new Speakers()
  speakers.tell([{ userId: 'eve', speaks: true }])
  expect(nowIn(speakers)).toEqual(['eve'])
  speakers.tell([{ userId: 'eve', speaks: false }])
  expect(nowIn(speakers)).toEqual([])
})
