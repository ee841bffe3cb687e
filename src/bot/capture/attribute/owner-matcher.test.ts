import { expect, test } from 'vitest'
import { infoOfCsrc, infoOfTrack, type SourceInfo } from '../source/source-info.ts'
import { OwnerMatcher } from './owner-matcher.ts'

const info = (id: string): SourceInfo =>
  infoOfTrack({ number: 1, id, kind: 'audio', codec: 'opus', label: '', streamId: '', mid: '', way: 'transform' })
const csrc = (number: number): SourceInfo => infoOfCsrc(info('lane'), number)

test('matches a source with its owner, whichever is known first', () => {
  const owned: string[] = []
  const owners = new OwnerMatcher((source, participantId, kind) => owned.push(`${source} ${participantId} ${kind}`))
  owners.addSource('page/1', info('t1'))
  expect([owned, owners.participantOf('page/1')]).toEqual([[], null])
  owners.setOwners([
    { track: { kind: 'track', id: 't1' }, participantId: 'ada', kind: 'audio' },
    { track: { kind: 'track', id: 't2' }, participantId: 'ben', kind: 'screen' },
  ])
  owners.addSource('page/2', info('t2'))
  expect(owned).toEqual(['page/1 ada audio', 'page/2 ben screen'])
  expect(owners.participantOf('page/2')).toBe('ben')
})

test('reports a new owner of a track, and no owner after the source is removed', () => {
  const owned: string[] = []
  const owners = new OwnerMatcher((source, participantId) => owned.push(`${source} ${participantId}`))
  owners.addSource('s', info('t'))
  owners.setOwners([{ track: { kind: 'track', id: 't' }, participantId: 'ada', kind: 'audio' }])
  owners.setOwners([{ track: { kind: 'track', id: 't' }, participantId: 'ben', kind: 'audio' }])
  expect(owned).toEqual(['s ada', 's ben'])
  owners.removeSource('s')
  expect(owners.participantOf('s')).toBeNull()
})

test('matches video by its media stream and audio by its CSRC', () => {
  const owned: string[] = []
  const owners = new OwnerMatcher((source, participantId, kind) => owned.push(`${source} ${participantId} ${kind}`))
  owners.setOwners([
    { track: { kind: 'stream', id: 's1' }, participantId: 'ada', kind: 'camera' },
    { track: { kind: 'csrc', csrc: 7 }, participantId: 'ben', kind: 'audio' },
  ])
  owners.addSource('p/1', { ...info('t1'), kind: 'video', streamId: 's1' })
  // A lane's media stream carries several participants.
  owners.addSource('p/2', { ...info('t2'), streamId: 's1' })
  owners.addSource('csrc:7', csrc(7))
  expect(owned).toEqual(['p/1 ada camera', 'csrc:7 ben audio'])
  expect(['p/1', 'p/2', 'csrc:7'].map((source) => owners.participantOf(source))).toEqual(['ada', null, 'ben'])
})

test('removes the owner of a CSRC that is no longer reported, and keeps that of a track', () => {
  const owned: string[] = []
  const owners = new OwnerMatcher((source, participantId) => owned.push(`${source} ${participantId}`))
  owners.addSource('csrc:7', csrc(7))
  owners.addSource('p/1', info('t1'))
  owners.setOwners([
    { track: { kind: 'csrc', csrc: 7 }, participantId: 'ben', kind: 'audio' },
    { track: { kind: 'track', id: 't1' }, participantId: 'ada', kind: 'audio' },
  ])
  owners.setOwners([])
  expect(owned).toEqual(['csrc:7 null', 'csrc:7 ben', 'p/1 ada', 'csrc:7 null'])
  expect(owners.participantOf('csrc:7')).toBeNull()
})

test('attributes live audio of a track to its last owner, as the recording does', () => {
  const owners = new OwnerMatcher(() => undefined)
  owners.addSource('p/1', info('t1'))
  owners.setOwners([{ track: { kind: 'track', id: 't1' }, participantId: 'ada', kind: 'audio' }])
  owners.setOwners([])
  expect(owners.participantOf('p/1')).toBe('ada')
  owners.addSource('p/1', { ...info('t1'), codec: 'opus' })
  expect(owners.participantOf('p/1')).toBe('ada')
})
