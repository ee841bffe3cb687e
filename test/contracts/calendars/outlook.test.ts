// Outlook calendars over Microsoft Graph: rotating tokens, delta links, series that the provider expands, subscriptions.
import { describe, expect, test } from 'vitest'
import type { OutlookEvent } from '../../../sims/calendars/outlook-view.ts'
import { calendarServiceForFile, eventsOf, scheduledOf, startCalendarService } from '../../helpers/calendars/calendar.ts'
import { inHours, meetLink } from '../../helpers/calendars/event-fields.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import type { Client } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

const service = calendarServiceForFile()

const DAY_MS = 86_400_000
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=Secret'
const sync = (api: Client) => eventsOf(api, '?sync=true&limit=100')
const at = (time: Date) => ({ dateTime: time.toISOString().replace('Z', '0000'), timeZone: 'UTC' })
const during = (start: Date, minutes = 30) => ({ start: at(start), end: at(new Date(start.getTime() + minutes * 60_000)) })
const online = (joinUrl: string) => ({ isOnlineMeeting: true, onlineMeeting: { joinUrl } })
const joinTimes = async (api: Client) => (await scheduledOf(api)).map((it) => Date.parse(it.scheduled_join_time) + 60_000)

let users = 0
async function connected(...events: readonly OutlookEvent[]) {
  users += 1
  const api = await service.stranger()
  const outlook = service.outlook.account(`outlook${users}@example.com`)
  for (const event of events) outlook.put(event)
  const answer = await api('POST', '/calendar/create_outlook_calendar', { ...outlook.credentials(), bot_name: 'Scribe' })
  return { api, outlook, answer }
}

test('connects, lists and shows events with the same fields as other providers', async () => {
  const start = inHours(2)
  const { api, outlook, answer } = await connected({ id: 'one', subject: 'Review', ...during(start), ...online(TEAMS) })
  expect(answer).toMatchObject({
    status: 200,
    body: {
      events_fetched: 1,
      calendars_processed: 1,
      user_email: outlook.email,
      platform: 'outlook_calendar',
      primary_calendar_id: outlook.calendarId,
    },
  })
  const [event] = await eventsOf(api)
  expect(event).toMatchObject({
    summary: 'Review',
    start_time: start.toISOString(),
    platform: 'outlook_calendar',
    platform_id: 'one',
    ical_uid: 'one-uid',
    meeting_platform: 'Teams',
    meeting_url: TEAMS,
    raw: { id: 'one', subject: 'Review' },
  })
  expect((await api('POST', `/calendar/schedule/${event?.id}`)).status).toBe(200)
  expect(await scheduledOf(api)).toMatchObject([{ platform: 'Teams', bot_username: 'Scribe' }])
})

test('stores every new refresh token, because the old one becomes invalid', async () => {
  const { api, outlook } = await connected()
  const first = outlook.credentials().microsoft_refresh_token
  // An access token that the provider rejects makes the client request a new one.
  service.outlook.fail({
    path: /\/me\/calendars$/,
    status: 401,
    body: { error: { code: 'InvalidAuthenticationToken', message: 'expired' } },
  })
  await sync(api)
  expect(outlook.credentials().microsoft_refresh_token).not.toBe(first)
  await sync(api)
  outlook.revoke()
  expect(await api('GET', '/calendar/events?sync=true')).toMatchObject({
    status: 500,
    body: { message: expect.stringContaining('AADSTS70000') },
  })
  expect((await api('GET', '/calendar/connections')).body.connections[0]).toMatchObject({ provider: 'outlook', status: 'revoked' })
})

test('reads pages, then changes only, and everything after its token expires', async () => {
  const events = Array.from({ length: 120 }, (_, number) => ({ id: `e${number}`, ...during(inHours(number)), ...online(meetLink(number)) }))
  const { api, outlook, answer } = await connected(...events)
  expect(answer.body.events_fetched).toBe(120)
  outlook.remove('e0')
  outlook.put({ id: 'e1', subject: 'Edited' })
  const from = service.outlook.asked.length
  await sync(api)
  const reads = () => service.outlook.asked.slice(from).filter(({ path }) => path.endsWith('/delta'))
  expect(reads().map(({ query }) => [...query.keys()])).toEqual([['$deltatoken']])
  outlook.remove('e2')
  outlook.forgetTokens()
  await sync(api)
  expect(reads().length).toBe(5)
  expect((await eventsOf(api, '?limit=3')).map((it) => it.platform_id)).toEqual(['e1', 'e3', 'e4'])
})

describe('a series', () => {
  const START = inHours(24)
  const day = (number: number) => START.getTime() + number * DAY_MS
  const series = { everyDays: 1, count: 5, timeZone: 'UTC' }
  const daily = { id: 'daily', subject: 'Daily', ...during(START), ...online(TEAMS), series }

  test('is a master and the occurrences that the provider expands', async () => {
    const { api } = await connected(daily)
    expect((await eventsOf(api)).filter(({ is_recurring }) => is_recurring)).toEqual([])
    const events = await eventsOf(api, '?include_masters=true')
    const master = events.find(({ is_recurring }) => is_recurring)
    expect(master).toMatchObject({ platform_id: 'daily', recurrence_rule: 'FREQ=DAILY;COUNT=5' })
    const occurrences = events.filter(({ is_expanded }) => is_expanded)
    expect(occurrences.map((it) => Date.parse(it.start_time))).toEqual([0, 1, 2, 3, 4].map(day))
    for (const it of occurrences) expect(it).toMatchObject({ master_event_id: master?.id, meeting_url: TEAMS, summary: 'Daily' })
  })

  test('moves, cancels and changes the bots of single occurrences, and all of them with its master', async () => {
    const { api, outlook } = await connected(daily)
    await api('POST', '/calendar/auto-schedule/enable', {})
    expect(await joinTimes(api)).toEqual([0, 1, 2, 3, 4].map(day))
    const moved = new Date(day(1) + 7_200_000)
    outlook.except('daily', 1, during(moved))
    outlook.except('daily', 2, 'cancelled')
    await sync(api)
    expect(await joinTimes(api)).toEqual([day(0), moved.getTime(), day(3), day(4)])
    outlook.put({ id: 'daily', ...online(meetLink(88)) })
    await sync(api)
    expect((await scheduledOf(api)).map((it) => it.meeting_link)).toEqual(Array(4).fill(meetLink(88)))
    outlook.put({ id: 'daily', responseStatus: { response: 'declined' } })
    await sync(api)
    expect(await scheduledOf(api)).toEqual([])
    outlook.put({ id: 'daily', responseStatus: { response: 'accepted' } })
    await sync(api)
    expect(await scheduledOf(api)).toHaveLength(4)
    outlook.remove('daily')
    await sync(api)
    expect(await scheduledOf(api)).toEqual([])
  })
})

test('validates subscriptions, accepts notifications with their secret only, and ends them', async () => {
  const reachable = await startCalendarService({ PUBLIC_URL: 'http://127.0.0.1:1' })
  try {
    const api = await reachable.stranger()
    const outlook = reachable.outlook.account('pushed@example.com')
    await api('POST', '/calendar/create_outlook_calendar', outlook.credentials())
    // Nothing listens at that address, so the provider cannot validate it, and the calendar is polled.
    expect(reachable.outlook.subscriptions.size).toBe(0)
    const proof = await fetch(`${reachable.url}/hooks/calendar/outlook?validationToken=${encodeURIComponent('is it <you>?')}`, {
      method: 'POST',
    })
    expect([proof.status, proof.headers.get('content-type'), await proof.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'is it <you>?',
    ])
    const body = JSON.stringify({ value: [{ subscriptionId: 'unknown', clientState: 'guess' }, null, 7] })
    const pushed = await fetch(`${reachable.url}/hooks/calendar/outlook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(pushed.status).toBe(202)
  } finally {
    await reachable.stop()
  }
})

test('shows a pushed change without a request', async () => {
  const port = await freePort()
  const reachable = await startCalendarService({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
  try {
    const api = await reachable.stranger()
    const outlook = reachable.outlook.account('pushed@example.com')
    await api('POST', '/calendar/create_outlook_calendar', outlook.credentials())
    expect(reachable.outlook.subscriptions.size).toBe(1)
    outlook.put({ id: 'one', subject: 'Pushed', ...during(inHours(2)), ...online(TEAMS) })
    await until('the change is here', async () => (await eventsOf(api)).length === 1)
    await api('POST', '/calendar/disconnect', { provider: 'outlook' })
    expect(reachable.outlook.subscriptions.size).toBe(0)
  } finally {
    await reachable.stop()
  }
})
