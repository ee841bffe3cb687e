import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/service/database.ts'
import { claimAll, createTestFleet, specFor, type TestFleet } from '../../../../test/helpers/service/fleet.ts'
import type { BotId } from '../../../domain/bot.ts'
import { createLog } from '../../../kit/log.ts'
import { openLocalDisk } from '../../../storage/local-disk.ts'
import type { Db } from '../../db/database.ts'
import { findBot } from '../../db/fleet/bots.ts'
import { listChat, listParticipants } from '../../db/fleet/meetings.ts'
import { listScreenshots } from '../../db/fleet/screenshots.ts'
import { createLiveEvents, type LiveEvents } from '../../delivery/live-events.ts'
import type { Report } from '../workers/workers.ts'
import { type ReportDeps, Reports } from './reports.ts'

const AT = Date.parse('2026-11-16T10:00:00Z')
const ADA = { id: 'ada', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: false }
const LOG = createLog({ level: 'silent', pretty: false })

let database: TestDatabase
let fleet: TestFleet
let folder: string
let live: LiveEvents
beforeAll(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
  folder = await mkdtemp(join(tmpdir(), 'emissary-reports-'))
  live = createLiveEvents({ db: database.db, onNews: () => undefined, allowPrivate: true, now: () => new Date() })
})
afterAll(async () => {
  await live.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})

async function bench(db: Db = database.db) {
  const botId = (await fleet.create({ spec: specFor('https://teams.microsoft.com/meet/2345678901234?p=abcDEF') })) as BotId
  await claimAll(database.db)
  const collected: string[] = []
  const deps: ReportDeps = {
    ...fleet.deps,
    db,
    live,
    outageSeconds: 600,
    store: await openLocalDisk(join(folder, 'objects')),
    collectRecording: async (id) => void collected.push(id),
    successions: { takeOver: async () => undefined, end: async () => undefined },
  }
  const reports = new Reports(deps, LOG)
  const screenshot = join(folder, botId, 'screenshots', '1.jpg')
  await mkdir(dirname(screenshot), { recursive: true })
  await writeFile(screenshot, 'picture')
  return { botId, reports, screenshot, collected }
}

/** One report of each kind, as a session sends them. */
function everyReport(botId: BotId, fence: number, file: string): readonly Report[] {
  const claim = { botId, fence }
  const at = AT
  return [
    { kind: 'moved', ...claim, by: 'join_requested', at },
    { kind: 'moved', ...claim, by: 'admitted', at },
    { kind: 'recording', ...claim, at },
    { kind: 'paused', ...claim, isPaused: true, at },
    { kind: 'people', ...claim, roster: { others: [ADA], spokenMs: { ada: 4_000 }, at } },
    { kind: 'chat', ...claim, message: { from: 'ada', name: 'Ada', text: 'Hello', at } },
    { kind: 'greeted', ...claim, at },
    { kind: 'screenshot', ...claim, file, at },
    { kind: 'failed', ...claim, step: 'stay', message: 'It broke', pageText: null, screenshot: null, at },
    { kind: 'words_failed', ...claim, message: 'It broke', at },
    { kind: 'moved', ...claim, by: 'leaving', at },
    { kind: 'moved', ...claim, by: 'left', at },
  ]
}

async function known(botId: BotId) {
  const bot = (await findBot(database.db, fleet.workspaceId, botId)) ?? expect.fail('no such bot')
  const { greeted_at, is_paused } = await database.db
    .selectFrom('bots')
    .select(['greeted_at', 'is_paused'])
    .where('id', '=', botId)
    .executeTakeFirstOrThrow()
  return {
    status: bot.status,
    stages: Object.keys(bot.timeline).sort(),
    evidence: bot.evidence.length,
    greeted: greeted_at !== null,
    paused: is_paused,
    people: (await listParticipants(database.db, botId)).length,
    chat: (await listChat(database.db, botId)).length,
    screenshots: (await listScreenshots(database.db, botId)).length,
    events: (await fleet.eventsOf(botId)).map(({ event }) => event),
  }
}

test('writes reports under the bot’s claim in order', async () => {
  const { botId, reports, screenshot } = await bench()
  for (const report of everyReport(botId, 1, screenshot)) reports.add(report)
  await reports.stop()
  expect(await known(botId)).toMatchObject({
    status: 'Stopped',
    evidence: 2,
    greeted: true,
    paused: true,
    people: 1,
    chat: 1,
    screenshots: 1,
    stages: ['InMeeting', 'InWaitingRoom', 'Joining', 'Leaving', 'Recording', 'Stopped'],
  })
})

test('ignores every report under a claim that another node has taken over', async () => {
  const { botId, reports, screenshot } = await bench()
  await database.db.updateTable('bots').set({ fence: 2 }).where('id', '=', botId).execute()
  const before = await known(botId)
  for (const report of everyReport(botId, 1, screenshot)) reports.add(report)
  reports.add({ kind: 'lost', botId, fence: 1, reason: 'BrowserCrashed', at: AT })
  reports.add({ kind: 'finished', botId, fence: 1 })
  await reports.stop()
  expect(await known(botId)).toEqual(before)
})

test('adds up the speaking time from before and after a lost session', async () => {
  const { botId, reports } = await bench()
  const look = (fence: number, ms: number) =>
    reports.add({ kind: 'people', botId, fence, roster: { others: [ADA], spokenMs: { ada: ms }, at: AT } })
  look(1, 4_000)
  look(1, 9_000)
  await reports.stop()
  await database.db.updateTable('bots').set({ fence: 2 }).where('id', '=', botId).execute()
  look(2, 500)
  look(2, 2_000)
  await reports.stop()
  expect(await listParticipants(database.db, botId)).toMatchObject([{ id: 'ada', speakingMs: 11_000 }])
})

test('ends a bot as left when the meeting does not let it in again', async () => {
  const { botId, reports, screenshot } = await bench()
  for (const report of everyReport(botId, 1, screenshot).slice(0, 2)) reports.add(report)
  reports.add({ kind: 'moved', botId, fence: 1, by: 'join_blocked', at: AT, message: 'The meeting ended', reason: 'MeetingEnded' })
  await reports.stop()
  const bot = await findBot(database.db, fleet.workspaceId, botId)
  expect(bot).toMatchObject({ status: 'Stopped', message: 'The bot could not rejoin: The meeting ended' })
})

test('writes a report after an outage of the database, and keeps its claim until then', async () => {
  let isAway = true
  const flaky = new Proxy(database.db, {
    get(target, name) {
      if (isAway && name === 'transaction') throw new Error('Connection terminated unexpectedly')
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const { botId, reports } = await bench(flaky)
  reports.add({ kind: 'moved', botId, fence: 1, by: 'join_requested', at: AT })
  expect(reports.pending()).toMatchObject([{ botId, fence: 1 }])
  setTimeout(() => {
    isAway = false
  }, 300)
  await expect.poll(() => reports.pending(), { timeout: 20_000 }).toEqual([])
  expect((await known(botId)).status).toBe('InWaitingRoom')
})
