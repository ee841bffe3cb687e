// Who is there and whose the streams are, by what the meeting tells.
import { expect, test } from 'vitest'
import { printedOwners } from '../../../../test/helpers/track-owners.ts'
import type { MeetingEvent } from '../../../domain/meeting.ts'
import type { StreamUpdate, UserUpdate } from './messages.ts'
import { Roster } from './roster.ts'

const user = (id: string, name: string | null, more: Partial<UserUpdate> = {}): UserUpdate => ({
  ...{ id, name, presence: 'here', isSelf: false, parentId: null, isHost: null },
  ...more,
})
const output = (userId: string, kind: StreamUpdate['kind'], streamId: string | null, disabled = false): StreamUpdate => ({
  ...{ userId, kind, streamId, disabled },
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

test('people come by the meeting’s word; the bot itself is not one of the others', () => {
  const { people, outputs, last, events } = bench()
  people(1, SELF, ADA, BEN)
  outputs(2, output('ada', 'audio', '4711'), output('ada', 'video', 'v1', true), output('ben', 'video', 'v2'))
  expect(last('people')?.others).toEqual([
    { id: 'ada', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: false },
    { id: 'ben', name: 'Ben', isHost: false, microphoneOn: false, cameraOn: true },
  ])
  const before = events.length
  people(3, user('ada', null), BEN)
  expect(events.length, 'what changes nothing is not told').toBe(before)
  expect(last('people')?.others[0]).toMatchObject({ name: 'Ada', isHost: true })
})

test('streams belong to persons; a screen is its presenter’s, and nobody of his own', () => {
  const { people, outputs, names, last } = bench()
  outputs(1, output('ada', 'audio', '4711'), output('screen', 'video', 's1'))
  expect(last('tracks'), 'nobody is known yet').toBeUndefined()
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

test('a source that was handed on stays with who has it', () => {
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
  expect(owners(), 'Ben is sent to nobody').toEqual({ 'csrc:102': 'ada' })
  outputs(7, output('ben', 'audio', '101'))
  people(8, { ...ADA, presence: 'left' })
  expect(owners()).toEqual({ 'csrc:101': 'ben' })
})

test('leaving is told by a status, or by a list without somebody; a list that is older than a newcomer does not count', () => {
  const { people, everybody, names } = bench()
  people(0, SELF, ADA, BEN)
  people(1_000, { ...BEN, presence: 'removed' })
  expect(names()).toEqual(['Ada'])
  people(20_000, BEN)
  everybody(21_000, SELF)
  expect(names(), 'Ben has just come').toEqual(['Ben'])
  everybody(40_000, SELF)
  expect(names()).toEqual([])
})

test('the bot’s own end', () => {
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

test('lines of the chat: once each, when they came; its own are only confirmed', () => {
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

test('captions grow by version and end with the final one', () => {
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

test('who speaks: by the owners of the sources; somebody unknown is no silence', () => {
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

test('where the meeting tells nothing, the page’s tiles do; its word ends that', () => {
  const { roster, people, names } = bench()
  roster.see(
    [
      { id: 'bot', name: 'Emissary', isSelf: true },
      { id: 'ada', name: 'Ada', isSelf: false },
    ],
    1,
  )
  expect(names()).toEqual(['Ada'])
  roster.see([{ id: 'bot', name: 'Emissary', isSelf: true }], 2)
  expect(names()).toEqual([])
  people(3, SELF, BEN)
  roster.see([{ id: 'ada', name: 'Ada', isSelf: false }], 4)
  expect(names()).toEqual(['Ben'])
})
