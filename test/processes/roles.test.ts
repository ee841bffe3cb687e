// Roles: several processes on one database, each with a part of the work.
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { NO_DRIVER, startTestService, type TestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

/** Bots that end before they join touch no recording, so nothing needs to answer here. */
const BUCKET = { S3_BUCKET: 'recordings', S3_ENDPOINT: 'http://127.0.0.1:9' }

let api: TestService
let hook: Receiver
const others: TestService[] = []
beforeAll(async () => {
  api = await startTestService({ ...BUCKET, ROLES: 'api' })
  hook = await startReceiver()
})
afterAll(async () => {
  for (const it of others) await it.stop()
  await api?.stop()
  await hook?.close()
})

async function start(roles: string, settings: Record<string, string> = {}): Promise<TestService> {
  const it = await startTestService({ ...BUCKET, DATABASE_URL: api.databaseUrl, PUBLIC_URL: api.url, ROLES: roles, ...settings })
  others.push(it)
  return it
}

test('leaves each step of a bot to the process with its role', async () => {
  const created = await api.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, callback_url: hook.url })
  expect(created.status).toBe(201)
  const rowOf = () =>
    api.db.selectFrom('bots').select(['status', 'node_id']).where('id', '=', created.body.bot_id).executeTakeFirstOrThrow()
  expect(await rowOf()).toEqual({ status: 'Joining', node_id: null })

  await start('fleet,media', { BOT_WORKERS: '1' })
  await until('the fleet ends the bot', async () => (await rowOf()).status !== 'Joining', 20_000)
  expect(hook.received).toEqual([])

  await start('delivery')
  const received = await hook.waitFor(3, 20_000)
  expect(received.map(({ body }) => body.event)).toEqual(['bot.joining', 'bot.stopped', 'bot.done'])
  const rows = await until(
    'every node has a row',
    async () => {
      const found = await api.db.selectFrom('nodes').select(['roles', 'seats']).orderBy('started_at').execute()
      return found.length === 3 && found
    },
    20_000,
  )
  expect(rows).toEqual([
    { roles: ['api'], seats: 0 },
    { roles: ['fleet', 'media'], seats: 4 },
    { roles: ['delivery'], seats: 0 },
  ])
})

test('answers health checks but no API request without the role api', async () => {
  const { url, api: ask } = await start('calendar')
  const status = async (path: string) => (await fetch(url + path)).status
  for (const path of ['/healthz', '/readyz', '/metrics']) expect(await status(path), path).toBe(200)
  for (const path of ['/room/x', '/docs', '/']) expect(await status(path), path).toBe(404)
  expect((await ask('GET', '/api/v1/bots')).status).toBe(404)
  expect((await ask('POST', '/internal/v1/bots/bot_1', { kind: 'glance' })).status).toBe(404)
})

test.each([
  ['flet', 'ROLES must be one or more of api, fleet, media, delivery, calendar, separated by commas; got "flet".'],
  ['', '--roles must name one or more of api, fleet, media, delivery, calendar, separated by commas.'],
  ['fleet', 'ROLES leaves api, media, delivery, calendar to other processes, which need the same database. Set DATABASE_URL.'],
])('refuses to start with --roles %j', (roles, sentence) => {
  const { status, stderr } = spawnSync('node', ['src/cli.ts', 'serve', `--roles=${roles}`], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toContain(sentence)
  expect(status).toBe(1)
})
