import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/database.ts'
import { claimAll, createTestFleet, type TestFleet } from '../../../test/helpers/fleet.ts'
import { findBot } from '../db/bots.ts'
import { supervise } from './supervise.ts'

const MINUTE_MS = 60_000

let database: TestDatabase
let fleet: TestFleet
beforeAll(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
})
afterAll(() => database.drop())

const look = (laterMs = 0) => supervise({ ...fleet.deps, now: () => new Date(Date.now() + laterMs), seatWaitSeconds: 600 })
const read = async (id: string) => (await findBot(database.db, fleet.workspaceId, id)) ?? expect.fail('no such bot')
const rowOf = (id: string) => database.db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('shows an immediate bot without a seat as queued, and ends it after the wait without a charge', async () => {
  const id = await fleet.create()
  await look(3_000)
  expect((await read(id)).timeline.Queued?.message).toBe('Waiting for a free seat')
  await look(9 * MINUTE_MS)
  expect((await read(id)).status).toBe('Joining')
  await look(11 * MINUTE_MS)
  expect(await read(id)).toMatchObject({ status: 'Error', errorReason: 'NoCapacity', message: expect.stringContaining('No seat') })
  expect(await database.db.selectFrom('credit_entries').select('id').where('bot_id', '=', id).execute()).toEqual([])
})

test('ends a scheduled bot without a seat 20 minutes after its join time, not sooner', async () => {
  const id = await fleet.create({ joinAt: new Date(Date.now() + 5_000) })
  await look(15 * MINUTE_MS)
  expect((await read(id)).status).toBe('Scheduled')
  await look(21 * MINUTE_MS)
  expect(await read(id)).toMatchObject({ status: 'Error', errorReason: 'ScheduledDispatchExhausted' })
  expect((await fleet.eventsOf(id)).map(({ event }) => event)).toEqual(['bot.scheduled', 'bot.stopped', 'bot.done'])
})

test('requeues a bot whose node died, on any node', async () => {
  const id = await fleet.create()
  await claimAll(database.db, 0)
  await look()
  expect(await rowOf(id)).toMatchObject({ node_id: null, lost_at: expect.any(Date), recorded_by: 'node_1' })
  expect((await claimAll(database.db, 60, 'node_2')).map((bot) => [bot.id, bot.fence])).toEqual([[id, 2]])
})

test('requeues the other bots of a lost machine while one of its transactions is still open', async () => {
  const [locked, free] = [await fleet.create(), await fleet.create()]
  await claimAll(database.db, 0)
  await database.db.transaction().execute(async (lost) => {
    await lost.selectFrom('bots').select('id').where('id', '=', locked).forUpdate().execute()
    await look()
    expect([(await rowOf(locked)).node_id, (await rowOf(free)).node_id]).toEqual(['node_1', null])
  })
  await look()
  expect(await rowOf(locked)).toMatchObject({ node_id: null, lost_at: expect.any(Date) })
})

test('records no loss for a scheduled bot whose node died before it started', async () => {
  const id = await fleet.create({ joinAt: new Date(Date.now() + 5_000) })
  await claimAll(database.db, 0)
  await look()
  expect(await rowOf(id)).toMatchObject({ status: 'Scheduled', node_id: null, lost_at: null })
})
