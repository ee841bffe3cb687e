import { expect, test } from 'vitest'
import { processDue, specFor } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Trigger } from '../../../domain/lifecycle.ts'
import { balanceOf } from '../../db/accounts/accounts.ts'
import { findBot } from '../../db/fleet/bots.ts'
import { transition } from './transition.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)

const ZOOM = 'https://zoom.us/j/81234567890'
const MEET = 'https://meet.google.com/abc-defg-hij'
const START = new Date('2026-11-15T09:00:00Z').getTime()

/** Moves a new bot by these triggers, one second apart, and returns its events. */
async function walk(link: string, triggers: readonly Trigger[], stepSeconds = 1) {
  const id = (await fleet.create({ spec: specFor(link) }, new Date(START))) as BotId
  let at = START
  for (const by of triggers) {
    at += stepSeconds * 1000
    expect(await transition(fleet.deps, { bot: id, by, at: new Date(at) }), by).not.toBeNull()
  }
  const events = await fleet.eventsOf(id)
  const bot = await findBot(database.db, fleet.workspaceId, id)
  return { id, bot, announced: events.map((event) => `${event.event}/${event.bot_event}/${event.bot_status}`), events }
}

test('announces a whole call in the specification’s order', async () => {
  const { bot, announced } = await walk(ZOOM, [
    'join_requested',
    'admitted',
    'recording_allowed',
    'leaving',
    'removed',
    'processing_started',
    'processing_finished',
    'media_deleted',
  ])
  expect(announced).toEqual([
    'bot.joining/bot.joining/Joining',
    'bot.in_waiting_room/bot.in_waiting_room/InWaitingRoom',
    'bot.inmeeting/bot.inmeeting/InMeeting',
    'bot.recording_permission_allowed/bot.recording_permission_allowed/RecordingPermissionAllowed',
    'bot.leaving/bot.leaving/Leaving',
    'bot.stopped/bot.kicked/Stopped',
    'bot.mediaprocessing/bot.mediaprocessing/MediaProcessing',
    'bot.done/bot.done/Done',
    'data_deletion/data_deletion/MediaExpired',
  ])
  expect(Object.keys(bot?.timeline ?? {})).toHaveLength(9)
  expect(bot?.endedAt?.toISOString()).toBe('2026-11-15T09:00:05.000Z')
})

test('keeps the status of a bot that never entered, and repeats it in bot.done', async () => {
  const { bot, announced, events } = await walk('https://meet.google.com/abc-defg-hij', ['join_requested', 'leaving', 'refused'])
  expect(bot?.status).toBe('Denied')
  expect(announced.slice(-2)).toEqual(['bot.stopped/bot.denied/Denied', 'bot.done/bot.done/Denied'])
  expect(events.at(-2)).toMatchObject({ status_code: 500, failure_reason: 'InternalError', message: 'Failed: The host refused the bot' })
  expect(await transition(fleet.deps, { bot: bot?.id as BotId, by: 'processing_started', at: new Date() })).toBeNull()
})

test('skips Leaving after platform B’s blocked join, and names its reason', async () => {
  const id = (await fleet.create()) as BotId
  const move = { bot: id, by: 'join_blocked', reason: 'MeetingNotFound', message: 'Check your meeting code', at: new Date() } as const
  expect(await transition(fleet.deps, move)).toBe('Failed')
  const announced = await fleet.eventsOf(id)
  expect(announced.map(({ event }) => event)).toEqual(['bot.joining', 'bot.stopped', 'bot.done'])
  expect(announced[1]).toMatchObject({
    bot_event: 'bot.failed',
    bot_status: 'Failed',
    failure_reason: 'MeetingNotFound',
    message: 'Failed: Check your meeting code',
  })
  expect(await findBot(database.db, fleet.workspaceId, id)).toMatchObject({ errorReason: 'MeetingNotFound', status: 'Failed' })
})

test('ignores a report that arrives late or twice, without an event', async () => {
  const { id, events } = await walk(ZOOM, ['join_requested', 'admitted'])
  expect(await transition(fleet.deps, { bot: id, by: 'admitted', at: new Date() })).toBeNull()
  expect(await transition(fleet.deps, { bot: id, by: 'join_blocked', at: new Date() })).toBeNull()
  expect(await fleet.eventsOf(id)).toHaveLength(events.length)
})

test('ignores a move with an old fence', async () => {
  const id = (await fleet.create()) as BotId
  await database.db.updateTable('bots').set({ fence: 3 }).where('id', '=', id).execute()
  expect(await transition(fleet.deps, { bot: id, by: 'join_requested', fence: 2, at: new Date() })).toBeNull()
  expect(await transition(fleet.deps, { bot: id, by: 'join_requested', fence: 3, at: new Date() })).toBe('InWaitingRoom')
})

test('applies one of several simultaneous moves', async () => {
  const id = (await fleet.create()) as BotId
  const moves = await Promise.all(
    Array.from({ length: 10 }, () => transition(fleet.deps, { bot: id, by: 'join_requested', at: new Date() })),
  )
  expect(moves.filter(Boolean)).toEqual(['InWaitingRoom'])
  expect((await fleet.eventsOf(id)).filter(({ event }) => event === 'bot.in_waiting_room')).toHaveLength(1)
})

test('charges by the second from InMeeting to Leaving, and nothing else', async () => {
  const before = await balanceOf(database.db, fleet.workspaceId)
  await walk(ZOOM, ['join_requested', 'leaving', 'never_admitted'], 100)
  expect(await balanceOf(database.db, fleet.workspaceId)).toBe(before)
  await walk(ZOOM, ['join_requested', 'admitted', 'leaving', 'left'], 100)
  expect(await balanceOf(database.db, fleet.workspaceId)).toBeCloseTo(before - 0.01, 6)
})

test('refunds a bot without a recording, once', async () => {
  const before = await balanceOf(database.db, fleet.workspaceId)
  // It was in the meeting and recorded nothing: the refund comes at once if its status is final, or else after processing.
  await walk(MEET, ['join_requested', 'admitted', 'leaving', 'failed'], 100)
  expect(await balanceOf(database.db, fleet.workspaceId)).toBeCloseTo(before, 6)
  await walk(ZOOM, ['join_requested', 'admitted', 'leaving', 'left'], 100)
  expect(await balanceOf(database.db, fleet.workspaceId)).toBeCloseTo(before - 0.01, 6)
  await database.db
    .updateTable('bots')
    .set({ process_at: new Date(0) })
    .where('process_at', 'is not', null)
    .execute()
  await processDue(fleet.deps)
  const after = await balanceOf(database.db, fleet.workspaceId)
  await processDue(fleet.deps)
  expect(await balanceOf(database.db, fleet.workspaceId)).toBe(after)
  expect(after).toBeGreaterThanOrEqual(before)
})
