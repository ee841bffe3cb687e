import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../domain/meeting.ts'
import { SDK_ERRORS } from './errors.ts'
import type { ZoomReport, ZoomUser } from './report.ts'
import { ZoomRoster } from './roster.ts'

const ANN: ZoomUser = { id: 16_778_240, name: 'Ann', isHost: true, microphoneOn: true, cameraOn: false, isSelf: false }
const BOT: ZoomUser = { id: 16_779_264, name: 'Bot', isHost: false, microphoneOn: false, cameraOn: false, isSelf: true }

function bench() {
  const [events, own]: [MeetingEvent[], string[]] = [[], []]
  const roster = new ZoomRoster(
    60_000,
    (event) => events.push(event),
    (line) => own.push(line),
  )
  const receive = (report: ZoomReport, at = 1) => roster.receive(report, at)
  return { roster, events, own, receive }
}

test('attributes a track by the id of its stream, and leaves tracks of unknown users unattributed', () => {
  const { events, receive } = bench()
  receive({ kind: 'users', users: [ANN, BOT] })
  const track = (id: string, streamId: string, kind: 'audio' | 'video') => ({ id, streamId, kind })
  const tracks = [
    track('voice', `${ANN.id}+CS+1`, 'audio'),
    track('camera', `${ANN.id}+CS+2`, 'video'),
    track('screen', `${ANN.id + 1}+CS+3`, 'video'),
    track('own', `${BOT.id}+CS+4`, 'video'),
    track('stranger', '99328+CS+5', 'video'),
    track('mix', 'mix+1', 'audio'),
  ]
  receive({ kind: 'tracks', tracks })
  const participantId = String(ANN.id)
  expect(events.at(-1)).toEqual({
    kind: 'tracks',
    tracks: [
      { track: { kind: 'track', id: 'voice' }, participantId, kind: 'audio' },
      { track: { kind: 'track', id: 'camera' }, participantId, kind: 'camera' },
      { track: { kind: 'track', id: 'screen' }, participantId, kind: 'screen' },
    ],
    at: 1,
  })
})

test('emits people, speakers, chat and captions without the bot itself', () => {
  const { roster, events, own, receive } = bench()
  receive({ kind: 'users', users: [ANN, BOT] })
  receive({ kind: 'users', users: [ANN, BOT] })
  receive({ kind: 'speakers', users: [ANN.id, BOT.id, 5] })
  receive({ kind: 'chat', id: 'a', from: ANN.id, name: '', text: 'Hello' })
  receive({ kind: 'chat', id: 'a', from: ANN.id, name: '', text: 'Hello' })
  receive({ kind: 'chat', id: 'b', from: BOT.id, name: 'Bot', text: 'Hi' })
  receive({ kind: 'caption', id: 'c', from: ANN.id, name: '', text: 'Hello', final: true })
  receive({ kind: 'caption', id: 'd', from: BOT.id, name: '', text: 'Hi', final: true })
  expect(own).toEqual(['Hi'])
  expect(roster.at(2).others.map(({ name }) => name)).toEqual(['Ann'])
  const from = String(ANN.id)
  expect(events.slice(2)).toEqual([
    { kind: 'voice', speakers: [from], at: 1 },
    { kind: 'chat', from, name: 'Ann', text: 'Hello', at: 1 },
    { kind: 'caption', id: 'c', from, name: 'Ann', text: 'Hello', final: true, at: 1 },
  ])
})

test('turns a refusal into a verdict, unless the host denied it or the authorising user may still join', () => {
  const { roster, receive } = bench()
  receive({ kind: 'refused', code: 4017, says: '', isRetried: true }, 1_000)
  expect([roster.screen, roster.refusal(60_999)]).toEqual(['not_started', null])
  expect(roster.refusal(61_000)?.reason).toBe('MeetingNotStarted')
  receive({ kind: 'refused', code: 4006, says: '' })
  expect([roster.screen, roster.refusal(1)?.reason]).toEqual([null, 'MeetingRestricted'])
  receive({ kind: 'refused', code: 3009, says: '' })
  expect([roster.screen, roster.refusal(1)]).toEqual(['denied', null])
  receive({ kind: 'refused', code: 12345, says: 'Odd.' })
  expect(roster.refusal(1)).toEqual({ reason: 'JoinRefused', message: 'Zoom rejected the join with SDK code 12345: Odd.' })
})

test.each([
  [6, null, 'removed', null],
  [1, null, 'ended', null],
  [null, null, 'left', null],
  [null, 4019, 'ended', SDK_ERRORS[4019]?.message],
])('reports an end with reason %s and code %s as %s', (reason, code, end, message) => {
  const { roster, receive } = bench()
  receive({ kind: 'over', reason, code })
  receive({ kind: 'over', reason: 2, code: null })
  expect(roster.ownEnd).toBe(end === 'left' ? 'ended' : end)
  expect(roster.endMessage ?? null).toBe(message ?? null)
})

test('ends ten minutes after the user on whose behalf the bot has joined has gone, unless that user returns', () => {
  const { roster, receive } = bench()
  const see = (at: number) => roster.see([], at, false)
  receive({ kind: 'users', users: [ANN, BOT], authoriser: 'Ann' })
  see(1_000)
  receive({ kind: 'users', users: [BOT], authoriser: 'Ann' })
  see(2_000)
  see(601_999)
  receive({ kind: 'users', users: [ANN, BOT], authoriser: 'Ann' })
  see(602_000)
  receive({ kind: 'users', users: [BOT], authoriser: 'Ann' })
  see(603_000)
  see(1_202_999)
  expect(roster.ownEnd).toBeNull()
  see(1_203_000)
  expect([roster.ownEnd, roster.endMessage]).toEqual(['ended', expect.stringContaining('away for 10 minutes')])
})

const AN_HOUR_MS = 3_600_000

test('misses a user on whose behalf it has joined who leaves before its first look', () => {
  const { roster, receive } = bench()
  receive({ kind: 'users', users: [ANN, BOT], authoriser: 'Ann' })
  receive({ kind: 'users', users: [BOT], authoriser: 'Ann' })
  for (const at of [1_000, AN_HOUR_MS]) roster.see([], at, false)
  expect(roster.ownEnd).toBe('ended')
})

test.each<[string, ZoomReport & { readonly kind: 'users' }, boolean]>([
  ['is in a breakout room, whose users are others', { kind: 'users', users: [BOT], authoriser: 'Ann' }, true],
  ['sees the user under another name', { kind: 'users', users: [{ ...ANN, name: 'Ann (she/her)' }, BOT], authoriser: 'Ann' }, false],
])('stays while it %s', (_where, users, isInRoom) => {
  const { roster, receive } = bench()
  receive({ kind: 'users', users: [ANN, BOT], authoriser: 'Ann' })
  roster.see([], 1_000, false)
  receive(users)
  for (const at of [2_000, AN_HOUR_MS]) roster.see([], at, isInRoom)
  expect(roster.ownEnd).toBeNull()
})

test('stays where it has never found the user on whose behalf it has joined', () => {
  const { roster, receive } = bench()
  receive({ kind: 'users', users: [{ ...ANN, name: 'Meeting room 4' }, BOT], authoriser: 'Ann' })
  for (const at of [1_000, AN_HOUR_MS]) roster.see([], at, false)
  expect(roster.ownEnd).toBeNull()
})

test('ends the speech of a participant who has left', () => {
  const { events, receive } = bench()
  receive({ kind: 'users', users: [ANN, BOT] })
  receive({ kind: 'speakers', users: [ANN.id] })
  receive({ kind: 'users', users: [BOT] })
  expect(events.flatMap((it) => (it.kind === 'voice' ? [it.speakers] : []))).toEqual([[String(ANN.id)], []])
})
