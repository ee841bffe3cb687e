// Owners of streams, named by several sources that may be late or wrong.
import { expect, test } from 'vitest'
import { Streams } from './streams.ts'

const listed = (userId: string, streamId: string) => ({ userId, kind: 'audio', streamId, disabled: false }) as const
const tile = (id: string, ...sources: string[]) => ({ id, sources })
const ownerIn = (streams: Streams) => streams.ownerOf('audio', '100')

test('prefers the list of streams, then a record, then the page', () => {
  const streams = new Streams()
  streams.see([tile('cy', '100')], 0)
  expect(ownerIn(streams)).toBe('cy')
  streams.learnSpeaker('ben', '100', 1_000)
  expect(ownerIn(streams)).toBe('ben')
  streams.learn(listed('ada', '100'), 2_000)
  expect(ownerIn(streams)).toBe('ada')
})

test('has no owner while two sources go on naming different ones', () => {
  const streams = new Streams()
  streams.learn(listed('ada', '100'), 0)
  streams.see([tile('ben', '100')], 3_000)
  expect(ownerIn(streams), 'the page may lag').toBe('ada')
  streams.see([tile('ben', '100')], 3_100)
  expect(ownerIn(streams)).toBeNull()
  expect(streams.all()).toEqual([])
  streams.see([tile('ada', '100')], 4_000)
  expect(ownerIn(streams)).toBe('ada')
})

test('says which source names each owner, and where sources contradict each other', () => {
  const streams = new Streams()
  streams.learn(listed('ada', '100'), 0)
  streams.see([tile('ada', '100'), tile('cy', '300')], 0)
  streams.learnSpeaker('ben', '200', 0)
  const found = () => Object.fromEntries(streams.attributions())
  expect(found()).toEqual({ ada: 'list', ben: 'record', cy: 'page' })
  streams.learnSpeaker('ben', '100', 9_000)
  expect(found()).toEqual({ ada: 'contradicted', ben: 'contradicted', cy: 'page' })
})

test('keeps a new owner in the list although the page is late', () => {
  const streams = new Streams()
  streams.learn(listed('hal', '100'), 0)
  streams.see([tile('hal', '100')], 60_000)
  streams.learn(listed('jan', '100'), 60_500)
  streams.see([tile('hal', '100')], 61_000)
  expect(ownerIn(streams)).toBe('jan')
})

test('does not name the owner of a stream that several tiles show', () => {
  const streams = new Streams()
  streams.see([tile('ada', '100'), tile('ben', '100', '200')], 0)
  expect(streams.all()).toEqual([{ kind: 'audio', streamId: '200', userId: 'ben' }])
})

test('forgets what the page no longer shows, and a user who left', () => {
  const streams = new Streams()
  streams.see([tile('ada', '100')], 0)
  streams.see([tile('ada')], 1_000)
  expect(ownerIn(streams)).toBeNull()
  streams.learnSpeaker('ada', '100', 2_000)
  streams.learn(listed('ada', '100'), 2_000)
  streams.forget('ada')
  expect(streams.all()).toEqual([])
})

test('forgets the earlier stream of a speaker whom a record or the list names with another one', () => {
  const streams = new Streams()
  streams.learnSpeaker('gus', '100', 0)
  streams.learnSpeaker('gus', '200', 1_000)
  expect(ownerIn(streams)).toBeNull()
  streams.learn(listed('gus', '200'), 2_000)
  streams.learn(listed('gus', '300'), 3_000)
  expect(streams.all()).toEqual([{ kind: 'audio', streamId: '300', userId: 'gus' }])
})
