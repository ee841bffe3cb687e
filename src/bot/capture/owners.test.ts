import { expect, test } from 'vitest'
import { Owners } from './owners.ts'
import { noteOfCsrc, noteOfTrack, type SourceNote } from './source-note.ts'

const note = (id: string): SourceNote =>
  noteOfTrack({ number: 1, id, kind: 'audio', codec: 'opus', label: '', streamId: '', mid: '', way: 'transform' })
const csrc = (number: number): SourceNote => noteOfCsrc(note('lane'), number)

test('a source is owned as soon as both sides are known, whichever comes first', () => {
  const owned: string[] = []
  const owners = new Owners((source, participantId, kind) => owned.push(`${source} ${participantId} ${kind}`))
  owners.note('page/1', note('t1'))
  expect([owned, owners.participantOf('page/1')]).toEqual([[], null])
  owners.learn([
    { track: { kind: 'track', id: 't1' }, participantId: 'ada', kind: 'audio' },
    { track: { kind: 'track', id: 't2' }, participantId: 'ben', kind: 'screen' },
  ])
  owners.note('page/2', note('t2'))
  expect(owned).toEqual(['page/1 ada audio', 'page/2 ben screen'])
  expect(owners.participantOf('page/2')).toBe('ben')
})

test('a track that passes to somebody else takes its source along, and one that is gone belongs to nobody', () => {
  const owned: string[] = []
  const owners = new Owners((source, participantId) => owned.push(`${source} ${participantId}`))
  owners.note('s', note('t'))
  owners.learn([{ track: { kind: 'track', id: 't' }, participantId: 'ada', kind: 'audio' }])
  owners.learn([{ track: { kind: 'track', id: 't' }, participantId: 'ben', kind: 'audio' }])
  expect(owned).toEqual(['s ada', 's ben'])
  owners.forget('s')
  expect(owners.participantOf('s')).toBeNull()
})

test('pictures are also known by their media stream, voices by the number of their packets', () => {
  const owned: string[] = []
  const owners = new Owners((source, participantId, kind) => owned.push(`${source} ${participantId} ${kind}`))
  owners.learn([
    { track: { kind: 'stream', id: 's1' }, participantId: 'ada', kind: 'camera' },
    { track: { kind: 'csrc', csrc: 7 }, participantId: 'ben', kind: 'audio' },
  ])
  owners.note('p/1', { ...note('t1'), kind: 'video', streamId: 's1' })
  // A lane's own media stream says nothing about whose voice is in it.
  owners.note('p/2', { ...note('t2'), streamId: 's1' })
  owners.note('csrc:7', csrc(7))
  expect(owned).toEqual(['p/1 ada camera', 'csrc:7 ben audio'])
  expect(['p/1', 'p/2', 'csrc:7'].map((source) => owners.participantOf(source))).toEqual(['ada', null, 'ben'])
})

test('a number that is nobody’s any more is taken from whoever had it; a track stays with its last owner', () => {
  const owned: string[] = []
  const owners = new Owners((source, participantId) => owned.push(`${source} ${participantId}`))
  owners.note('csrc:7', csrc(7))
  owners.note('p/1', note('t1'))
  owners.learn([
    { track: { kind: 'csrc', csrc: 7 }, participantId: 'ben', kind: 'audio' },
    { track: { kind: 'track', id: 't1' }, participantId: 'ada', kind: 'audio' },
  ])
  owners.learn([])
  expect(owned).toEqual(['csrc:7 null', 'csrc:7 ben', 'p/1 ada', 'csrc:7 null'])
  expect(owners.participantOf('csrc:7')).toBeNull()
})

test('live audio of a track is its last owner’s, as in the recording', () => {
  const owners = new Owners(() => undefined)
  owners.note('p/1', note('t1'))
  owners.learn([{ track: { kind: 'track', id: 't1' }, participantId: 'ada', kind: 'audio' }])
  owners.learn([])
  expect(owners.participantOf('p/1')).toBe('ada')
  owners.note('p/1', { ...note('t1'), codec: 'opus' })
  expect(owners.participantOf('p/1')).toBe('ada')
})
