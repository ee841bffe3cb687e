// Calendar accounts: connect, list, sync, page through events; and every error on the way.
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../../../src/service/db/query.ts'
import { calendarServiceForFile, connect, eventsOf, newUser } from '../../helpers/calendars/calendar.ts'
import { during, inHours, inMinutes, meetLink } from '../../helpers/calendars/event-fields.ts'
import { API_KEY, clientOf } from '../../helpers/service/service.ts'

const service = calendarServiceForFile()

const newcomer = () => newUser(service)

describe('connecting', () => {
  test('reads the calendars and their events, and returns both', async () => {
    const { api, google } = await newcomer()
    google.addCalendar('team@group.calendar.google.com', { summary: 'Team', timeZone: 'Europe/Berlin' })
    google.put({ id: 'standup', summary: 'Standup', hangoutLink: meetLink(1), ...during(inHours(2)) })
    google.put({ id: 'lunch', summary: 'Lunch', ...during(inHours(3)) })
    const { status, body } = await connect(api, google.credentials, { bot_name: 'Scribe' })
    expect([status, body]).toEqual([
      200,
      {
        message: expect.any(String),
        events_fetched: 2,
        calendars_processed: 2,
        user_email: google.email,
        platform: 'google_calendar',
        calendar_id: expect.stringMatching(/^cal_/),
        primary_calendar_id: google.email,
        account_id: expect.stringMatching(/^acc_/),
        calendars: [
          expect.objectContaining({
            summary: google.email,
            isPrimary: true,
            timeZone: 'UTC',
            provider: 'google',
            account_id: body.account_id,
          }),
          expect.objectContaining({ summary: 'Team', isPrimary: false, timeZone: 'Europe/Berlin' }),
        ],
      },
    ])
    const list = await api('GET', '/calendar')
    expect(list.body).toEqual({ total: 2, user_id: expect.stringMatching(/^usr_/), calendars: body.calendars })
    expect((await api('GET', '/api/v1/calendar/calendars')).body).toEqual(list.body)
  })

  test('lists only events with a meeting link, as the specification says', async () => {
    const { api, google } = await newcomer()
    const start = inHours(2)
    google.put({ id: 'standup', summary: 'Standup', hangoutLink: meetLink(2), ...during(start) })
    google.put({ id: 'lunch', summary: 'Lunch', ...during(start) })
    const { body: connected } = await connect(api, google.credentials)
    const { status, body } = await api('GET', '/calendar/events')
    expect([status, body]).toEqual([
      200,
      {
        has_more: false,
        next: null,
        previous: null,
        results: [
          {
            id: expect.stringMatching(/^evt_/),
            summary: 'Standup',
            start_time: start.toISOString(),
            end_time: new Date(start.getTime() + 1_800_000).toISOString(),
            is_all_day: false,
            calendar_id: connected.calendar_id,
            platform: 'google_calendar',
            platform_id: 'standup',
            ical_uid: 'standup@google.com',
            meeting_platform: 'GMeet',
            meeting_url: meetLink(2),
            is_deleted: false,
            created_at: expect.any(String),
            updated_at: expect.any(String),
            bots: [],
            is_recurring: false,
            is_expanded: false,
            recurrence_rule: null,
            recurring_enabled: true,
            master_event_id: null,
            raw: expect.objectContaining({ id: 'standup', hangoutLink: meetLink(2) }),
          },
        ],
      },
    ])
  })
})

describe('credentials', () => {
  test('answers 400 with the reason for credentials that the provider refuses', async () => {
    const { api, google } = await newcomer()
    const refused = await connect(api, { ...google.credentials, google_refresh_token: 'made-up' })
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('invalid_grant: Token has been expired or revoked.') },
    })
    expect((await connect(api, { ...google.credentials, google_client_secret: 'wrong' })).status).toBe(400)
    expect((await api('GET', '/calendar/connections')).body.total).toBe(0)
  })

  test('answers 400 with the missing field for incomplete credentials', async () => {
    const { api } = await newcomer()
    const answer = await connect(api, { google_client_id: 'x', google_client_secret: 'y' })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('google_refresh_token') } })
  })

  test('seals credentials in the database and never returns them', async () => {
    const { api, google } = await newcomer()
    await connect(api, google.credentials)
    const rows = await rowsOf<object>(service.db)`select * from calendar_connections`
    const stored = rows.map(
      (row) =>
        JSON.stringify(row) +
        Object.values(row)
          .filter(Buffer.isBuffer)
          .map((it) => it.toString('latin1')),
    )
    for (const secret of Object.values(google.credentials)) expect(stored.join()).not.toContain(secret)
    expect(JSON.stringify((await api('GET', '/calendar/connections')).body)).not.toContain(google.credentials.google_refresh_token)
  })

  test('answers 500 with the reason if the provider is down', async () => {
    const { api, google } = await newcomer()
    service.google.fail({ path: /calendars\/primary/, status: 500, body: { error: { code: 500, message: 'Backend Error' } }, times: 4 })
    expect(await connect(api, google.credentials)).toMatchObject({ status: 500, body: { message: 'Google Calendar: Backend Error' } })
    expect((await connect(api, google.credentials)).status).toBe(200)
  })

  test('renews the connection and keeps its events for the same credentials', async () => {
    const { api, google } = await newcomer()
    google.put({ id: 'kept', hangoutLink: meetLink(3), ...during(inHours(1)) })
    const first = await connect(api, google.credentials)
    const [before] = await eventsOf(api)
    const second = await connect(api, google.credentials)
    expect(second.body.account_id).toBe(first.body.account_id)
    expect((await eventsOf(api))[0]?.id).toBe(before?.id)
  })

  test('rejects an invalid bot configuration', async () => {
    const { api, google } = await newcomer()
    const answer = await connect(api, google.credentials, { transcription: { deepgram: { model: 'nova-3' } } })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('deepgram is not configured') } })
  })
})

describe('keys', () => {
  test('answers 401 on every route for a key without a user', async () => {
    const machine = await service.stranger({ service: true })
    const body = { google_client_id: 'a', google_client_secret: 'b', google_refresh_token: 'c' }
    const asked = [
      machine('POST', '/calendar/create_calendar', body),
      ...['', '/events', '/connections', '/auto-schedule/settings'].map((path) => machine('GET', `/calendar${path}`)),
      machine('POST', '/calendar/schedule/evt_x'),
      machine('DELETE', '/calendar/schedule/evt_x'),
      machine('POST', '/calendar/disconnect', {}),
      machine('POST', '/calendar/toggle-recurrence', { event_id: 'evt_x', recurring_enabled: true }),
      machine('POST', '/calendar/auto-schedule/enable', {}),
    ]
    for (const { status } of await Promise.all(asked)) expect(status).toBe(401)
  })

  test('answers 401 without a key and 403 for an invalid key', async () => {
    expect((await clientOf(service.url, null)('GET', '/calendar/events')).status).toBe(401)
    expect((await clientOf(service.url, 'wrong')('GET', '/calendar/events')).status).toBe(403)
  })
})

test('answers every path with and without the prefix', async () => {
  const api = clientOf(service.url, API_KEY)
  for (const path of ['/calendar', '/calendar/calendars', '/calendar/connections', '/calendar/auto-schedule/settings'])
    for (const prefix of ['', '/api/v1']) expect((await api('GET', prefix + path)).status, prefix + path).toBe(200)
  for (const path of ['/calendar/events', '/calendar/events/list'])
    for (const prefix of ['', '/api/v1']) expect((await api('GET', prefix + path)).status, prefix + path).toBe(404)
})

test('schedules a meeting that begins in a minute', async () => {
  const { api, google } = await newcomer()
  google.put({ id: 'now', hangoutLink: meetLink(8), ...during(inMinutes(1)) })
  await connect(api, google.credentials)
  expect(await eventsOf(api)).toHaveLength(1)
})
