// Syncs with providers that page, expire tokens, refuse, throttle and push; and one bot for a meeting that is in several calendars.
import { describe, expect, test } from 'vitest'
import { calendarServiceForFile, connect, eventsOf, newUser, scheduledOf, startCalendarService } from '../../helpers/calendars/calendar.ts'
import { during, inHours, meetLink } from '../../helpers/calendars/event-fields.ts'
import { type Client, clientOf } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

const service = calendarServiceForFile()

const sync = (api: Client) => eventsOf(api, '?sync=true&limit=100')
const ids = (events: readonly { platform_id: string }[]) => events.map(({ platform_id }) => platform_id)
const connections = async (api: Client) => (await api('GET', '/calendar/connections')).body.connections

describe('a sync', () => {
  test('reads all pages', async () => {
    const { api, google } = await newUser(service)
    for (let number = 0; number < 600; number += 1)
      google.put({ id: `e${number}`, ...during(inHours(number / 10)), hangoutLink: meetLink(number) })
    const from = service.google.asked.length
    expect((await connect(api, google.credentials)).body.events_fetched).toBe(600)
    const reads = service.google.asked.slice(from).filter(({ path }) => path.endsWith('/events'))
    expect(reads.map(({ query }) => query.get('maxResults'))).toEqual(['250', '250', '250'])
  })

  test('reads everything again after its token expires, and deletes missing events', async () => {
    const { api, google } = await newUser(service)
    for (const id of ['kept', 'lost']) google.put({ id, hangoutLink: meetLink(id.length), ...during(inHours(2)) })
    google.put({ id: 'series', hangoutLink: meetLink(50), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], ...during(inHours(3)) })
    await connect(api, google.credentials)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const [before] = await eventsOf(api)
    google.remove('lost')
    google.remove('series')
    google.forgetTokens()
    expect(ids(await sync(api))).toEqual(['kept'])
    expect((await scheduledOf(api)).map((it) => it.custom_attributes.event_id)).toEqual([before?.id])
  })

  test('waits for Retry-After, and tries again', async () => {
    const { api, google } = await newUser(service)
    await connect(api, google.credentials)
    google.put({ id: 'late', hangoutLink: meetLink(1), ...during(inHours(2)) })
    const busy = { error: { code: 403, message: 'Rate Limit Exceeded', errors: [{ reason: 'rateLimitExceeded' }] } }
    service.google.fail({
      path: /\/events$/,
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { code: 429, message: 'Slow down' } },
    })
    service.google.fail({ path: /\/events$/, status: 403, body: busy })
    const began = performance.now()
    expect(ids(await sync(api))).toEqual(['late'])
    expect(performance.now() - began).toBeGreaterThan(2_950)
  })

  test('gives up after a few attempts, reports why, and keeps its events', async () => {
    const { api, google } = await newUser(service)
    google.put({ id: 'known', hangoutLink: meetLink(1), ...during(inHours(2)) })
    await connect(api, google.credentials)
    service.google.fail({
      path: /\/events$/,
      status: 429,
      headers: { 'retry-after': '3000' },
      body: { error: { code: 429, message: 'Quota' } },
    })
    const from = service.google.asked.length
    const answer = await api('GET', '/calendar/events?sync=true')
    expect(answer).toMatchObject({ status: 500, body: { message: 'Google Calendar: Quota' } })
    expect(service.google.asked.slice(from).filter(({ path }) => path.endsWith('/events'))).toHaveLength(1)
    const [connection] = await connections(api)
    expect(connection).toMatchObject({ status: 'connected', error: 'Google Calendar: Quota' })
    // The background syncs respect the provider's Retry-After too.
    expect(Date.parse(connection.next_sync_at) - Date.now()).toBeGreaterThan(2_900_000)
    expect(ids(await eventsOf(api))).toEqual(['known'])
    await sync(api)
    expect((await connections(api))[0].error).toBeNull()
  })

  test('reports a revoked grant, and continues after it is renewed', async () => {
    const { api, google } = await newUser(service)
    google.put({ id: 'known', hangoutLink: meetLink(1), ...during(inHours(2)) })
    await connect(api, google.credentials)
    google.revoke()
    const reason = 'Google Calendar: invalid_grant: Token has been expired or revoked.'
    for (const _ of [1, 2]) expect(await api('GET', '/calendar/events?sync=true')).toMatchObject({ status: 500, body: { message: reason } })
    expect((await connections(api))[0]).toMatchObject({ status: 'revoked', error: reason, next_sync_at: null })
    expect(ids(await eventsOf(api))).toEqual(['known'])
    const again = service.google.account(google.email)
    expect((await connect(api, again.credentials)).status).toBe(200)
    expect((await connections(api))[0]).toMatchObject({ status: 'connected', error: null })
  })

  test('serves all requests that arrive during a sync with one further sync', async () => {
    const { api, google } = await newUser(service)
    await connect(api, google.credentials)
    const from = service.google.asked.length
    await Promise.all(Array.from({ length: 12 }, () => sync(api)))
    expect(service.google.asked.slice(from).filter(({ path }) => path.endsWith('/events')).length).toBeLessThanOrEqual(3)
  })

  test('removes a calendar that no longer exists, and its bots', async () => {
    const { api, google } = await newUser(service)
    google.addCalendar('project')
    google.put({ id: 'kickoff', hangoutLink: meetLink(1), ...during(inHours(2)) }, 'project')
    await connect(api, google.credentials)
    await api('POST', '/calendar/auto-schedule/enable', {})
    expect(await scheduledOf(api)).toHaveLength(1)
    google.dropCalendar('project')
    expect(await sync(api)).toEqual([])
    expect(await scheduledOf(api)).toEqual([])
    expect((await api('GET', '/calendar')).body.total).toBe(1)
  })
})

describe('the same meeting in two calendars of a workspace', () => {
  /** Two users of one workspace, each with a calendar and automatic bots. */
  async function colleagues() {
    const { body } = await service.operator('POST', '/admin/v1/workspaces', { name: 'team', user_email: 'ann@example.com' })
    const ann = clientOf(service.url, body.api_key)
    const ids = [`ann${body.workspace_id}@example.com`, `ben${body.workspace_id}@example.com`]
    const [first, second] = ids.map((email) => service.google.account(email))
    if (!first || !second) throw new Error('no accounts')
    await connect(ann, first.credentials)
    await connect(ann, second.credentials)
    await ann('POST', '/calendar/auto-schedule/enable', {})
    return { ann, first, second }
  }

  test('has one bot until the last copy is deleted', async () => {
    const { ann, first, second } = await colleagues()
    const event = { id: 'shared', iCalUID: 'shared@uid', hangoutLink: meetLink(1), ...during(inHours(4)) }
    first.put(event)
    second.put(event)
    const events = await sync(ann)
    expect(await scheduledOf(ann)).toHaveLength(1)
    expect(new Set(events.flatMap(({ bots }) => bots.map(({ id }) => id))).size).toBe(1)
    first.remove('shared')
    await sync(ann)
    expect(await scheduledOf(ann)).toHaveLength(1)
    second.remove('shared')
    await sync(ann)
    expect(await scheduledOf(ann)).toEqual([])
  })

  test('has its bot at the new time when one copy has moved', async () => {
    const { ann, first, second } = await colleagues()
    const moved = inHours(6)
    const event = { id: 'shared', iCalUID: 'moved@uid', hangoutLink: meetLink(1) }
    for (const account of [first, second]) account.put({ ...event, ...during(inHours(4)) })
    await sync(ann)
    const [bot] = await scheduledOf(ann)
    first.put({ ...event, ...during(moved) })
    await sync(ann)
    expect((await scheduledOf(ann)).map((it) => it.bot_id)).toEqual([bot?.bot_id])
    expect(Date.parse((await scheduledOf(ann))[0]?.scheduled_join_time ?? '') + 60_000).toBe(moved.getTime())
    second.put({ ...event, ...during(moved) })
    await sync(ann)
    expect(await scheduledOf(ann)).toHaveLength(1)
  })

  test('has one bot for two events with one link and start, and two once they differ', async () => {
    const { ann, first, second } = await colleagues()
    const start = inHours(4)
    first.put({ id: 'one', hangoutLink: meetLink(1), ...during(start) })
    second.put({ id: 'two', hangoutLink: meetLink(1), ...during(start) })
    await sync(ann)
    expect(await scheduledOf(ann)).toHaveLength(1)
    second.put({ id: 'two', ...during(inHours(5)) })
    await sync(ann)
    expect(await scheduledOf(ann)).toHaveLength(2)
    second.put({ id: 'two', ...during(start) })
    await sync(ann)
    expect(await scheduledOf(ann)).toHaveLength(1)
  })
})

describe('push', () => {
  test('shows a change without a request if providers can reach the service', async () => {
    const reachable = await startCalendarService({ PUBLIC_URL: 'http://127.0.0.1:1' })
    try {
      // The address given to providers must be the one that the service listens on.
      const { api, google } = await newUser(reachable)
      await connect(api, google.credentials)
      const [channel] = [...reachable.google.channels.values()]
      expect(channel?.address).toBe('http://127.0.0.1:1/hooks/calendar/google')
      expect((await connections(api))[0].push).toBe(true)
      google.put({ id: 'pushed', hangoutLink: meetLink(1), ...during(inHours(2)) })
      const push = (token: string) =>
        fetch(`${reachable.url}/hooks/calendar/google`, {
          method: 'POST',
          headers: { 'x-goog-channel-id': channel?.id ?? '', 'x-goog-channel-token': token },
        })
      const [{ next_sync_at }] = await connections(api)
      expect((await push('a guess')).status).toBe(200)
      // A notification with a wrong secret makes nothing due.
      expect((await connections(api))[0].next_sync_at).toBe(next_sync_at)
      expect((await push(channel?.token ?? '')).status).toBe(200)
      await until('the change is here', async () => (await eventsOf(api)).length === 1)
      await api('POST', '/calendar/disconnect', {})
      expect(reachable.google.channels.size).toBe(0)
    } finally {
      await reachable.stop()
    }
  })

  test('creates no channels without a public address', async () => {
    expect(service.google.channels.size).toBe(0)
  })
})
