import { expect, test } from 'vitest'
import { specFor } from '../../../../test/helpers/service/fleet.ts'
import type { MeetingEvent } from '../../../domain/meeting.ts'
import { factsOf } from '../browser-meeting/facts.ts'
import { replacePageRules } from '../browser-meeting/replace-page-rules.ts'
import { screenOf } from '../browser-meeting/screens.ts'
import { builtInRoom } from './client.ts'
import { PAGE_RULES } from './page-rules.ts'
import { RoomRoster } from './roster.ts'

const BASE = 'http://127.0.0.1:8080'

test('builds an address that joins at once and keeps the bot’s token', () => {
  const spec = specFor(`${BASE}/room/daily`, { name: 'Note taker' }, BASE)
  const { pathname, searchParams } = builtInRoom.addressOf(
    { ...spec, meeting: { ...spec.meeting, url: `${spec.meeting.url}?token=abc` } },
    'live',
  )
  expect([pathname, Object.fromEntries(searchParams)]).toEqual([
    '/room/daily',
    { token: 'abc', name: 'Note taker', join: '1', bot: '1', mic: '0', cam: '0', sound: '0' },
  ])
})

test('receives no video for a bot that records none', () => {
  const { searchParams } = builtInRoom.addressOf(specFor(`${BASE}/room/daily`, { video: false }, BASE), 'live')
  expect(searchParams.get('video')).toBe('0')
})

test('does not ask to join when it only looks', () => {
  expect(builtInRoom.addressOf(specFor(`${BASE}/room/daily`, {}, BASE), 'look').search).toBe('')
})

test('asks for long audio packets unless the bot sends audio or words live', () => {
  const spec = specFor(`${BASE}/room/daily`, {}, BASE)
  const packets = (purpose: 'record' | 'live') => builtInRoom.addressOf(spec, purpose).searchParams.get('ptime')
  expect([packets('record'), packets('live')]).toEqual(['60', null])
})

test.each([
  [['call', 'leave'], 'inside', 'inside'],
  [['waiting', 'leave'], 'waiting', 'unknown'],
  [['over', 'full'], 'restricted', 'unknown'],
  [['over', 'refused'], 'denied', 'unknown'],
  [['over'], 'ended', 'unknown'],
  [['over', 'badLink'], 'invalid', 'unknown'],
  [['nameField', 'join'], 'prejoin', 'unknown'],
])('recognises a page with %j as the screen %s before the call and %s in the call', (present, door, call) => {
  const facts = factsOf({ present, visible: present }, `${BASE}/room/daily`)
  expect([screenOf(facts, PAGE_RULES, 'door'), screenOf(facts, PAGE_RULES, 'call')]).toEqual([door, call])
})

test('allows its page rules to be replaced', () => {
  expect(replacePageRules(PAGE_RULES, { controls: { leave: [{ css: '#leave' }] } }).problems).toEqual([])
  expect(replacePageRules(PAGE_RULES, { notices: { call: ['toast'] } }).problems).toEqual(['call names toast, which is not in controls'])
})

const SELF = { id: 'bot', name: 'Bot', host: false, media: { microphone: false, camera: false } }
const ADA = { id: 'ada', name: 'Ada', host: true, media: { microphone: true, camera: false } }

test('turns published states into events without the bot itself, until the room publishes the end', () => {
  const [events, own]: [MeetingEvent[], string[]] = [[], []]
  const roster = new RoomRoster(
    (event) => events.push(event),
    (line) => own.push(line),
  )
  const inside = {
    phase: 'inside',
    ending: null,
    self: SELF,
    people: [ADA, SELF],
    speaking: ['ada', 'bot'],
    tracks: [{ id: 't1', person: 'ada', kind: 'microphone' }],
  }
  roster.receive({ kind: 'people', snapshot: inside }, 1)
  roster.receive({ kind: 'speaking', snapshot: inside }, 2)
  roster.receive({ kind: 'chat', line: { from: 'ada', name: 'Ada', text: 'Hello', at: 3 }, snapshot: inside }, 4)
  roster.receive({ kind: 'chat', line: { from: 'bot', name: 'Bot', text: 'Hi', at: 5 }, snapshot: inside }, 6)
  expect(own).toEqual(['Hi'])
  const ada = { id: 'ada', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: false }
  expect(events).toEqual([
    { kind: 'tracks', tracks: [{ track: { kind: 'track', id: 't1' }, participantId: 'ada', kind: 'audio' }], at: 1 },
    { kind: 'people', others: [ada], at: 1 },
    { kind: 'voice', speakers: ['ada'], at: 2 },
    { kind: 'chat', from: 'ada', name: 'Ada', text: 'Hello', at: 3 },
  ])
  expect([roster.screen, roster.ownEnd]).toEqual(['inside', null])
  roster.receive({ kind: 'phase', snapshot: { ...inside, phase: 'over', ending: 'removed', self: null, people: [] } }, 7)
  expect([roster.screen, roster.ownEnd, roster.at(8).others]).toEqual([null, 'removed', [ada]])
})
