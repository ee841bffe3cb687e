// The roster: participants and stream owners from the platform's messages.
import { expect, test } from 'vitest'
import { printedOwners } from '../../../../test/helpers/media/track-owners.ts'
import type { MeetingEvent } from '../../../domain/meeting.ts'
import type { StreamUpdate, UserUpdate } from './messages.ts'
import { Roster } from './roster.ts'

const user = (id: string, name: string | null, more: Partial<UserUpdate> = {}): UserUpdate => ({
  id,
  name,
  presence: 'here',
  isSelf: false,
  parentId: null,
  isHost: null,
  ...more,
})
const output = (userId: string, kind: StreamUpdate['kind'], streamId: string | null, disabled = false): StreamUpdate => ({
  userId,
  kind,
  streamId,
  disabled,
})

const SELF = user('bot', 'Emissary', { isSelf: true })
const ADA = user('ada', 'Ada', { isHost: true })
const BEN = user('ben', 'Ben')

function bench() {
  const events: MeetingEvent[] = []
  const ownLines: string[] = []
  const roster = new Roster(
    {},
    (event) => events.push(event),
    (line) => ownLines.push(line),
  )
  const people = (at: number, ...users: UserUpdate[]) => roster.apply({ kind: 'changes', users, streams: [], chat: [] }, at)
  const outputs = (at: number, ...list: StreamUpdate[]) => roster.apply({ kind: 'changes', users: [], streams: list, chat: [] }, at)
  const everybody = (at: number, ...users: UserUpdate[]) => roster.apply({ kind: 'everybody', users }, at)
  const write = (id: string, userId: string, text: string) =>
    roster.apply({ kind: 'changes', users: [], streams: [], chat: [{ id, userId, text }] }, 7)
  const names = () => roster.at(0).others.map(({ name }) => name)
  const last = <Kind extends MeetingEvent['kind']>(kind: Kind) =>
    events.findLast((it): it is Extract<MeetingEvent, { kind: Kind }> => it.kind === kind)
  return { roster, events, ownLines, people, outputs, everybody, write, names, last }
}

test('says how the owner of each audio stream is known, and keeps it for participants who stay', () => {
  const { roster, people, outputs, last } = bench()
  people(1, SELF, ADA, BEN)
  outputs(2, output('ada', 'audio', '4711'))
  const tile = (...sources: string[]) => ({ id: 'ben', name: 'Ben', isSelf: false, sources, room: null })
  roster.see([tile('4712')], 3)
  expect(last('people')?.attributions).toEqual({ ada: 'list', ben: 'page' })
  roster.see([tile()], 4)
  people(5, user('ada', null, { presence: 'left' }))
  expect(roster.at(6).attributions).toEqual({ ben: 'page' })
})

test('lists participants without the bot, and emits only changes', () => {
  const { people, outputs, last, events } = bench()
  people(1, SELF, ADA, BEN)
  outputs(2, output('ada', 'audio', '4711'), output('ada', 'video', 'v1', true), output('ben', 'video', 'v2'))
  expect(last('people')?.others).toEqual([
    { id: 'ada', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: false },
    { id: 'ben', name: 'Ben', isHost: false, microphoneOn: false, cameraOn: true },
  ])
  const before = events.length
  people(3, user('ada', null), BEN)
  expect(events.length, 'no event without a change').toBe(before)
  expect(last('people')?.others[0]).toMatchObject({ name: 'Ada', isHost: true })
})

test('assigns streams to participants, and a screen to its presenter', () => {
  const { people, outputs, names, last } = bench()
  outputs(1, output('ada', 'audio', '4711'), output('screen', 'video', 's1'))
  expect(last('tracks'), 'no user is known yet').toBeUndefined()
  people(2, SELF, ADA)
  expect(printedOwners(last('tracks')?.tracks)).toEqual([{ trackId: 'csrc:4711', participantId: 'ada', kind: 'audio' }])
  people(3, user('screen', 'Ada', { parentId: 'ada' }))
  outputs(4, output('ada', 'video', 'v1'), output('bot', 'audio', '1'))
  expect(printedOwners(last('tracks')?.tracks)).toEqual([
    { trackId: 'csrc:4711', participantId: 'ada', kind: 'audio' },
    { trackId: 'stream:s1', participantId: 'ada', kind: 'screen' },
    { trackId: 'stream:v1', participantId: 'ada', kind: 'camera' },
  ])
  expect(names()).toEqual(['Ada'])
})

test('moves a source to its new owner', () => {
  const { people, outputs, last } = bench()
  const owners = () =>
    Object.fromEntries(printedOwners(last('tracks')?.tracks).map(({ trackId, participantId }) => [trackId, participantId]))
  people(1, SELF, ADA, BEN)
  outputs(2, output('ada', 'audio', '100'), output('ben', 'audio', '200'))
  outputs(3, output('ada', 'audio', '101'))
  expect(owners()).toEqual({ 'csrc:101': 'ada', 'csrc:200': 'ben' })
  outputs(4, output('ben', 'audio', '101'))
  expect(owners()).toEqual({ 'csrc:101': 'ben' })
  outputs(5, output('ada', 'audio', '102'))
  expect(owners(), 'Ada’s old one is Ben’s by now').toEqual({ 'csrc:101': 'ben', 'csrc:102': 'ada' })
  outputs(6, output('ben', 'audio', null))
  expect(owners(), 'Ben is not received').toEqual({ 'csrc:102': 'ada' })
  outputs(7, output('ben', 'audio', '101'))
  people(8, { ...ADA, presence: 'left' })
  expect(owners()).toEqual({ 'csrc:101': 'ben' })
})

test('removes participants by status, or by a full list that is newer than their join', () => {
  const { people, everybody, names } = bench()
  people(0, SELF, ADA, BEN)
  people(1_000, { ...BEN, presence: 'removed' })
  expect(names()).toEqual(['Ada'])
  people(20_000, BEN)
  everybody(21_000, SELF)
  expect(names(), 'Ben has just joined').toEqual(['Ben'])
  everybody(40_000, SELF)
  expect(names()).toEqual([])
})

test('reports the end of the bot’s own call', () => {
  const { roster, people } = bench()
  people(1, SELF, ADA)
  expect(roster.ownEnd).toBeNull()
  people(2, user('bot', null, { presence: 'left' }))
  expect(roster.ownEnd).toBe('left')
  people(3, user('bot', null))
  expect(roster.ownEnd).toBeNull()
  people(4, user('bot', null, { presence: 'removed' }))
  expect(roster.ownEnd).toBe('removed')
  people(5, user('bot again', 'Emissary', { isSelf: true }))
  expect(roster.ownEnd).toBeNull()
  expect(roster.at(0).others.map(({ name }) => name)).toEqual(['Ada'])
})

test('emits each chat message once with its arrival time, and only confirms its own', () => {
  const { people, write, events, ownLines } = bench()
  people(1, SELF, ADA)
  write('m1', 'ada', 'Hello')
  write('m1', 'ada', 'Hello')
  write('m2', 'bot', 'I take notes')
  write('m3', 'ada', 'Fine')
  const chat = events.filter((it) => it.kind === 'chat')
  expect(chat).toEqual(['Hello', 'Fine'].map((text) => ({ kind: 'chat', from: 'ada', name: 'Ada', text, at: 7 })))
  expect(ownLines).toEqual(['I take notes'])
})

test('emits captions with increasing versions until the final one', () => {
  const { roster, people, events } = bench()
  people(1, SELF, ADA)
  const say = (version: number, text: string, final = false, userId = 'ada') =>
    roster.apply({ kind: 'caption', caption: { id: `${userId}/1`, userId, version, final, text } }, version)
  say(1, 'Good')
  say(3, 'Good morning all')
  say(2, 'Good morning')
  say(4, 'Good morning, all.', true)
  say(5, 'Late')
  say(1, 'Mine', true, 'bot')
  expect(events.filter((it) => it.kind === 'caption')).toEqual([
    { kind: 'caption', id: 'ada/1', from: 'ada', name: 'Ada', text: 'Good', final: false, at: 1 },
    { kind: 'caption', id: 'ada/1', from: 'ada', name: 'Ada', text: 'Good morning all', final: false, at: 3 },
    { kind: 'caption', id: 'ada/1', from: 'ada', name: 'Ada', text: 'Good morning, all.', final: true, at: 4 },
  ])
})

test('names speakers by the owners of their sources, and counts an unknown source as speech', () => {
  const { roster, people, outputs, last } = bench()
  people(1, SELF, ADA, BEN)
  outputs(2, output('ada', 'audio', '100'))
  const speak = (at: number, ...sources: number[]) => {
    roster.apply({ kind: 'voice', sources }, at)
    return last('voice')
  }
  expect(speak(1_000, 100)).toEqual({ kind: 'voice', speakers: ['ada'], at: 1_000 })
  expect(speak(3_000, 999)?.speakers).toEqual(['csrc:999'])
  expect(speak(4_000)?.speakers).toEqual([])
})

test('uses the page’s tiles until the platform sends users', () => {
  const { roster, people, names } = bench()
  roster.see(
    [
      { id: 'bot', name: 'Emissary', isSelf: true, sources: [], room: null },
      { id: 'ada', name: 'Ada', isSelf: false, sources: [], room: null },
    ],
    1,
  )
  expect(names()).toEqual(['Ada'])
  roster.see([{ id: 'bot', name: 'Emissary', isSelf: true, sources: [], room: null }], 2)
  expect(names()).toEqual([])
  people(3, SELF, BEN)
  roster.see([{ id: 'ada', name: 'Ada', isSelf: false, sources: [], room: null }], 4)
  expect(names()).toEqual(['Ben'])
})

test('names a speaker whom no list has by the page’s tile, and reports the track', () => {
  const { roster, people, last } = bench()
  people(1, SELF, ADA, BEN)
  roster.see([{ id: 'ben', name: 'Ben', isSelf: false, sources: ['300'], room: null }], 2)
  expect(printedOwners(last('tracks')?.tracks)).toEqual([{ trackId: 'csrc:300', participantId: 'ben', kind: 'audio' }])
  roster.apply({ kind: 'voice', sources: [300] }, 3)
  expect(last('voice')?.speakers).toEqual(['ben'])
})

test('learns the owner of a stream from a record with user and stream', () => {
  const { roster, people, last } = bench()
  people(1, SELF, ADA)
  roster.apply({ kind: 'speaking', users: [{ userId: 'ada', streamId: '100', speaks: true }] }, 2)
  expect(printedOwners(last('tracks')?.tracks)).toEqual([{ trackId: 'csrc:100', participantId: 'ada', kind: 'audio' }])
})

test('names the speaker of a record that has only a stream', () => {
  const { roster, people, outputs, last } = bench()
  people(1, SELF, ADA)
  outputs(2, output('ada', 'audio', '100'))
  const speak = (speaks: boolean) => roster.apply({ kind: 'speaking', users: [{ userId: null, streamId: '100', speaks }] }, 3)
  speak(true)
  expect(last('voice')?.speakers).toEqual(['ada'])
  speak(false)
  expect(last('voice')?.speakers).toEqual([])
})

test('names the dominant speaker while there is sound, until a packet names its source', () => {
  const { roster, people, outputs, events, last } = bench()
  people(1, SELF, ADA, BEN)
  outputs(2, output('ada', 'audio', '100'), output('ben', 'audio', '200'))
  const dominant = (streamId: string, at: number) => roster.apply({ kind: 'dominant', streamId }, at)
  const sound = (isAudible: boolean, at: number) => roster.apply({ kind: 'sound', isAudible, agoMs: 100 }, at)
  dominant('100', 1_000)
  dominant('200', 1_500)
  sound(true, 2_100)
  expect(last('voice')).toMatchObject({ speakers: ['ben'], at: 2_100 })
  sound(false, 4_100)
  expect(last('voice')?.speakers).toEqual([])
  expect(last('spoken')).toEqual({ kind: 'spoken', from: 'ben', spoken: { fromMs: 2_000, toMs: 4_000 } })
  roster.apply({ kind: 'voice', sources: [100] }, 5_000)
  const before = events.length
  sound(true, 6_100)
  dominant('100', 7_000)
  expect(events.slice(before)).toEqual([])
  expect(roster.needsCaptions).toBe(false)
})

test('names the dominant speaker of a sound that lasts', () => {
  const { roster, people, outputs, last } = bench()
  people(1, SELF, ADA, BEN)
  outputs(2, output('ada', 'audio', '100'), output('ben', 'audio', '200', true))
  roster.apply({ kind: 'sound', isAudible: true, agoMs: 0 }, 1_000)
  roster.see([], 4_000)
  expect(last('spoken')).toEqual({ kind: 'spoken', from: 'ada', spoken: { fromMs: 1_000, toMs: 3_000 } })
})
