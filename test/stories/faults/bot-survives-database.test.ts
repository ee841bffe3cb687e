// A bot in a meeting while the database resets connections, hangs or is killed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { type Connection, openPool } from '../../../src/service/db/database.ts'
import { findPostmaster } from '../../../src/service/postgres/postmaster.ts'
import { readRecording } from '../../helpers/media/recording.ts'
import { ADA, joinRoom, NO_VIDEO, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { createTestDatabase, type TestDb } from '../../helpers/service/database.ts'
import { startDatabaseProxy } from '../../helpers/service/database-proxy.ts'
import { API_KEY, clientOf } from '../../helpers/service/service.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 240_000
const SETTINGS = {
  BOOTSTRAP_API_KEY: API_KEY,
  ALLOW_INSECURE_URLS: 'true',
  BOT_WORKERS: '1',
  LOG_LEVEL: 'warn',
  DATABASE_TIMEOUT_SECONDS: '1',
}

function connect(connection: Connection): TestDb {
  const db = openPool({ connection, connections: 1, onError: () => undefined })
  onTestFinished(() => db.destroy())
  return db
}

/** A service with one bot that records in a room with Ada, and checks on that bot. */
async function botInRoom(settings: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-survives-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const service = await startServiceProcess({ ...SETTINGS, DATA_DIR: folder, ...settings })
  const api = clientOf(service.url, API_KEY)
  const link = `${service.url}/room/outage`
  await joinRoom(link, withoutCamera(ADA))
  const { body } = await api('POST', '/api/v1/bots/create_bot', { meeting_link: link, ...NO_VIDEO })
  const id: string = body.bot_id

  const detail = () => api('GET', `/api/v1/bots/${id}/detail`)
  const recording = () => readRecording(join(folder, 'recordings', id))
  const recordedMs = () => Math.max(0, ...recording().tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
  await until('the bot records', async () => 'Recording' in (await detail()).body.bot_details.StatusTimeline && recordedMs() > 0, 60_000)

  /** Checks that the bot never left its meeting and that its recording has no gap. */
  const expectSameMeeting = async (db: TestDb): Promise<void> => {
    await until('the service is ready', async () => (await fetch(`${service.url}/readyz`)).ok, 30_000)
    const before = recordedMs()
    // Longer than a lease: an unrenewed one has ended by now.
    await until('the recording goes on', () => recordedMs() > before + 12_000, 60_000)
    expect((await detail()).body.bot_details.Status).toBe('InMeeting')
    const { fence } = await db.selectFrom('bots').select('fence').where('id', '=', id).executeTakeFirstOrThrow()
    expect({ fence, gaps: recording().facts.filter(({ fact }) => fact === 'gap') }).toEqual({ fence: 1, gaps: [] })
  }

  const end = async (): Promise<void> => {
    expect((await api('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(200)
    await until('the bot has left', async () => 'Stopped' in (await detail()).body.bot_details.StatusTimeline, 30_000)
    expect(await service.stop()).toBe(0)
  }
  return { id, folder, service, detail, expectSameMeeting, end }
}

test(
  'stays in its meeting while database connections are terminated, reset or frozen',
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const proxy = await startDatabaseProxy(database.url)
    onTestFinished(() => proxy.stop())
    const bot = await botInRoom({ DATABASE_URL: proxy.url })
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    await others.execute(connect(database.connection))
    await bot.expectSameMeeting(database.db)

    proxy.reset()
    await bot.expectSameMeeting(database.db)

    proxy.freeze()
    await until(
      'the service says that the database is silent',
      async () => (await fetch(`${bot.service.url}/readyz`)).status === 503,
      20_000,
    )
    await proxy.resume()
    await until('it is answered 200', async () => (await bot.detail()).status === 200, 20_000)
    await bot.expectSameMeeting(database.db)
    await bot.end()
  },
  LONG_MS,
)

test(
  'shows a bot that may not stay as absent while the database is read-only, and rejoins afterwards with the reason',
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const bot = await botInRoom({ DATABASE_URL: database.url, DATABASE_OUTAGE_SECONDS: '0' })
    const absences = async () => (await bot.detail()).body.bot_details?.Absences ?? []
    await database.setReadOnly(true)
    await until('the absence is shown', async () => (await absences()).length > 0, 30_000)
    expect(await absences()).toEqual([{ from: expect.any(String), to: null, reason: 'DatabaseUnreachable' }])
    expect(bot.service.said()).toContain('read-only')

    await database.setReadOnly(false)
    await until('the bot is back', async () => typeof (await absences())[0]?.to === 'string', 60_000)
    expect(await absences()).toEqual([{ from: expect.any(String), to: expect.any(String), reason: 'DatabaseUnreachable' }])
    const { StatusTimeline, Status } = (await bot.detail()).body.bot_details
    expect([Status, StatusTimeline.Rejoining.message]).toEqual(['InMeeting', 'The server lost its database; the bot rejoins'])
    expect(StatusTimeline).toHaveProperty('Rejoined')
    await bot.end()
  },
  LONG_MS,
)

test(
  'stays in its meeting while the embedded database is killed and restarts',
  async () => {
    const bot = await botInRoom({})
    const cluster = join(bot.folder, 'postgres', 'cluster')
    const db = connect({ host: cluster, port: 5432, user: 'emissary', database: 'emissary' })
    const killed = (await findPostmaster(cluster))?.pid ?? 0
    process.kill(killed, 'SIGKILL')
    await until('another server runs', async () => ![undefined, killed].includes((await findPostmaster(cluster))?.pid), 20_000)
    await bot.expectSameMeeting(db)
    await bot.end()
  },
  LONG_MS,
)
