import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { LOOK, type TestFleet } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import { inTransaction } from '../database.ts'
import { type Claim, type ClaimOrder, claimDue, lapsedClaims, MOST_COUNTED, queueOf, releaseClaim } from './claims.ts'
import { lookAhead, renewClaims } from './node-leases.ts'

const database = databaseForFile()
const crowd = fleetForFile(database)
const lone = fleetForFile(database)
const others = [fleetForFile(database), fleetForFile(database)]

const claim = (open: number, change: Partial<ClaimOrder> = {}) =>
  claimDue(database.db, {
    nodeId: 'node_1',
    seats: { open, seatsPerBrowser: 1, own: new Map() },
    limit: 100,
    leaseSeconds: 60,
    mostPerWorkspace: null,
    aheadMs: 0,
    ...change,
  })
const untilLapse = async (withinMs: number) => (await lookAhead(database.db, withinMs)).untilLapseMs
const renew = (claims: readonly Claim[], leaseSeconds: number, nodeId = 'node_1') =>
  renewClaims(database.db, { nodeId, claims, leaseSeconds, knows: null })
const row = (id: string) => database.db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const clear = () => database.db.updateTable('bots').set({ launch_at: null }).execute()
/** Created long enough ago to be due before all other bots of the test. */
const many = async (fleet: TestFleet, count: number) => {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await fleet.create({}, new Date(Date.now() - 60_000 + index)))
  return ids
}
const lose = (id: string) =>
  database.db
    .updateTable('bots')
    .set({ lost_at: new Date(), launch_at: new Date(), node_id: null, status: 'InMeeting' })
    .where('id', '=', id)
    .execute()

test('seats the only bot of one workspace before the many bots of another', async () => {
  await clear()
  const early = await many(crowd, 20)
  const [late] = await many(lone, 1)
  const first = (await claim(2)).map(({ id }) => id)
  expect(first.sort()).toEqual([early[0], late].sort())
  // Running bots count too: the workspace with many has one running, and the other has one.
  const [second] = await many(lone, 1)
  expect((await claim(2)).map(({ id }) => id).sort()).toEqual([early[1], second].sort())
})

test('lets workspaces take turns that have more running bots than a claim counts', async () => {
  await clear()
  const run = async (fleet: TestFleet, count: number) => {
    const [pattern] = await many(fleet, 1)
    await sql`insert into bots (id, workspace_id, platform, meeting_id, meeting_url, name, status, message, created_at, launch_at, node_id,
        custom_attributes, timeline, request, spec)
      select id || number, workspace_id, platform, meeting_id, meeting_url, name, 'InMeeting', '', created_at, now() + interval '1 min', 'node_1',
        custom_attributes, timeline, request, spec
      from bots cross join generate_series(1, ${count}::int) as number where id = ${pattern}`.execute(database.db)
  }
  await run(crowd, MOST_COUNTED + 100)
  await run(lone, MOST_COUNTED + 1)
  await many(lone, 1)
  const claimed = await claim(2)
  expect(claimed.map(({ workspaceId }) => workspaceId).sort()).toEqual([crowd.workspaceId, lone.workspaceId].sort())
})

test('claims lost bots before new ones, also those of a workspace with many bots', async () => {
  await clear()
  const waiting = await many(crowd, 5)
  await many(lone, 5)
  const lost = waiting[4] ?? ''
  await lose(lost)
  expect(await queueOf(database.db, lost as BotId)).toMatchObject({ position: 1 })
  expect((await claim(1)).map(({ id }) => id)).toEqual([lost])
})

/** Due in ten seconds. */
const soonDue = async (fleet: TestFleet) => fleet.create({ joinAt: new Date(Date.now() + 20_000) })

test('names the start and the last pause of a recording that another session began', async () => {
  await clear()
  const [id] = (await many(lone, 1)) as BotId[]
  const at = '2026-01-02T03:04:05.678Z'
  const timeline = sql`jsonb_build_object('Recording', jsonb_build_object('timestamp', ${at}::text))`
  expect((await claim(1))[0]).toMatchObject({ id, recordedSince: null, isPaused: false, pauseChangedAt: null })
  await sql`update bots set node_id = null, launch_at = now(), timeline = ${timeline}, is_paused = true, pause_changed_at = ${at}::timestamptz
    where id = ${id}`.execute(database.db)
  expect((await claim(1))[0]).toMatchObject({ id, recordedSince: new Date(at), isPaused: true, pauseChangedAt: new Date(at) })
})

test('claims scheduled bots ahead of their time after all bots that are due', async () => {
  await clear()
  const early = await soonDue(lone)
  const due = await many(crowd, 3)
  expect((await claim(3, { aheadMs: 15_000 })).map(({ id }) => id).sort()).toEqual(due.sort())
  expect(await claim(3, { aheadMs: 5_000 })).toEqual([])
  expect((await claim(3, { aheadMs: 15_000 })).map(({ id }) => id)).toEqual([early])
})

test('does not claim a bot ahead that returned to the queue for a delay', async () => {
  await clear()
  const botId = (await soonDue(lone)) as BotId
  await claim(1, { aheadMs: 15_000 })
  await releaseClaim(database.db, { botId, fence: 1 }, 2)
  expect(await claim(1, { aheadMs: 15_000 })).toEqual([])
})

test('claims another bot while the claim of the first one is not committed', async () => {
  await clear()
  const [first, second, third] = await many(crowd, 3)
  await inTransaction(database.db, async (tx) => {
    const order = { nodeId: 'node_2', limit: 1, leaseSeconds: 60, mostPerWorkspace: null, aheadMs: 0 }
    const taken = await claimDue(tx, { ...order, seats: { open: 1, seatsPerBrowser: 1, own: new Map() } })
    expect(taken.map(({ id }) => id)).toEqual([first])
    expect((await claim(3, { limit: 1 })).map(({ id }) => id)).toEqual([second])
  })
  expect((await claim(3)).map(({ id }) => id)).toEqual([third])
})

test('takes full batches in four claims that meet', async () => {
  await clear()
  for (const fleet of [crowd, lone, ...others]) await many(fleet, 32)
  const order = {
    limit: 32,
    leaseSeconds: 60,
    mostPerWorkspace: null,
    aheadMs: 0,
    seats: { open: 128, seatsPerBrowser: 1, own: new Map() },
  }
  const claimInTurn = async (node: number): Promise<number[]> =>
    node === 4
      ? []
      : inTransaction(database.db, async (tx) => {
          const taken = await claimDue(tx, { ...order, nodeId: `node_${node}` })
          return [taken.length, ...(await claimInTurn(node + 1))]
        })
  expect(await claimInTurn(0)).toEqual([32, 32, 32, 32])
})

test('fills a claim by turns, first those of workspaces with fewer running bots', async () => {
  await clear()
  await many(crowd, 9)
  await claim(9, { limit: 9 })
  await many(crowd, 6)
  const [first, second] = await Promise.all(others.map((fleet) => many(fleet, 3)))
  const claimed = (await claim(100, { limit: 8 })).map(({ id }) => id)
  expect(claimed).toHaveLength(8)
  expect(claimed).toEqual(expect.arrayContaining([...(first ?? []), ...(second ?? [])]))
})

test('looks at enough bots of a workspace that may use the only free seats', async () => {
  await clear()
  await many(crowd, 40)
  const running = await claim(40, { limit: 40 })
  expect(running).toHaveLength(40)
  await many(crowd, 5)
  for (const fleet of others) await many(fleet, 20)
  const seats = { open: 0, seatsPerBrowser: 4, own: new Map([[crowd.workspaceId, 3]]) }
  expect((await claim(0, { seats, limit: 2 })).map(({ workspaceId }) => workspaceId)).toEqual([crowd.workspaceId, crowd.workspaceId])
})

test('claims no more bots of a workspace than its limit', async () => {
  await clear()
  const bots = await many(crowd, 5)
  expect(await claim(10, { mostPerWorkspace: 2 })).toHaveLength(2)
  expect(await claim(10, { mostPerWorkspace: 2 })).toHaveLength(0)
  // A lost bot keeps its place.
  await lose(bots[0] ?? '')
  expect((await claim(10, { mostPerWorkspace: 1 })).map(({ id }) => id)).toEqual([bots[0]])
})

test('does not claim a bot for a free seat in the browser of another workspace', async () => {
  await clear()
  const crowded = await many(crowd, 5)
  const [late] = await many(lone, 1)
  const seats = (open: number, own: [WorkspaceId, number][] = []) => ({ seats: { open, seatsPerBrowser: 2, own: new Map(own) } })
  expect((await claim(0, seats(0, [[lone.workspaceId, 1]]))).map(({ id }) => id)).toEqual([late])
  // One seat beside its own bots, and two in a new browser.
  expect((await claim(0, seats(1, [[crowd.workspaceId, 1]]))).map(({ id }) => id).sort()).toEqual(crowded.slice(0, 3).sort())
  const [other] = await many(lone, 1)
  // Two new browsers: one for each workspace.
  expect((await claim(0, seats(2))).map(({ id }) => id).sort()).toEqual([other, ...crowded.slice(3)].sort())
})

test('lets one node hold a claim, renews it only while it is held, and lets it lapse without renewal', async () => {
  await clear()
  const [id] = (await many(lone, 1)) as BotId[]
  const botId = id as BotId
  const nodes = ['node_1', 'node_2', 'node_3']
  const claims = await Promise.all(nodes.map((nodeId) => claim(1, { nodeId })))
  expect(claims.flat()).toHaveLength(1)
  // Any of them may be the first.
  const holder = nodes[claims.findIndex((claimed) => claimed.length === 1)]
  expect(await renew([{ botId, fence: 1 }], 60, holder)).toEqual(new Set([botId]))
  expect(await renew([{ botId, fence: 0 }], 60, holder)).toEqual(new Set())
  expect(await lapsedClaims(database.db, LOOK, 10)).toEqual([])
  await database.db
    .updateTable('bots')
    .set({ launch_at: new Date(0) })
    .where('id', '=', botId)
    .execute()
  expect(await lapsedClaims(database.db, LOOK, 10)).toMatchObject([{ botId, fence: 1 }])
  expect(await claim(1)).toEqual([])
  await releaseClaim(database.db, { botId, fence: 1 }, 0)
  expect(await renew([{ botId, fence: 1 }], 60, holder)).toEqual(new Set())
  expect((await claim(1, { nodeId: 'node_4' })).map(({ fence }) => fence)).toEqual([2])
  expect(await row(botId)).toMatchObject({ node_id: 'node_4', recorded_by: 'node_4' })
})

test('says when the next lease lapses, and ignores bots without a holder', async () => {
  await clear()
  const [, waiting] = (await many(lone, 2)) as [string, string]
  await claim(60, { limit: 1, leaseSeconds: 30 })
  const inTenSeconds = new Date(Date.now() + 10_000)
  await database.db.updateTable('bots').set({ launch_at: inTenSeconds }).where('id', '=', waiting).execute()
  const ms = await untilLapse(60_000)
  expect(ms).toBeGreaterThan(15_000)
  expect(ms).toBeLessThanOrEqual(30_000)
  expect(await untilLapse(1_000)).toBeNull()
  await database.db
    .updateTable('bots')
    .set({ launch_at: new Date(0) })
    .where('node_id', 'is not', null)
    .execute()
  expect(await untilLapse(60_000)).toBeNull()
})

test('reports the position of a waiting bot, and a wait estimated from the seats that became free', async () => {
  await clear()
  const [first, second] = (await many(lone, 2)) as BotId[]
  expect(await queueOf(database.db, second as BotId)).toEqual({ position: 2, expectedWaitSeconds: null })
  const alive = { address: '', key: '', seats: 4, free_seats: 0, freed_seats: 6, started_at: new Date() }
  await database.db
    .insertInto('nodes')
    .values({ id: 'node_q', ...alive, alive_until: new Date(Date.now() + 60_000) })
    .execute()
  expect(await queueOf(database.db, second as BotId)).toEqual({ position: 2, expectedWaitSeconds: 200 })
  await claim(1)
  expect(await queueOf(database.db, first as BotId)).toBeNull()
})
