// The database becomes read-only under the running service, as after a failover to a standby, and writable again.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../helpers/service/database.ts'
import { API_KEY, type Client, clientOf, NO_DRIVER } from '../../helpers/service/service.ts'
import { type ServiceProcess, startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const WAIT_MS = 20_000
const LONG_MS = 120_000

let folder: string
let database: TestDatabase
let service: ServiceProcess
let api: Client
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emissary-read-only-'))
  database = await createTestDatabase()
  const settings = { BOOTSTRAP_API_KEY: API_KEY, DATA_DIR: folder, DATABASE_URL: database.url, BOT_WORKERS: '0' }
  service = await startServiceProcess({ ...settings, RATE_LIMIT_PER_MINUTE: '1000000' })
  api = clientOf(service.url, API_KEY)
}, 90_000)
afterAll(async () => {
  await service?.kill()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const create = () => api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
const readiness = () => api('GET', '/readyz')

test(
  'answers 503 to writes and serves reads while the database is read-only, and writes again without a restart',
  async () => {
    const { body: bot } = await create()
    await database.setReadOnly(true)
    await until('the service is not ready', async () => (await readiness()).status === 503, WAIT_MS)
    await until('the reason is told', async () => (await readiness()).body.message === 'The database is read-only.', WAIT_MS)

    for (const [method, path, body] of [
      ['POST', 'create_bot', { meeting_link: NO_DRIVER }],
      ['GET', `${bot.bot_id}/remove_bot`],
    ] as const) {
      const answer = await api(method, `/api/v1/bots/${path}`, body)
      const actual = { path, status: answer.status, message: answer.body.message, wait: answer.headers.get('retry-after') }
      expect(actual).toEqual({ path, status: 503, message: 'The database is read-only. Try again in 5 seconds.', wait: '5' })
    }
    for (const path of ['', `/${bot.bot_id}/status`, `/${bot.bot_id}/detail`])
      expect([path, (await api('GET', `/api/v1/bots${path}`)).status]).toEqual([path, 200])
    expect((await api('GET', '/healthz')).status).toBe(200)
    expect(service.said()).not.toContain('request failed')

    await database.setReadOnly(false)
    await until('the service is ready again', async () => (await readiness()).status === 200, WAIT_MS)
    const created = await Promise.all(Array.from({ length: 30 }, create))
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]))
  },
  LONG_MS,
)
