// A disk that is almost full: new bots are refused, everything else continues, and free space is noticed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../helpers/service/database.ts'
import { API_KEY, clientOf, NO_DRIVER } from '../../helpers/service/service.ts'
import { startOnSmallDisk } from '../../helpers/service/small-disk.ts'
import { until } from '../../helpers/until.ts'

test('refuses new bots with 503 and is not ready while the disk is below MIN_FREE_DISK_MB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-disk-'))
  const database = await createTestDatabase()
  const settings = { DATA_DIR: folder, DATABASE_URL: database.url, BOOTSTRAP_API_KEY: API_KEY, BOT_WORKERS: '0', MIN_FREE_DISK_MB: '20' }
  const service = await startOnSmallDisk(settings, folder, '50m')
  const api = clientOf(service.url, API_KEY)
  const create = () => api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
  const readiness = async (status: number) => (await api('GET', '/readyz')).status === status

  const first = await create()
  expect(first.status).toBe(201)
  service.fill('big', 45)
  await until('it is not ready', () => readiness(503), 20_000)
  expect((await api('GET', '/readyz')).body).toEqual({
    status: 'not ready',
    message: 'Less than 20 MB are free in DATA_DIR. Free some space, or lower MIN_FREE_DISK_MB.',
  })
  const refused = await create()
  expect(refused).toMatchObject({
    status: 503,
    body: { message: 'The disk of this server is full. Its operator must free some space. Try again in 60 seconds.' },
  })
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await api('GET', `/api/v1/bots/${first.body.bot_id}/status`)).status).toBe(200)
  expect((await api('GET', '/healthz')).status).toBe(200)

  service.empty('big')
  await until('it is ready again', () => readiness(200), 20_000)
  expect((await create()).status).toBe(201)
  expect(await service.stop()).toBe(0)
  await database.drop()
  await rm(folder, { recursive: true, force: true })
}, 120_000)

test('answers 503 when the embedded database has no disk space, and keeps acknowledged bots', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-disk-'))
  const settings = {
    DATA_DIR: folder,
    BOOTSTRAP_API_KEY: API_KEY,
    BOT_WORKERS: '0',
    MIN_FREE_DISK_MB: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  const service = await startOnSmallDisk(settings, folder, '160m')
  const api = clientOf(service.url, API_KEY)
  const acknowledged: string[] = []
  const statuses = new Set<number>()
  const create = async () => {
    const body = { meeting_link: NO_DRIVER, custom_attributes: { padding: 'x'.repeat(20_000), index: acknowledged.length } }
    const { status, body: made } = await api('POST', '/api/v1/bots/create_bot', body)
    statuses.add(status)
    if (status === 201) acknowledged.push(made.bot_id)
    return status
  }
  expect(await create()).toBe(201)
  service.fill('big', 200)
  await until('the database has no room', async () => (await create()) !== 201, 60_000)
  expect(await create()).toBe(503)

  service.empty('big')
  await until('bots are accepted again', async () => (await create()) === 201, 60_000)
  for (const id of acknowledged) expect((await api('GET', `/api/v1/bots/${id}/status`)).status).toBe(200)
  expect([...statuses].toSorted()).toEqual([201, 503])
  expect(await service.stop()).toBe(0)
  await rm(folder, { recursive: true, force: true })
}, 240_000)
