// Failures of calendars: a service killed during its syncs, and an event moved while its bot is sent.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startGoogle } from '../../../sims/calendars/google.ts'
import { createVault } from '../../../src/service/accounts/secrets.ts'
import { launch } from '../../../src/service/fleet/node/launch.ts'
import { eventsOf } from '../../helpers/calendars/calendar.ts'
import { createCalendarFixture, enableAuto } from '../../helpers/calendars/calendar-fixture.ts'
import { during, inHours, meetLink } from '../../helpers/calendars/event-fields.ts'
import { folderForFile, openForFile } from '../../helpers/for-file.ts'
import { claimAll } from '../../helpers/service/fleet.ts'
import { databaseForFile } from '../../helpers/service/for-file.ts'
import { API_KEY, clientOf } from '../../helpers/service/service.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const database = databaseForFile()
const google = openForFile(startGoogle)
const folder = folderForFile('emissary-calendar-')

test('gives each meeting one bot when the service is killed during its syncs', async () => {
  const settings = {
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: API_KEY,
    BOT_WORKERS: '0',
    LOG_LEVEL: 'silent',
    GOOGLE_API_URL: google.url,
    GOOGLE_OAUTH_URL: google.tokenUrl,
    CALENDAR_POLL_SECONDS: '86400',
    ALLOW_INSECURE_URLS: 'true',
  }
  const account = google.account('often@example.com')
  let service = await startServiceProcess(settings)
  let api = clientOf(service.url, API_KEY)
  await api('POST', '/api/v1/calendar/create_calendar', account.credentials)
  await api('POST', '/api/v1/calendar/auto-schedule/enable', { default_bot_config: { bot_name: 'Notes' } })

  const meetings = new Map<number, number>()
  const put = (id: number, hour: number) => {
    const start = inHours(hour)
    meetings.set(id, start.getTime())
    account.put({ id: `event${id}`, summary: 'Often', hangoutLink: meetLink(id), ...during(start) })
  }
  const changed = () =>
    database.db
      .selectFrom('bots')
      .select('id')
      .execute()
      .then((rows) => rows.length)
  const moved = () =>
    database.db
      .selectFrom('bots')
      .select('id')
      .where('status', '=', 'Cancelled')
      .execute()
      .then((rows) => rows.length)
  const rounds = [
    () => Array.from({ length: 300 }, (_, id) => put(id, id + 2)),
    () => Array.from({ length: 300 }, (_, id) => put(id, id + 3)),
    () => {
      for (let id = 0; id < 300; id += 2) {
        meetings.delete(id)
        account.remove(`event${id}`)
      }
    },
  ]
  for (const edit of rounds) {
    edit()
    const [before, cancelled] = [await changed(), await moved()]
    // Not awaited: the service is killed before it answers.
    eventsOf(api, '?sync=true').catch(() => undefined)
    await until('the sync has begun', async () => (await changed()) > before + 20 || (await moved()) > cancelled + 20 || before > 0, 30_000)
    await service.kill()
    service = await startServiceProcess(settings)
    api = clientOf(service.url, API_KEY)
  }
  await eventsOf(api, '?sync=true')
  const rows = await database.db.selectFrom('bots').select(['meeting_url', 'join_at']).where('status', '=', 'Scheduled').execute()
  const found = rows.map(({ meeting_url, join_at }) => `${meeting_url} ${(join_at?.getTime() ?? 0) + 60_000}`)
  expect(found.sort()).toEqual([...meetings].map(([id, start]) => `${meetLink(id)} ${start}`).sort())
  await service.stop()
}, 180_000)

test('leaves one bot for the new time when an event moves while its bot is sent', async () => {
  const bench = await createCalendarFixture(database.db, google, () => new Date(), 'race@bench.example')
  await enableAuto(bench)
  const account = google.account('race@example.com')
  const connection = await bench.connect(account)
  const botsOf = () =>
    database.db.selectFrom('bots').select(['id', 'status', 'join_at']).where('workspace_id', '=', bench.caller.workspaceId).execute()
  const outcomes = new Set<string>()
  for (let round = 0; round < 25; round += 1) {
    const id = `race${round}`
    account.put({ id, summary: 'Race', location: `http://rooms.example/room/race-${round}`, ...during(new Date(Date.now() + 60_100)) })
    await bench.sync(connection)
    await until('its bot is due', async () => (await due()) > 0)
    const placed: string[] = []
    const send = async () => {
      const claimed = await claimAll(database.db, 10, 'node_race')
      const zoom = { zoom: { way: 'sdk', app: null, obstacle: null }, zoomObstacle: null } as const
      const place = async ({ id: botId }: { id: string }) => void placed.push(botId)
      for (const bot of claimed)
        await launch({ ...bench.deps.fleet, now: () => new Date(), vault: createVault('x'), publicUrl: () => '', ...zoom, place }, bot)
    }
    const later = new Date(Date.now() + 86_400_000)
    account.put({ id, ...during(later) })
    // A little later each time, so that every order occurs.
    const sent = turns(round * 12).then(send)
    await Promise.all([sent, bench.sync(connection)])
    await bench.sync(connection)
    const ours = (await botsOf()).filter((bot) => !seen.has(bot.id))
    for (const bot of ours) seen.add(bot.id)
    const state = ours.map(({ status, join_at }) => `${status}${(join_at?.getTime() ?? 0) > Date.now() + 3_600_000 ? ' later' : ''}`).sort()
    outcomes.add(state.join(', '))
    // A bot that waits for the new time was not sent.
    for (const bot of ours) if (bot.status === 'Scheduled') expect(placed).not.toContain(bot.id)
    // Whether or not one was sent, exactly one waits for the new time.
    expect(ours.filter(({ status }) => status === 'Scheduled').map(({ join_at }) => join_at?.getTime())).toEqual([later.getTime() - 60_000])
    expect(placed.length).toBeLessThanOrEqual(1)
  }
  console.log(`outcomes: ${[...outcomes].join(' | ')}`)
}, 120_000)

const seen = new Set<string>()

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}

async function due(): Promise<number> {
  const rows = await database.db.selectFrom('bots').select('id').where('launch_at', '<=', new Date()).execute()
  return rows.length
}
