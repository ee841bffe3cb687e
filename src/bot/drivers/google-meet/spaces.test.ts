// Breakout rooms by the bot's own entry: whose people are here, and whose are gone.
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { collections, syncReply } from '../../../../sims/google-meet/sfu/messages.ts'
import { Roster } from '../browser-meeting/roster.ts'
import { createReaders } from './spaces.ts'

const PLACE = { outputsAt: 'usual', outputsName: 'owners' } as const
const user = (space: string, number: number, name: string) => ({
  deviceId: `spaces/${space}/devices/${number}`,
  name,
  displayName: name,
  picture: undefined,
  host: false,
  status: 1 as const,
  parentDeviceId: undefined,
})
const [BOT, ADA] = [user('main', 1, 'Emissary'), user('main', 2, 'Ada')]
const [BOT_IN_RED, BEN] = [user('red', 1, 'Emissary'), user('red', 2, 'Ben')]

function bench() {
  const readers = createReaders()
  const roster = new Roster(
    readers,
    () => undefined,
    () => undefined,
  )
  let at = 0
  const report = (kind: string, bytes: Buffer) => roster.receive({ kind, data: bytes.toString('base64') }, ++at)
  return {
    roster,
    channel: (self: typeof BOT, ...users: (typeof BOT)[]) =>
      report(
        'collections',
        collections(
          users.map((it) => ({ about: 'user', user: it })),
          1,
          { self: self.deviceId, ...PLACE },
        ),
      ),
    answer: (self: typeof BOT, ...users: (typeof BOT)[]) => report('sync', Buffer.from(syncReply(users, 1, self.deviceId), 'base64')),
    names: () => roster.at(0).others.map(({ name }) => name),
  }
}

test('drops the people of the meeting as soon as the bot is in a breakout room, and those of the room on its return', () => {
  const { channel, answer, names, roster } = bench()
  channel(BOT, BOT, ADA)
  expect(names()).toEqual(['Ada'])
  channel(BOT_IN_RED, BEN, BOT_IN_RED)
  expect(names()).toEqual(['Ben'])
  answer(BOT, BOT, ADA)
  expect(names(), 'an answer from the meeting is late').toEqual(['Ben'])
  channel(BOT, BOT, ADA)
  expect(names()).toEqual(['Ada'])
  expect(roster.ownEnd).toBeNull()
})

test('follows answers where no channel names the bot', () => {
  const { answer, names } = bench()
  answer(BOT, BOT, ADA)
  answer(BOT_IN_RED, BOT_IN_RED, BEN)
  expect(names()).toEqual(['Ben'])
})

test('passes on what names no space, and what is broken', () => {
  const readers = createReaders()
  expect(readers.collections?.(deflateSync('nonsense'))).toBeNull()
  const opaque = { ...ADA, deviceId: 'opaque' }
  expect(readers.sync?.(Buffer.from(syncReply([opaque], 1, 'opaque'), 'base64'))).toMatchObject({
    kind: 'everybody',
    users: [{ id: 'opaque' }],
  })
})

test('dates the move into a breakout room and back by the messages', () => {
  const { channel, answer, roster } = bench()
  channel(BOT, BOT, ADA)
  expect(roster.room).toBeNull()
  channel(BOT_IN_RED, BEN, BOT_IN_RED)
  expect(roster.room).toEqual({ name: '', sinceMs: 2 })
  answer(BOT, BOT, ADA)
  channel(BOT, BOT, ADA)
  expect(roster.room).toEqual({ name: null, sinceMs: 4 })
})
