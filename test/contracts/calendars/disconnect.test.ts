// Disconnects calendar accounts.
import { describe, expect, test } from 'vitest'
import { calendarServiceForFile, connect, eventsOf, newUser } from '../../helpers/calendars/calendar.ts'
import { during, inHours, meetLink } from '../../helpers/calendars/event-fields.ts'

const service = calendarServiceForFile()

const newcomer = () => newUser(service)

describe('disconnecting', () => {
  test('deletes the events and cancels the bots', async () => {
    const { api, google } = await newcomer()
    google.put({ id: 'soon', hangoutLink: meetLink(4), ...during(inHours(1)) })
    await connect(api, google.credentials)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const [event] = await eventsOf(api)
    expect(event?.bots).toHaveLength(1)
    const { status, body } = await api('DELETE', '/calendar/disconnect')
    expect([status, body]).toMatchObject([
      200,
      { disconnected: true, user_id: expect.stringMatching(/^usr_/), events_deleted: 1, schedules_cancelled: 1 },
    ])
    expect((await api('GET', '/calendar/scheduled')).body.scheduled_bots).toEqual([])
    expect((await api('GET', '/calendar/events')).status).toBe(404)
    expect((await api('POST', '/calendar/disconnect', {})).status).toBe(404)
  })

  test('requires provider or account_id if several calendars are connected', async () => {
    const { api, google } = await newcomer()
    const second = service.google.account('second@example.com')
    const outlook = service.outlook.account('third@example.com')
    await connect(api, google.credentials)
    await connect(api, second.credentials)
    await api('POST', '/calendar/create_outlook_calendar', outlook.credentials())
    expect((await api('POST', '/calendar/disconnect', {})).status).toBe(400)
    expect((await api('POST', '/calendar/disconnect', { provider: 'google', account_id: 'nobody@example.com' })).status).toBe(404)
    expect((await api('POST', '/calendar/disconnect', { ...second.credentials })).status).toBe(200)
    expect((await api('DELETE', `/calendar/connections/google/${google.email}`)).status).toBe(200)
    const { body } = await api('GET', '/calendar/connections')
    expect(body).toMatchObject({
      total: 1,
      connections: [{ provider: 'outlook', email: 'third@example.com', status: 'connected', error: null }],
    })
    expect((await api('POST', '/calendar/disconnect', { provider: 'microsoft' })).status).toBe(200)
  })

  test('keeps past events on request', async () => {
    const { api, google } = await newcomer()
    google.put({ id: 'past', hangoutLink: meetLink(5), ...during(inHours(-3)) })
    google.put({ id: 'future', hangoutLink: meetLink(6), ...during(inHours(3)) })
    const { body } = await connect(api, google.credentials)
    const gone = await api('DELETE', `/calendar/connections/google/${body.account_id}?purge_events=false`)
    expect(gone.body).toMatchObject({ events_deleted: 0 })
    expect((await eventsOf(api)).map((it) => it.platform_id)).toEqual(['past'])
    expect((await api('GET', '/calendar/connections')).body.total).toBe(0)
  })

  test('does not affect the calendars of other users', async () => {
    const { api, google } = await newcomer()
    const other = await newcomer()
    await connect(api, google.credentials)
    const { body } = await connect(other.api, other.google.credentials)
    expect((await api('DELETE', `/calendar/connections/google/${body.account_id}`)).status).toBe(404)
    expect((await other.api('GET', '/calendar/connections')).body.total).toBe(1)
  })
})
