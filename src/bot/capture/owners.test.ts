import { expect, test } from 'vitest'
import { Owners } from './owners.ts'
import type { TrackNote } from './wire.ts'

const note = (id: string): TrackNote => ({
  number: 1,
  id,
  kind: 'audio',
  codec: 'opus',
  label: '',
  streamId: '',
  mid: '',
  way: 'transform',
})

test('a source is owned as soon as both sides are known, whichever comes first', () => {
  const owned: string[] = []
  const owners = new Owners((source, participantId, kind) => owned.push(`${source} ${participantId} ${kind}`))
  owners.note('page/1', note('t1'))
  expect([owned, owners.participantOf('page/1')]).toEqual([[], null])
  owners.learn([
    { trackId: 't1', participantId: 'ada', kind: 'audio' },
    { trackId: 't2', participantId: 'ben', kind: 'screen' },
  ])
  owners.note('page/2', note('t2'))
  expect(owned).toEqual(['page/1 ada audio', 'page/2 ben screen'])
  expect(owners.participantOf('page/2')).toBe('ben')
})

test('a track that passes to somebody else takes its source along, and one that is gone belongs to nobody', () => {
  const owned: string[] = []
  const owners = new Owners((source, participantId) => owned.push(`${source} ${participantId}`))
  owners.note('s', note('t'))
  owners.learn([{ trackId: 't', participantId: 'ada', kind: 'audio' }])
  owners.learn([{ trackId: 't', participantId: 'ben', kind: 'audio' }])
  expect(owned).toEqual(['s ada', 's ben'])
  owners.forget('s')
  expect(owners.participantOf('s')).toBeNull()
})
