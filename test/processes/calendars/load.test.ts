// A calendar with thousands of events, and hundreds of users whose calendars are due at once: little memory, each sync once.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type GoogleAccount, startGoogle } from '../../../sims/calendars/google.ts'
import type { ConnectionId } from '../../../src/domain/bot.ts'
import { newId } from '../../../src/kit/id.ts'
import { startCalendarSyncs } from '../../../src/service/calendar/due-syncs.ts'
import { makeDue, upsertConnection } from '../../../src/service/db/calendar/connections.ts'
import { type CalendarFixture, createCalendarFixture, enableAuto } from '../../helpers/calendars/calendar-fixture.ts'
import { meetLink } from '../../helpers/calendars/event-fields.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { scaled } from '../../helpers/scale.ts'
import { databaseForFile } from '../../helpers/service/for-file.ts'
import { until } from '../../helpers/until.ts'

const HOUR_MS = 3_600_000
const MEGABYTE = 1024 * 1024

const database = databaseForFile()
const google = openForFile(startGoogle)

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const heap = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

/** The growth of the heap while the work runs. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const before = heap()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, heap())
  }, 2_000)
  await work()
  clearInterval(watch)
  return (Math.max(most, heap()) - before) / MEGABYTE
}

const event = (number: number, start: number) => {
  const at = (time: number) => ({ dateTime: new Date(time).toISOString(), timeZone: 'UTC' })
  const description = 'What we talk about. '.repeat(40)
  return {
    id: `event${number}`,
    summary: `Event ${number}`,
    description,
    hangoutLink: meetLink(number),
    start: at(start),
    end: at(start + HOUR_MS / 2),
  }
}

test('reads thousands of events page by page, and schedules bots within the horizon', { timeout: 180_000 }, async () => {
  const events = scaled({ all: 10_000, gate: 4_000 })
  const account = google.account('busy@example.com')
  const now = Date.now()
  // One in twenty is within the horizon of 90 days.
  for (let number = 0; number < events; number += 1)
    account.put(event(number, now + ((number % 20) * 100 + 1) * 24 * HOUR_MS + number * 1000))
  const bench = await createCalendarFixture(database.db, google, () => new Date(), 'busy@bench.example')
  await enableAuto(bench)
  const began = performance.now()
  const grown = await growthOf(() => bench.connect(account))
  const seconds = (performance.now() - began) / 1000
  const scheduled = await bench.scheduled()
  console.log(`${events} events in ${seconds.toFixed(1)} s, ${scheduled.length} bots, heap +${grown.toFixed(0)} MB`)
  expect(scheduled).toHaveLength(events / 20)
  // The memory of a page of events, not of the calendar, which has about 30 MB.
  expect(grown).toBeLessThan(20)
})

test('syncs hundreds of users, a few at a time', { timeout: 450_000 }, async () => {
  const bench = await createCalendarFixture(database.db, google, () => new Date(), 'many@bench.example')
  await enableAuto(bench)
  const users = scaled({ all: 1_000, gate: 150 })
  for (let number = 0; number < users; number += 1) {
    const account = google.account(`user${number}@many.example`)
    account.put(event(number + 20_000, Date.now() + (24 + number) * HOUR_MS))
    await connectUnread(bench, account)
  }
  const began = performance.now()
  const calendarSyncs = startCalendarSyncs(bench.deps)
  const unread = async () =>
    (await sql<{ left: number }>`select count(*) as left from calendar_connections where synced_at is null`.execute(database.db)).rows[0]
      ?.left
  const grown = await growthOf(() => until('all are synced', async () => (await unread()) === 0, 400_000))
  const seconds = (performance.now() - began) / 1000
  await calendarSyncs.stop()
  console.log(`${users} users in ${seconds.toFixed(1)} s, heap +${grown.toFixed(0)} MB`)
  expect(await bench.scheduled()).toHaveLength(users)
  expect(grown).toBeLessThan(80)
})

/** Connected, due and not read yet. */
async function connectUnread({ deps, caller }: CalendarFixture, { email, credentials: it }: GoogleAccount): Promise<void> {
  const id = newId('acc', new Date()) as ConnectionId
  const credentials = { clientId: it.google_client_id, clientSecret: it.google_client_secret, refreshToken: it.google_refresh_token }
  const secret = deps.vault.seal(id, JSON.stringify(credentials))
  await upsertConnection(deps.db, { ...caller, id, provider: 'google', email, secret, botConfig: {} }, new Date())
  await makeDue(deps.db, id)
}
