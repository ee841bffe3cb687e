// What the service finds out about a connection pooler at its start, in each mode of PgBouncer.
import { expect, onTestFinished, test } from 'vitest'
import { limitsOf, openClient } from '../../../src/service/db/database.ts'
import { examineServer, keepsPrepared } from '../../../src/service/db/route.ts'
import { createTestDatabase } from '../../helpers/service/database.ts'
import { runDoctor } from '../../helpers/service/doctor.ts'
import { databaseForFile } from '../../helpers/service/for-file.ts'
import { type PgBouncer, type PgBouncerSettings, startPgBouncer } from '../../helpers/service/pgbouncer.ts'
import { startTestService, type TestService } from '../../helpers/service/service.ts'

const LIMITS = limitsOf(5)
const IGNORES = { ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout' }

const database = databaseForFile()

async function open(settings: PgBouncerSettings, url = database.url): Promise<PgBouncer> {
  const pooler = await startPgBouncer(url, settings)
  onTestFinished(() => pooler.stop())
  return pooler
}

async function startBehind({ url }: PgBouncer, settings: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService({ DATABASE_URL: url, ...settings })
  onTestFinished(() => service.stop())
  return service
}

test('finds no pooler before the server itself', async () => {
  expect(await examineServer({ url: database.url }, LIMITS)).toMatchObject({ isPooled: false, sendsLimits: true, statementMs: 5_000 })
})

test('sends no start-up parameters to a pooler that refuses them', async () => {
  const { url } = await open({ pool_mode: 'transaction' })
  expect(await examineServer({ url }, LIMITS)).toMatchObject({ isPooled: true, sendsLimits: false, statementMs: 0 })
})

test('finds that a pooler in transaction mode loses prepared statements', async () => {
  const { url } = await open({ pool_mode: 'transaction', ...IGNORES })
  const facts = await examineServer({ url }, LIMITS)
  expect(facts).toMatchObject({ isPooled: true, sendsLimits: true, statementMs: 0 })
  expect(await keepsPrepared({ url }, facts)).toBe(false)
})

test('finds that a pooler in session mode keeps prepared statements', async () => {
  const { url } = await open({ pool_mode: 'session' })
  expect(await keepsPrepared({ url }, { sendsLimits: false })).toBe(true)
})

test('finds nothing out about a pooler without a free connection', async () => {
  const { url } = await open({ pool_mode: 'transaction', default_pool_size: 1 })
  const other = await openClient({ url, route: { prepares: false, sendsLimits: false } }, LIMITS)
  onTestFinished(() => other.end())
  await other.query('begin; select 1')
  expect(await keepsPrepared({ url }, { sendsLimits: false })).toBeNull()
})

test('refuses to start behind a pooler that loses prepared statements', async () => {
  const pooler = await open({ pool_mode: 'transaction' })
  await expect(startBehind(pooler)).rejects.toThrow('loses prepared statements. Set DATABASE_PREPARED=off')
})

test('starts behind that pooler without prepared statements', async () => {
  const service = await startBehind(await open({ pool_mode: 'transaction' }), { DATABASE_PREPARED: 'off' })
  expect((await service.operator('POST', '/admin/v1/workspaces', { name: 'one', user_email: 'one@example.com' })).status).toBe(201)
})

test('gives the role the time limits that a pooler drops, and lets doctor say so', async () => {
  const own = await createTestDatabase()
  onTestFinished(() => own.drop())
  const settings = { DATABASE_PREPARED: 'off', DATABASE_TIMEOUT_SECONDS: '7' }
  const doctor = async ({ url }: PgBouncer, change: Record<string, string> = {}) => {
    const { json } = await runDoctor({ DATABASE_URL: url, ...settings, ...change }, '--json')
    return json.checks.find((check: { name: string }) => check.name === 'database')
  }
  const unlimited = await open({ pool_mode: 'transaction' }, own.url)
  expect(await doctor(unlimited)).toMatchObject({ state: 'note', cure: expect.stringContaining('alter role current_user in database') })
  expect(await doctor(unlimited, { DATABASE_PREPARED: 'on' })).toMatchObject({
    state: 'problem',
    cure: expect.stringContaining('Set DATABASE_PREPARED=off'),
  })

  await startBehind(unlimited, settings)
  // Server connections that the pooler had before are without the limit until it replaces them.
  const limited = await open({ pool_mode: 'transaction' }, own.url)
  expect(await examineServer({ url: limited.url }, LIMITS)).toMatchObject({ statementMs: 7_000 })
  expect(await doctor(limited)).toMatchObject({ state: 'ok', says: expect.stringContaining('Statements end after 7 s') })
}, 120_000)
