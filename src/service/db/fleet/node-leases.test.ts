import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { claimAll, LOOK } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import { until } from '../../../../test/helpers/until.ts'
import type { BotId } from '../../../domain/bot.ts'
import { inTransaction } from '../database.ts'
import { type Claim, lapsedClaims } from './claims.ts'
import { lapseNodes, lookAhead, renewClaims } from './node-leases.ts'
import { removeNode, renewNode } from './nodes.ts'

const LEASE_SECONDS = 7.5

const database = databaseForFile()
const fleet = fleetForFile(database)
beforeEach(async () => {
  await database.db.updateTable('bots').set({ launch_at: null }).execute()
  await database.db.deleteFrom('nodes').execute()
})

const about = {
  address: '',
  key: '',
  seats: 4,
  freeSeats: 4,
  freedSeats: 0,
  roles: ['fleet'],
  version: '',
  draining: false,
  outageSeconds: 0,
} as const
const register = (id: string) => renewNode(database.db, { ...about, id, startedAt: new Date() }, 8)
const renew = (claims: readonly Claim[], nodeId = 'node_1') =>
  renewClaims(database.db, { nodeId, claims, leaseSeconds: LEASE_SECONDS, knows: null })
const idsOf = (claims: readonly Claim[]) => new Set(claims.map(({ botId }) => botId))

async function claimed(count: number, nodeId = 'node_1'): Promise<Claim[]> {
  for (let index = 0; index < count; index++) await fleet.create()
  return (await claimAll(database.db, LEASE_SECONDS, nodeId)).map(({ id, fence }) => ({ botId: id, fence }))
}

/** Bots under the lease of their node. */
async function held(count: number, nodeId = 'node_1'): Promise<Claim[]> {
  const claims = await claimed(count, nodeId)
  await register(nodeId)
  // The first renewal begins the node's lease, and the second one relies on it.
  await renew(claims, nodeId)
  await renew(claims, nodeId)
  return claims
}

type Lease = { readonly seconds: number; readonly version: string; readonly node: string | null }

async function leaseOf({ botId }: Claim): Promise<Lease> {
  const { rows } = await sql<Lease>`select extract(epoch from launch_at - now())::float8 as seconds, xmin::text as version, node_id as node
    from bots where id = ${botId}`.execute(database.db)
  return rows[0] ?? expect.fail('no such bot')
}

/** By which lease each bot is held. */
const leasesOf = (claims: readonly Claim[]) =>
  Promise.all(
    claims.map(async (claim) => {
      const { seconds } = await leaseOf(claim)
      if (seconds > 590) return 'of the node'
      return seconds > 0 && seconds <= LEASE_SECONDS ? 'own' : seconds
    }),
  )
const lapse = (nodeId: string) => sql`update nodes set holds_until = now() - interval '3 s' where id = ${nodeId}`.execute(database.db)
const holdsUntil = async (nodeId: string) =>
  (await database.db.selectFrom('nodes').select('holds_until').where('id', '=', nodeId).executeTakeFirst())?.holds_until

test('writes no row of a bot while its node renews', async () => {
  const claims = await held(2)
  const before = await Promise.all(claims.map(leaseOf))
  expect(await renew(claims)).toEqual(idsOf(claims))
  const after = await Promise.all(claims.map(leaseOf))
  expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version))
  expect(await holdsUntil('node_1')).toEqual(expect.any(Date))
})

test('moves the lease of a bot on when half of it is left', async () => {
  const claims = await held(1)
  await sql`update bots set launch_at = now() + interval '299 s' where node_id = 'node_1' and launch_at is not null`.execute(database.db)
  expect(await renew(claims)).toEqual(idsOf(claims))
  expect(await leasesOf(claims)).toEqual(['of the node'])
})

test('renews the own lease of each bot while the node has no row', async () => {
  const claims = await claimed(1)
  await sql`update bots set launch_at = now() - interval '1 s' where launch_at is not null`.execute(database.db)
  expect(await renew(claims)).toEqual(idsOf(claims))
  expect(await renew(claims)).toEqual(idsOf(claims))
  expect(await leasesOf(claims)).toEqual(['own'])
  expect(await lapsedClaims(database.db, LOOK, 10)).toEqual([])
})

test('does not keep a bot that has ended, was lost or was claimed again', async () => {
  const [ended, lost, again] = (await held(3)) as [Claim, Claim, Claim]
  const change = (claim: Claim, set: object) => database.db.updateTable('bots').set(set).where('id', '=', claim.botId).execute()
  await change(ended, { launch_at: null })
  await change(lost, { node_id: null })
  await change(again, { fence: again.fence + 1 })
  expect(await renew([ended, lost, again])).toEqual(new Set())
})

test('lets a bot lapse by a lease of its own once its node does not name it', async () => {
  const [named, unnamed] = (await held(2)) as [Claim, Claim]
  const [fresh] = await claimed(1)
  const before = await leaseOf(fresh as Claim)
  expect(await renew([named])).toEqual(idsOf([named]))
  expect(await leasesOf([named, unnamed])).toEqual(['of the node', 'own'])
  expect((await leaseOf(fresh as Claim)).version).toBe(before.version)
})

test('ends the claims of a silent node, and of no other', async () => {
  const silent = await held(2, 'node_1')
  const living = await held(1, 'node_2')
  await lapse('node_1')
  const lapsedAt = await holdsUntil('node_1')
  await lapseNodes(database.db, LOOK)
  const lapsed = await lapsedClaims(database.db, LOOK, 10)
  expect(idsOf(lapsed)).toEqual(idsOf(silent))
  expect(lapsed).toMatchObject([{ lapsedAt }, { lapsedAt }])
  expect(await leasesOf(living)).toEqual(['of the node'])
  expect(await holdsUntil('node_1')).toBeNull()
  expect(await renew(living, 'node_2')).toEqual(idsOf(living))
})

test('leaves a bot that a silent node has just claimed', async () => {
  const [old] = await held(1)
  const [fresh] = await claimed(1)
  await lapse('node_1')
  await lapseNodes(database.db, LOOK)
  expect(idsOf(await lapsedClaims(database.db, LOOK, 10))).toEqual(idsOf([old as Claim]))
  // The returned node keeps both, because no other node has requeued the first one yet.
  expect(await renew([old as Claim, fresh as Claim])).toEqual(idsOf([old as Claim, fresh as Claim]))
  expect(await leasesOf([old as Claim, fresh as Claim])).toEqual(['own', 'own'])
  expect(await lapsedClaims(database.db, LOOK, 10)).toEqual([])
})

test('lapses a locked bot of a silent node at a later look', async () => {
  const [locked, free] = (await held(2)) as [Claim, Claim]
  await lapse('node_1')
  await database.db.transaction().execute(async (lost) => {
    await lost.selectFrom('bots').select('id').where('id', '=', locked.botId).forUpdate().execute()
    await lapseNodes(database.db, LOOK)
    expect(idsOf(await lapsedClaims(database.db, LOOK, 10))).toEqual(idsOf([free]))
  })
  await lapseNodes(database.db, LOOK)
  expect(idsOf(await lapsedClaims(database.db, LOOK, 10))).toEqual(idsOf([locked, free]))
  expect(await holdsUntil('node_1')).toBeNull()
})

test('renews own leases if the node was found silent while the renewal waited', async () => {
  const claims = await held(1)
  let renewed: Promise<ReadonlySet<BotId>> | undefined
  await inTransaction(database.db, async (other) => {
    await sql`select from nodes where id = 'node_1' for update`.execute(other)
    renewed = renew(claims)
    await until('the renewal waits', async () => {
      const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%holds_until%'`.execute(
        database.db,
      )
      return rows.length > 0
    })
    await sql`update nodes set holds_until = now() - interval '1 s' where id = 'node_1'`.execute(other)
    await lapseNodes(other, LOOK)
    // Another renewal, whose answer was lost.
    await sql`update nodes set holds_until = now() + interval '7 s' where id = 'node_1'`.execute(other)
  })
  expect(await renewed).toEqual(idsOf(claims))
  expect(await leasesOf(claims)).toEqual(['own'])
})

test('gives each bot of a node that stops a lease of its own', async () => {
  const claims = await held(1)
  const others = await held(1, 'node_2')
  await removeNode(database.db, 'node_1', LEASE_SECONDS)
  expect(await leasesOf(claims)).toEqual(['own'])
  expect(await leasesOf(others)).toEqual(['of the node'])
  expect(await renew(claims)).toEqual(idsOf(claims))
  expect(await leasesOf(claims)).toEqual(['own'])
})

test('says when the lease of a node lapses', async () => {
  await held(1)
  const { untilLapseMs: ms } = await lookAhead(database.db, 60_000)
  expect(ms).toBeGreaterThan(3_000)
  expect(ms).toBeLessThanOrEqual(LEASE_SECONDS * 1_000)
  expect((await lookAhead(database.db, 1_000)).untilLapseMs).toBeNull()
})

test('counts the living nodes that run bots, and those with a free seat', async () => {
  const rows = [{}, { freeSeats: 0 }, { draining: true }, { roles: ['api'] as const, seats: 0, freeSeats: 0 }]
  for (const [index, row] of rows.entries())
    await renewNode(database.db, { ...about, ...row, id: `node_${index}`, startedAt: new Date() }, 8)
  await renewNode(database.db, { ...about, id: 'node_gone', startedAt: new Date() }, -1)
  expect(await lookAhead(database.db, 1_000)).toEqual({ untilLapseMs: null, nodes: 3, withSeats: 1 })
})

test('leaves the lease of a node as it is when the node says that it lives', async () => {
  await held(1)
  const before = await holdsUntil('node_1')
  await register('node_1')
  expect(await holdsUntil('node_1')).toEqual(before)
})
