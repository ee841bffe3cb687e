// Zoom's signalling as its page receives it. Wrappers vary, so messages are recognised by their field names.
import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../domain/meeting.ts'
import { Roster } from '../browser-meeting/roster.ts'
import { createReaders } from './protocol.ts'

const name64 = (name: string) => Buffer.from(name).toString('base64')
const ADA = 16_778_240
const BOT = 16_779_264
const BEN = 16_780_288

/** A call in which the bot is called Note taker, and the events that the roster makes of its messages. */
function call(ownName = 'Note taker') {
  const events: MeetingEvent[] = []
  const own: string[] = []
  const roster = new Roster(
    createReaders({ name: ownName }),
    (event) => void events.push(event),
    (line) => void own.push(line),
  )
  const receive = (kind: string, content: unknown) =>
    roster.receive({ kind, text: typeof content === 'string' ? content : JSON.stringify(content) }, 1_000)
  const names = () => roster.at(0).others.map(({ name }) => name)
  return { roster, events, own, receive, names }
}

const joined = (...people: readonly (readonly [number, string])[]) => ({
  evt: 7937,
  seq: 3,
  body: { add: people.map(([id, name]) => ({ id, dn2: name64(name), bBotUser: false })), remove: null },
})

test('reports joins, renames and departures, without the bot itself', () => {
  const { receive, names, roster } = call()
  receive('signalling', joined([ADA, 'Ada'], [BOT, 'Note taker']))
  receive('signalling', joined([BEN, 'Bèn 漢']))
  expect(names()).toEqual(['Ada', 'Bèn 漢'])
  receive('signalling', { evt: 1, body: { update: [{ id: ADA, dn2: name64('Ada L.') }] } })
  expect(names()).toEqual(['Ada L.', 'Bèn 漢'])
  receive('signalling', { evt: 9999, body: { remove: { [BEN]: 1 } } })
  expect(names()).toEqual(['Ada L.'])
  // The page shows how the bot's own stay ended.
  receive('signalling', { body: { remove: { [BOT]: 1 } } })
  expect(roster.ownEnd).toBeNull()
})

test('reports another participant with the bot’s name', () => {
  const { receive, names } = call()
  receive('signalling', joined([BOT, 'Note taker']))
  receive('signalling', joined([BEN, 'Note taker']))
  expect(names()).toEqual(['Note taker'])
})

test('does not end the call when an earlier session of the bot leaves late', () => {
  const { receive, names, roster } = call()
  receive('signalling', joined([BOT, 'Note taker'], [BEN, 'Note taker'], [ADA, 'Ada']))
  receive('signalling', { body: { remove: { [BOT]: 1 } } })
  expect([names(), roster.ownEnd]).toEqual([['Ada'], null])
})

test('recognises the bot by its name cut to 64 characters', () => {
  const { receive, names } = call('n'.repeat(70))
  receive('signalling', joined([ADA, 'Ada'], [BOT, 'n'.repeat(64)]))
  expect(names()).toEqual(['Ada'])
})

test('replaces the participants by the first list after the page has joined a breakout room', () => {
  const { receive, names, events } = call()
  const answer = { evt: 4098, body: { res: 0, userID: BOT, zoomID: 'x' } }
  receive('signalling', answer)
  receive('signalling', joined([ADA, 'Ada'], [BOT, 'Note taker']))
  receive('signalling', { evt: 12033, body: { asn1: ADA } })
  receive('signalling', answer)
  receive('signalling', { evt: 7937, body: { add: [] } })
  expect(names()).toEqual([])
  expect(events.findLast(({ kind }) => kind === 'voice')).toMatchObject({ speakers: [] })
  receive('signalling', joined([BEN, 'Ben'], [BOT, 'Note taker']))
  expect(names()).toEqual(['Ben'])
})

test('reports the speakers of the newest message, and none for an empty one', () => {
  const { receive, events } = call()
  receive('signalling', joined([ADA, 'Ada'], [BEN, 'Ben']))
  const voices = () => events.flatMap((it) => (it.kind === 'voice' ? [it.speakers] : []))
  receive('signalling', { evt: 12033, body: { asn1: ADA, asn2: BEN } })
  receive('signalling', { evt: 12033, body: { asn1: BEN } })
  receive('signalling', { evt: 12033, body: {} })
  receive('signalling', { evt: 12033, body: { asn1: ADA } })
  receive('signalling', { evt: 8005, body: {} })
  receive('signalling', { evt: 12033, body: { asn1: 0 } })
  expect(voices()).toEqual([[String(ADA), String(BEN)], [String(BEN)], [], [String(ADA)], []])
})

test('attributes tracks by the user id in their stream, and a share to its presenter', () => {
  const { receive, events } = call()
  receive('signalling', joined([ADA, 'Ada']))
  const receiveTrack = (kind: string, streamId: string, id: string) => receive('tracks', { id, kind, streamId })
  receiveTrack('audio', `${ADA + 1}+CS+7`, 'track-audio')
  receiveTrack('video', `${ADA}+CS+8`, 'track-camera')
  receiveTrack('video', `${ADA + 2}+CS+9`, 'track-share')
  receiveTrack('video', 'something', 'else')
  receiveTrack('audio', `${BEN}+CS+1`, 'track-of-a-stranger')
  const tracks = events.flatMap((it) => (it.kind === 'tracks' ? [it.tracks] : [])).at(-1)
  const participantId = String(ADA)
  expect(tracks).toEqual([
    { track: { kind: 'track', id: 'track-audio' }, participantId, kind: 'audio' },
    { track: { kind: 'stream', id: `${ADA}+CS+8` }, participantId, kind: 'camera' },
    { track: { kind: 'stream', id: `${ADA + 2}+CS+9` }, participantId, kind: 'screen' },
  ])
})

test('reports each chat line once, and confirms the bot’s own lines', () => {
  const { receive, events, own } = call()
  receive('signalling', joined([ADA, 'Ada'], [BOT, 'Note taker']))
  const lines = [
    { userId: String(ADA), name: 'Ada', text: 'Hello' },
    { userId: String(BOT), name: 'Note taker', text: 'I take notes' },
  ]
  receive('chat', lines)
  receive('chat', [...lines, { userId: String(ADA), name: 'Ada', text: 'Hello' }])
  expect(events.flatMap((it) => (it.kind === 'chat' ? [`${it.name}: ${it.text}`] : []))).toEqual(['Ada: Hello', 'Ada: Hello'])
  expect(own).toEqual(['I take notes'])
})

type CaptionLine = readonly [from: string, text: string, final: boolean]
const captionsOf = (events: readonly MeetingEvent[]) =>
  events.flatMap((it): readonly CaptionLine[] => (it.kind === 'caption' ? [[it.name, it.text, it.final]] : []))

test('prefers captions of signalling, which name their speaker, to those of the page', () => {
  const { receive, events } = call()
  receive('signalling', joined([ADA, 'Ada'], [BEN, 'Ben']))
  receive('signalling', { evt: 12033, body: { asn1: BEN } })
  receive('signalling', { evt: 1, body: { msgId: 'a', text: 'Good', done: false, userId: ADA } })
  receive('captions', ['Good'])
  receive('signalling', { evt: 1, body: { msgId: 'a', text: 'Good morning', done: true, user: { userId: BEN } } })
  expect(captionsOf(events)).toEqual([
    ['Ada', 'Good', false],
    ['Ben', 'Good morning', true],
  ])
})

test('attributes a caption of the page to the speaker at its first appearance', () => {
  const { receive, events } = call()
  receive('signalling', joined([ADA, 'Ada'], [BEN, 'Ben']))
  receive('captions', ['Nobody speaks'])
  receive('captions', [])
  receive('signalling', { evt: 12033, body: { asn1: ADA } })
  receive('captions', ['Good morning every'])
  receive('signalling', { evt: 12033, body: { asn1: BEN } })
  receive('captions', ['Good morning everybody'])
  receive('captions', ['Good morning everybody', 'Hello'])
  receive('captions', ['Hello Ada'])
  receive('captions', [])
  expect(captionsOf(events)).toEqual([
    ['Ada', 'Good morning every', false],
    ['Ada', 'Good morning everybody', false],
    ['Ben', 'Hello', false],
    ['Ada', 'Good morning everybody', true],
    ['Ben', 'Hello Ada', false],
    ['Ben', 'Hello Ada', true],
  ])
})

test.each([
  'no JSON',
  'null',
  '[]',
  '{"body":{"add":[null,1,"x",{},{"id":"__proto__"},{"id":-1,"dn2":5}],"remove":[null,{}],"asn1":{}}}',
  JSON.stringify({ a: { b: { c: { d: { e: { add: [{ id: ADA, dn2: name64('Deep') }] } } } } } }),
])('ignores the invalid message %s', (text) => {
  const { receive, names, events } = call()
  for (const kind of ['signalling', 'chat', 'captions', 'tracks']) receive(kind, text)
  expect(names()).toEqual([])
  expect(events.filter(({ kind }) => kind !== 'voice')).toEqual([])
})
