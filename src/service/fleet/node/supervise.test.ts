import { expect, test } from 'vitest'
import { addTeamsLogins, claimAll, createTestFleet, specFor } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import { grantCredits } from '../../accounts/credits.ts'
import { deleteDomain } from '../../db/accounts/logins.ts'
import { findBot } from '../../db/fleet/bots.ts'
import { renewClaims } from '../../db/fleet/node-leases.ts'
import { renewNode } from '../../db/fleet/nodes.ts'
import { loseBot } from '../bot/lose.ts'
import { reschedule } from '../bot/schedule.ts'
import { LapseRights } from './lapse-rights.ts'
import { OverdueBots } from './overdue-bots.ts'
import { Strangers } from './strangers.ts'
import { supervise } from './supervise.ts'

const MINUTE_MS = 60_000
const ENDING = {
  nodeId: 'node_looking',
  rights: new LapseRights({ reachesDatabase: async () => true }),
  strangers: new Strangers({ ask: async () => 'silent', predecessors: new Set() }),
}

const database = databaseForFile()
const fleet = fleetForFile(database)

const soon = () => new Date(Date.now() + 5_000)
const look = (laterMs = 0, { deps } = fleet, overdue = new OverdueBots()) =>
  supervise({
    ...deps,
    ...ENDING,
    overdue,
    now: () => new Date(Date.now() + laterMs),
    seatWaitSeconds: 600,
    zoom: { way: 'sdk', app: null, obstacle: null },
  })
/** Looks every ten seconds for half a minute. */
async function lookAgain(laterMs: number): Promise<void> {
  let nowMs = 0
  const overdue = new OverdueBots(() => nowMs)
  for (; nowMs <= 30_000; nowMs += 10_000) await look(laterMs, fleet, overdue)
}
const read = async (id: string) => (await findBot(database.db, fleet.workspaceId, id)) ?? expect.fail('no such bot')
const rowOf = (id: string) => database.db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('shows an immediate bot without a seat as queued, and ends it after the wait without a charge', async () => {
  const id = await fleet.create()
  await look(3_000)
  expect((await read(id)).timeline.Queued?.message).toBe('Waiting for a free seat')
  await look(9 * MINUTE_MS)
  expect((await read(id)).status).toBe('Joining')
  await lookAgain(11 * MINUTE_MS)
  expect(await read(id)).toMatchObject({ status: 'Error', errorReason: 'NoCapacity', message: expect.stringContaining('No seat') })
  expect(await database.db.selectFrom('credit_entries').select('id').where('bot_id', '=', id).execute()).toEqual([])
})

test('ends a scheduled bot without a seat 20 minutes after its join time, not sooner', async () => {
  const id = await fleet.create({ joinAt: soon() })
  await look(15 * MINUTE_MS)
  expect((await read(id)).status).toBe('Scheduled')
  await lookAgain(21 * MINUTE_MS)
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

test('gives the database as the reason for a claim that lapsed while no node could renew it', async () => {
  const id = await fleet.create()
  await claimAll(database.db, 0)
  const { launch_at: lapsedAt } = await rowOf(id)
  const asked: Date[] = []
  const wasDown = (at: Date) => asked.push(at) > 0
  await supervise({
    ...fleet.deps,
    ...ENDING,
    overdue: new OverdueBots(),
    seatWaitSeconds: 600,
    zoom: { way: 'sdk', app: null, obstacle: null },
    wasDown,
  })
  expect(asked).toEqual([lapsedAt])
  const losses = await database.db.selectFrom('absences').select(['reason', 'counts']).where('bot_id', '=', id).execute()
  expect(losses).toEqual([{ reason: 'DatabaseUnreachable', counts: false }])
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

test('requeues the bots of a node that fell silent, from its last renewal on', async () => {
  const id = await fleet.create()
  const claims = (await claimAll(database.db)).map((bot) => ({ botId: bot.id, fence: bot.fence }))
  const node = { id: 'node_1', address: '', key: '', seats: 1, freeSeats: 0, freedSeats: 0, draining: false, version: '', outageSeconds: 0 }
  await renewNode(database.db, { ...node, roles: ['fleet'], startedAt: new Date() }, 8)
  for (let count = 0; count < 2; count++) await renewClaims(database.db, { nodeId: 'node_1', claims, leaseSeconds: 7.5, knows: null })
  await look()
  expect(await rowOf(id)).toMatchObject({ node_id: 'node_1' })
  const holdsUntil = new Date(Date.now() - 1_000)
  await database.db.updateTable('nodes').set({ holds_until: holdsUntil }).execute()
  await look()
  expect(await rowOf(id)).toMatchObject({ node_id: null, lost_at: new Date(holdsUntil.getTime() - 7_500) })
})

test('keeps a bot whose claim was renewed while it was about to be lost', async () => {
  const id = await fleet.create()
  const bot = (await claimAll(database.db)).find((it) => it.id === id) ?? expect.fail('the bot was not claimed')
  const claim = { botId: bot.id, fence: bot.fence }
  await loseBot(fleet.deps, claim, { reason: 'WorkerLost', from: new Date(), onlyIfLapsed: true })
  expect(await rowOf(id)).toMatchObject({ node_id: 'node_1', lost_at: null })
})

test('gives nodes the time to claim a bot that was lost longer ago than it may wait', async () => {
  const id = await fleet.create()
  await claimAll(database.db, 0)
  await look(11 * MINUTE_MS)
  expect(await read(id)).toMatchObject({ status: 'Joining', errorReason: null })
  expect((await claimAll(database.db, 60, 'node_2')).map((bot) => bot.id)).toContain(id)
})

test('records no loss for a scheduled bot whose node died before it started', async () => {
  const id = await fleet.create({ joinAt: soon() })
  await claimAll(database.db, 0)
  await look()
  expect(await rowOf(id)).toMatchObject({ status: 'Scheduled', node_id: null, lost_at: null })
})

/** A scheduled bot that signs in with an account of the domain. */
async function createSignedIn(domain: string): Promise<string> {
  await addTeamsLogins(database.db, fleet.workspaceId, domain, [`a@${domain}`])
  const signIn = { platform: 'teams', domain, email: null, strict: false, required: null } as const
  return fleet.create({ spec: specFor('https://teams.microsoft.com/meet/2345678901234?p=abcDEF', { signIn }), joinAt: soon() })
}

const forgetDomain = (domain: string) => deleteDomain(database.db, { workspaceId: fleet.workspaceId, platform: 'teams', domain })

test('rejects a scheduled bot without a seat when it is due if its login domain was deleted', async () => {
  const id = await createSignedIn('gone.example')
  await forgetDomain('gone.example')
  await look()
  expect(await read(id)).toMatchObject({
    status: 'Error',
    errorReason: 'ScheduledDispatchRejected',
    message: expect.stringContaining('gone.example'),
  })
  expect((await fleet.eventsOf(id)).map(({ event }) => event)).toEqual(['bot.scheduled', 'bot.error', 'bot.done'])
})

test('rejects a scheduled bot without a seat when it is due if the credits are used up', async () => {
  const paid = await createTestFleet(database.db, { tariff: { enforced: true, pricePerHour: 0.36, currency: 'USD' } })
  await grantCredits(database.db, paid.workspaceId, 5, new Date())
  const id = await paid.create({ joinAt: soon() })
  await grantCredits(database.db, paid.workspaceId, -5, new Date())
  await look(0, paid)
  expect(await findBot(database.db, paid.workspaceId, id)).toMatchObject({ status: 'Error', errorReason: 'InsufficientCredits' })
  expect((await paid.eventsOf(id)).map(({ event }) => event)).toEqual(['bot.scheduled', 'bot.error', 'bot.done'])
})

test('checks a scheduled bot without a seat once, and leaves its login to others', async () => {
  const id = await createSignedIn('once.example')
  await look()
  expect(await read(id)).toMatchObject({ status: 'Scheduled', loginId: null, timeline: { Queued: { status: true } } })
  await forgetDomain('once.example')
  await look()
  expect((await read(id)).status).toBe('Scheduled')
})

test('checks a scheduled bot without a seat again after it was moved to another time', async () => {
  const id = await createSignedIn('moved.example')
  await look()
  await reschedule(fleet.deps, await read(id), { joinAt: soon() })
  await forgetDomain('moved.example')
  await look()
  expect(await read(id)).toMatchObject({ status: 'Error', errorReason: 'ScheduledDispatchRejected' })
})
