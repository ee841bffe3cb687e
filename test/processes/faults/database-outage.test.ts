// The database resets, hangs, refuses or is killed under the running service: requests fail with a clear error, and work continues afterwards.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findPostmaster } from '../../../src/service/postgres/postmaster.ts'
import { startReceiver } from '../../helpers/callers/receiver.ts'
import { folderForFile, openForFile } from '../../helpers/for-file.ts'
import { operationsOf, readDescription } from '../../helpers/requests/openapi.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/service/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../helpers/service/database-proxy.ts'
import { ADMIN_TOKEN, type Answer, API_KEY, type Client, clientOf, NO_DRIVER } from '../../helpers/service/service.ts'
import { type ServiceProcess, startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const UNREACHABLE = { message: 'The database does not answer. Try again in 5 seconds.' }
const LONG_MS = 240_000
/** The pause between two creates of a caller, which limits the bots to check afterwards. */
const PACE_MS = 20

const folder = folderForFile('emissary-outage-')
const hook = openForFile(startReceiver)

const SETTINGS = {
  BOOTSTRAP_API_KEY: API_KEY,
  ADMIN_TOKEN,
  ALLOW_INSECURE_URLS: 'true',
  RATE_LIMIT_PER_MINUTE: '1000000',
  LOG_LEVEL: 'warn',
  DATABASE_TIMEOUT_SECONDS: '2',
  DATABASE_CONNECTIONS: '4',
}

/** Creates bots until it is stopped, each with its own key, and collects the acknowledged ones. */
function createAllTheTime(api: Client) {
  const run = randomUUID()
  const acknowledged: string[] = []
  const statuses = new Set<number>()
  let stopped = false
  const worker = async (name: number): Promise<void> => {
    for (let index = 0; !stopped; index++) {
      const body = { meeting_link: NO_DRIVER, callback_url: `${hook.url}/hook` }
      const { status, body: made } = await api('POST', '/api/v1/bots/create_bot', body, { 'idempotency-key': `${run}-${name}-${index}` })
      statuses.add(status)
      if (status === 201) acknowledged.push(made.bot_id)
      await delay(PACE_MS)
    }
  }
  const workers = [1, 2, 3].map(worker)
  return {
    acknowledged,
    statuses,
    async stop() {
      stopped = true
      await Promise.all(workers)
    },
  }
}

const isReady = async (service: ServiceProcess) => (await fetch(`${service.url}/readyz`)).status === 200
const readyAgain = (service: ServiceProcess) => until('the service is ready again', () => isReady(service), 60_000)

/** A request succeeds or is answered 503. Other failures are in the log. */
function expectNoFault(statuses: ReadonlySet<number>, service: ServiceProcess): void {
  const faults = service
    .said()
    .split('\n')
    .filter((line) => line.includes('request failed'))
  expect({ others: [...statuses].filter((status) => ![201, 503].includes(status)), faults }).toEqual({ others: [], faults: [] })
}

/** Every acknowledged bot exists, and all its events were delivered. */
async function expectNothingLost(api: Client, acknowledged: readonly string[]): Promise<void> {
  for (const id of acknowledged) expect((await api('GET', `/api/v1/bots/${id}/status`)).status).toBe(200)
  const done = () => new Set(hook.received.filter(({ body }) => body.event === 'bot.done').map(({ body }) => body.bot_id))
  await until('every end is delivered', () => acknowledged.every((id) => done().has(id)), 90_000)
}

describe('a database of the operator', () => {
  let database: TestDatabase
  let proxy: DatabaseProxy
  let service: ServiceProcess
  let api: Client
  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await startDatabaseProxy(database.url)
    service = await startServiceProcess({ ...SETTINGS, DATA_DIR: join(folder, 'own'), DATABASE_URL: proxy.url })
    api = clientOf(service.url, API_KEY)
  }, 90_000)
  afterEach(async () => {
    await proxy.resume()
    await readyAgain(service)
  })
  afterAll(async () => {
    await service?.kill()
    await proxy?.stop()
    await database?.drop()
  })

  test(
    'fails single requests only when connections are reset or backends terminated, and keeps acknowledged bots',
    async () => {
      const load = createAllTheTime(api)
      for (let round = 1; round <= 6; round++) {
        const before = load.acknowledged.length
        await until('creates go on', () => load.acknowledged.length > before + 5, 60_000)
        if (round % 2) proxy.reset()
        else
          await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
            database.db,
          )
      }
      await load.stop()
      expectNoFault(load.statuses, service)
      await readyAgain(service)
      await expectNothingLost(api, load.acknowledged)
    },
    LONG_MS,
  )

  test(
    'answers 503 with Retry-After on every endpoint while the database is silent, and recovers',
    async () => {
      const operations = operationsOf(await readDescription(api))
      expect((await api('GET', '/api/v1/bots')).status).toBe(200)
      proxy.freeze()
      await until('the service is not ready', async () => !(await isReady(service)), 20_000)
      const tokens = { apiKey: API_KEY, operatorToken: ADMIN_TOKEN, nothing: null }
      const ask = async ({ method, path, opensWith, body }: (typeof operations)[number]) => {
        const answer = await clientOf(service.url, tokens[opensWith])(
          method,
          path.replaceAll(/\{[^}]+\}/g, 'bot_01'),
          body ? {} : undefined,
        )
        return { method, path, answer }
      }
      // A key is cached for three seconds. After that it cannot be checked.
      await until('the key is looked up', async () => (await api('POST', '/api/v1/bots/create_bot', {})).status === 503, 20_000)
      const asked = await Promise.all(operations.filter(({ opensWith }) => opensWith === 'apiKey').map(ask))
      for (const { method, path, answer } of asked) {
        const actual = { at: `${method} ${path}`, status: answer.status, body: answer.body, wait: answer.headers.get('retry-after') }
        expect(actual).toEqual({ at: `${method} ${path}`, status: 503, body: expect.objectContaining(UNREACHABLE), wait: '5' })
      }
      expect((await api('GET', '/healthz')).status).toBe(200)
      expect(await clientOf(service.url, ADMIN_TOKEN)('GET', '/admin/v1/workspaces')).toMatchObject({ status: 503, body: UNREACHABLE })

      await proxy.resume()
      await readyAgain(service)
      expect((await api('GET', '/api/v1/bots')).status).toBe(200)
    },
    LONG_MS,
  )

  test(
    'answers readyz and healthz while hundreds of requests hang',
    async () => {
      proxy.freeze()
      const hanging: Promise<Answer>[] = Array.from({ length: 300 }, () => api('GET', '/api/v1/bots'))
      const settled = Promise.all(hanging)
      await until('the service is not ready', async () => !(await isReady(service)), 20_000)
      expect(await api('GET', '/readyz')).toMatchObject({
        status: 503,
        body: { status: 'not ready', message: 'The database does not answer.' },
      })
      expect((await api('GET', '/healthz')).status).toBe(200)
      for (const { status } of await settled) expect([200, 503]).toContain(status)
      await proxy.resume()
      await readyAgain(service)
    },
    LONG_MS,
  )

  test(
    'recovers from a database that refuses connections',
    async () => {
      const load = createAllTheTime(api)
      await until('creates go on', () => load.acknowledged.length > 5, 60_000)
      await proxy.refuse()
      await until('creates are answered 503', () => load.statuses.has(503), 20_000)
      await proxy.resume()
      const before = load.acknowledged.length
      await until('creates go on', () => load.acknowledged.length > before + 5, 60_000)
      await load.stop()
      expectNoFault(load.statuses, service)
      await expectNothingLost(api, load.acknowledged)
    },
    LONG_MS,
  )

  test(
    'stops in order while its database is silent',
    async () => {
      const second = await startServiceProcess({ ...SETTINGS, DATA_DIR: join(folder, 'second'), DATABASE_URL: proxy.url })
      proxy.freeze()
      await until('the service is not ready', async () => !(await isReady(second)), 20_000)
      expect([await second.stop(), second.said()]).toEqual([0, expect.not.stringContaining('Could not stop')])
    },
    LONG_MS,
  )
})

test(
  'restarts the embedded database that is killed twice under load, and keeps acknowledged bots',
  async () => {
    const directory = join(folder, 'embedded')
    const service = await startServiceProcess({ ...SETTINGS, DATA_DIR: directory })
    const api = clientOf(service.url, API_KEY)
    const cluster = join(directory, 'postgres', 'cluster')
    const postmaster = async () => (await findPostmaster(cluster))?.pid ?? 0
    const load = createAllTheTime(api)
    const goesOn = async () => {
      const before = load.acknowledged.length
      await until('creates go on', () => load.acknowledged.length > before + 10, 60_000)
    }
    await goesOn()
    const first = await postmaster()
    process.kill(first, 'SIGKILL')
    await until('another server runs', async () => ![0, first].includes(await postmaster()), 60_000)
    await goesOn()
    // Killing one backend makes the postmaster restart all of them.
    const children = execFileSync('ps', ['--ppid', String(await postmaster()), '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n')
    const backend = Number.parseInt(children.find((row) => row.includes('emissary emissary')) ?? '', 10)
    process.kill(backend, 'SIGKILL')
    await until('the loss was noticed', () => service.said().split('restarted the embedded database').length > 2, 60_000)
    await goesOn()
    await load.stop()
    expectNoFault(load.statuses, service)
    await readyAgain(service)
    await expectNothingLost(api, load.acknowledged)
    expect(await service.stop()).toBe(0)
  },
  LONG_MS,
)
