// A fleet behind PgBouncer: in transaction mode without prepared statements, and how many connections a node takes.
import { expect, onTestFinished, test } from 'vitest'
import { keepInThread } from '../../../src/service/fleet/workers/keeper-client.ts'
import { startReceiver } from '../../helpers/callers/receiver.ts'
import { createTestDatabase } from '../../helpers/service/database.ts'
import { claimAll, createTestFleet } from '../../helpers/service/fleet.ts'
import { type PgBouncer, type PgBouncerSettings, startPgBouncer } from '../../helpers/service/pgbouncer.ts'
import { NO_DRIVER, startTestService, type TestService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

/** Bots that end before they join touch no recording, so nothing needs to answer here. */
const BUCKET = { S3_BUCKET: 'recordings', S3_ENDPOINT: 'http://127.0.0.1:9' }
const BOTS = 30

async function database() {
  const it = await createTestDatabase()
  onTestFinished(() => it.drop())
  return it
}

async function pooler(url: string, settings: PgBouncerSettings): Promise<PgBouncer> {
  const it = await startPgBouncer(url, settings)
  onTestFinished(() => it.stop())
  return it
}

async function node(settings: Record<string, string>): Promise<TestService> {
  const it = await startTestService({ ...BUCKET, ...settings })
  onTestFinished(() => it.stop())
  return it
}

async function sendBots({ api }: TestService, callback_url: string): Promise<void> {
  const body = { meeting_link: NO_DRIVER, callback_url }
  const created = await Promise.all(Array.from({ length: BOTS }, () => api('POST', '/api/v1/bots/create_bot', body)))
  expect(created.map(({ status }) => status)).toEqual(created.map(() => 201))
}

test('sends bots and webhooks of three processes through a pooler in transaction mode', async () => {
  const { url } = await pooler((await database()).url, { pool_mode: 'transaction', default_pool_size: 5 })
  const hook = await startReceiver()
  onTestFinished(() => hook.close())
  const behind = { DATABASE_URL: url, DATABASE_PREPARED: 'off' }
  const api = await node({ ...behind, ROLES: 'api' })
  await node({ ...behind, ROLES: 'fleet,media,calendar', PUBLIC_URL: api.url, BOT_WORKERS: '1' })
  await node({ ...behind, ROLES: 'delivery' })
  await sendBots(api, hook.url)

  const received = await hook.waitFor(3 * BOTS, 60_000)
  const ofBot = Map.groupBy(received, ({ body }) => body.bot_id)
  const events = [...ofBot.values()].map((all) => all.map(({ body }) => body.event))
  expect(events).toEqual(Array.from({ length: BOTS }, () => ['bot.joining', 'bot.stopped', 'bot.done']))
}, 120_000)

test('renews the leases of bots through a pooler in transaction mode', async () => {
  const it = await database()
  const { url } = await pooler(it.url, { pool_mode: 'transaction', default_pool_size: 2 })
  await (await createTestFleet(it.db)).create()
  const [bot] = await claimAll(it.db)
  const claim = bot ? { botId: bot.id, fence: bot.fence } : expect.fail('no bot was claimed')
  const keeper = keepInThread({ connection: { url, route: { prepares: false, sendsLimits: false } }, nodeId: 'node_1', outageSeconds: 0 })
  onTestFinished(() => keeper.stop())
  const renewals: unknown[] = []
  keeper.onEvent((event) => renewals.push(event.kind === 'renewed' ? [...event.kept] : event))
  keeper.send({ kind: 'claims', claims: [claim] })
  await until('the lease was renewed three times', () => renewals.length >= 4, 20_000)
  // The first renewal may precede the claim.
  expect(renewals.slice(1)).toEqual([1, 2, 3].map(() => [claim.botId]))
})

test('takes at most four connections for a node with the role fleet', async () => {
  const it = await database()
  const through = await pooler(it.url, { pool_mode: 'session', default_pool_size: 30 })
  const api = await node({ DATABASE_URL: it.url, ROLES: 'api' })
  await node({ DATABASE_URL: through.url, ROLES: 'fleet', PUBLIC_URL: api.url, BOT_WORKERS: '8', BOTS_PER_WORKER: '8' })
  await sendBots(api, 'http://127.0.0.1:9/nowhere')
  let most = 0
  await until(
    'every bot has ended',
    async () => {
      most = Math.max(most, await through.clientConnections())
      const open = await it.db.selectFrom('bots').select('id').where('ended_at', 'is', null).execute()
      return open.length === 0
    },
    60_000,
  )
  expect(most).toBeGreaterThanOrEqual(3)
  expect(most).toBeLessThanOrEqual(4)
}, 120_000)
