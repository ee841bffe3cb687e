import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/service/database.ts'
import { addTeamsLogins, claimAll, createTestFleet, specFor, type TestFleet } from '../../../../test/helpers/service/fleet.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Claim } from './claims.ts'
import { writeRoster } from './meetings.ts'
import { renewClaims } from './node-leases.ts'
import { beginSuccession, endSuccession, successionOf, successors, takeOver } from './successions.ts'

const ROOM = 'http://127.0.0.1:4000/room/standup'
const TEN_MINUTES = { withinSeconds: 600 }

let database: TestDatabase
let fleet: TestFleet
beforeAll(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
})
afterAll(() => database.drop())
beforeEach(() => database.db.deleteFrom('bots').execute())

/** A bot in its meeting, held by the node that drains. */
async function heldBot(link = ROOM): Promise<Claim> {
  const botId = (await fleet.create({ spec: specFor(link, {}, 'http://127.0.0.1:4000') })) as BotId
  await claimAll(database.db, 60, 'draining')
  await database.db.updateTable('bots').set({ status: 'InMeeting' }).where('id', '=', botId).execute()
  return { botId, fence: 1 }
}

const begin = (claim: Claim, nodeId = 'next') => beginSuccession(database.db, { claim, nodeId, ...TEN_MINUTES })
const renew = (nodeId: string, claims: readonly Claim[]) =>
  renewClaims(database.db, { nodeId, claims, leaseSeconds: 60, knows: null }).then((kept) => [...kept])

test('gives the bot to the successor that is in the meeting', async () => {
  const claim = await heldBot()
  const bot = await begin(claim)
  expect(bot).toMatchObject({ id: claim.botId, status: 'InMeeting', fence: 1_001, isPaused: false, beside: { namesakes: [] } })
  expect(await successionOf(database.db, claim)).toBe('pending')
  const own = { botId: claim.botId, fence: 1_001 }
  expect(await takeOver(database.db, own, 60)).toEqual({ isPaused: false, pauseChangedAt: null })
  expect(await successionOf(database.db, claim)).toBe('taken')
  const row = await database.db.selectFrom('bots').select(['fence', 'node_id', 'recorded_by', 'lost_at']).executeTakeFirst()
  expect(row).toEqual({ fence: 1_001, node_id: 'next', recorded_by: 'next', lost_at: null })
})

test('renews both claims while the successor joins, and only its own afterwards', async () => {
  const claim = await heldBot()
  const own = { botId: claim.botId, fence: 1_001 }
  expect(await renew('next', [own])).toEqual([])
  await begin(claim)
  expect([await renew('draining', [claim]), await renew('next', [own])]).toEqual([[claim.botId], [claim.botId]])
  await takeOver(database.db, own, 60)
  expect([await renew('draining', [claim]), await renew('next', [own])]).toEqual([[], [claim.botId]])
})

test('does not renew the claim of a successor that gave up, came too late, or whose bot has ended', async () => {
  const claim = await heldBot()
  const own = { botId: claim.botId, fence: 1_001 }
  await begin(claim)
  await database.db.updateTable('bots').set({ launch_at: null }).execute()
  expect(await renew('next', [own])).toEqual([])
  await database.db.updateTable('bots').set({ launch_at: new Date() }).execute()
  expect(await renew('next', [own])).toEqual([claim.botId])
  await endSuccession(database.db, own)
  expect(await renew('next', [own])).toEqual([])
  expect(await successionOf(database.db, claim)).toBe('over')
  await beginSuccession(database.db, { claim, nodeId: 'next', withinSeconds: -1 })
  expect(await renew('next', [own])).toEqual([])
  expect(await successionOf(database.db, claim)).toBe('over')
})

test('takes no bot over that another node has claimed meanwhile', async () => {
  const claim = await heldBot()
  await begin(claim)
  await database.db.updateTable('bots').set({ fence: 2, node_id: 'another' }).execute()
  expect(await takeOver(database.db, { botId: claim.botId, fence: 1_001 }, 60)).toBeNull()
  expect(await database.db.selectFrom('bots').select(['fence', 'node_id']).executeTakeFirst()).toEqual({ fence: 2, node_id: 'another' })
})

test('takes a bot over that was lost meanwhile and waits for a seat', async () => {
  const claim = await heldBot()
  await begin(claim)
  await database.db.updateTable('bots').set({ node_id: null, lost_at: new Date() }).execute()
  expect(await takeOver(database.db, { botId: claim.botId, fence: 1_001 }, 60)).not.toBeNull()
})

test('lets one node at a time succeed, and the next one when its time is over', async () => {
  const claim = await heldBot()
  expect(await begin(claim, 'next')).not.toBeNull()
  expect(await begin(claim, 'third')).toBeNull()
  await sql`update successions set ends_at = now()`.execute(database.db)
  expect(await begin(claim, 'third')).toMatchObject({ fence: 1_001 })
})

test('begins no succession by the holder, under another claim, outside the meeting, with an account, or on Zoom', async () => {
  const claim = await heldBot()
  expect(await begin(claim, 'draining')).toBeNull()
  expect(await begin({ ...claim, fence: 2 })).toBeNull()
  const zoom = await heldBot('https://zoom.us/j/12345678901?pwd=abc')
  expect(await begin(zoom)).toBeNull()
  await addTeamsLogins(database.db, fleet.workspaceId, 'example.com', ['bot@example.com'])
  await sql`update bots set login_id = (select id from logins) where id = ${claim.botId}`.execute(database.db)
  expect(await begin(claim)).toBeNull()
  await database.db.updateTable('bots').set({ login_id: null, status: 'InWaitingRoom' }).where('id', '=', claim.botId).execute()
  expect(await begin(claim)).toBeNull()
})

test('names participants who have the bot’s name and are not the bot', async () => {
  const claim = await heldBot()
  const { name } = specFor(ROOM, {}, 'http://127.0.0.1:4000')
  const person = (id: string, called: string) => ({ id, name: called, isHost: false, microphoneOn: true, cameraOn: true })
  const report = (...others: readonly ReturnType<typeof person>[]) =>
    writeRoster(database.db, claim, { others, spokenMs: {}, at: Date.now() })
  await report(person('gone', name))
  await report(person('namesake', name), person('ada', 'Ada'))
  expect((await begin(claim))?.beside).toEqual({ namesakes: ['namesake'] })
})

test('lists nodes with a free seat that run bots and do not drain, the youngest first', async () => {
  const node = { address: '', key: '', seats: 4, freed_seats: 0, version: '', reads_bundles: true, joined_at: new Date() }
  const alive = { ...node, roles: ['fleet'], free_seats: 1, draining: false, alive_until: new Date(Date.now() + 60_000) }
  const rows = [
    { ...alive, id: 'draining', draining: true, started_at: new Date(5) },
    { ...alive, id: 'full', free_seats: 0, started_at: new Date(4) },
    { ...alive, id: 'old', started_at: new Date(1) },
    { ...alive, id: 'young', started_at: new Date(3) },
    { ...alive, id: 'gone', alive_until: new Date(0), started_at: new Date(4) },
    { ...alive, id: 'api', roles: ['api'], started_at: new Date(4) },
  ]
  await database.db.insertInto('nodes').values(rows).execute()
  expect((await successors(database.db, 'asking')).map(({ id }) => id)).toEqual(['young', 'old'])
})
