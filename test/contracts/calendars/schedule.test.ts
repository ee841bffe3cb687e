// Bots for calendar events: requested for one event or a series, or automatic; and how they follow changes of the event.
import { describe, expect, test } from 'vitest'
import { calendarServiceForFile, connect, eventsOf, newUser, scheduledOf } from '../../helpers/calendars/calendar.ts'
import { during, inHours, meetLink } from '../../helpers/calendars/event-fields.ts'
import type { Client } from '../../helpers/service/service.ts'

const service = calendarServiceForFile()

const MINUTE_MS = 60_000
const minuteBefore = (start: Date): string => new Date(start.getTime() - MINUTE_MS).toISOString()
const sync = (api: Client) => eventsOf(api, '?sync=true')
const times = async (api: Client) => (await scheduledOf(api)).map(({ scheduled_join_time }) => scheduled_join_time)

/** A connected user with one event that has a link. */
async function withEvent(start = inHours(5), more: object = {}) {
  const { api, google } = await newUser(service)
  google.put({ id: 'event', summary: 'Review', hangoutLink: meetLink(1), ...during(start), ...more })
  await connect(api, google.credentials, { bot_name: 'Scribe' })
  const [event] = await eventsOf(api)
  if (!event) throw new Error('the event is not there')
  return { api, google, event, start }
}

describe('one event', () => {
  test('is scheduled a minute before its start, with the requested bot', async () => {
    const { api, event, start } = await withEvent()
    const bot_config = { bot_name: 'Note taker', custom_attributes: { deal: 7 }, transcription: { native: {} } }
    const { status, body } = await api('POST', `/calendar/schedule/${event.id}`, { bot_config })
    expect([status, body]).toEqual([
      200,
      {
        scheduled: true,
        schedule_id: expect.stringMatching(/^sch_/),
        bot_id: expect.stringMatching(/^bot_/),
        event_id: event.id,
        scheduled_time: minuteBefore(start),
        is_recurring_occurrence: false,
        bot_config: { audio_required: true, video_required: true, ...bot_config },
      },
    ])
    expect((await scheduledOf(api))[0]).toMatchObject({
      bot_id: body.bot_id,
      platform: 'GMeet',
      status: 'Scheduled',
      bot_username: 'Note taker',
      scheduled_join_time: minuteBefore(start),
      custom_attributes: { source: 'calendar', event_id: event.id, deal: 7, deduplication_key: `calendar:${body.schedule_id}` },
    })
    expect((await eventsOf(api))[0]?.bots).toEqual([
      {
        id: body.bot_id,
        status: 'Scheduled',
        scheduled_join_time: minuteBefore(start),
        bot_username: 'Note taker',
        platform: 'GMeet',
        meeting_link: meetLink(1),
        is_scheduled: true,
      },
    ])
  })

  test('gets the bot that the calendar was connected with if the request has no body', async () => {
    const { api, event } = await withEvent()
    const headers = { 'content-type': 'application/json' }
    expect((await api('POST', `/calendar/schedule/${event.id}`, '', headers)).status).toBe(200)
    expect((await scheduledOf(api))[0]).toMatchObject({ bot_username: 'Scribe' })
  })

  test('is answered 409 with the first bot when requested again', async () => {
    const { api, event } = await withEvent()
    const asked = await Promise.all(Array.from({ length: 8 }, () => api('POST', `/calendar/schedule/${event.id}`)))
    expect(asked.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
    const made = asked.find(({ status }) => status === 200)?.body.bot_id
    for (const { status, body } of asked) if (status === 409) expect(body.bot_id).toBe(made)
    expect(await scheduledOf(api)).toHaveLength(1)
  })

  test.each([
    ['without a link that a bot can follow', { hangoutLink: undefined, location: 'https://acme.webex.com/meet/ann' }, /Webex/],
    ['that was declined', { attendees: [{ self: true, responseStatus: 'declined' }] }, /declined/],
    ['that is over', during(inHours(-2)), /over/],
    ['with a bot that could not be sent', {}, /^transcription deepgram is not configured/],
  ])('is rejected with 400 and the reason if it is one %s', async (name, change, reason) => {
    const { api, event } = await withEvent(inHours(5), change)
    const bot_config = name.includes('could not') ? { transcription: { deepgram: {} } } : {}
    const answer = await api('POST', `/calendar/schedule/${event.id}`, { bot_config })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(reason) } })
    expect(await scheduledOf(api)).toEqual([])
  })

  test('is answered with 404 if it does not exist or belongs to another user', async () => {
    const { event } = await withEvent()
    const { api } = await withEvent()
    for (const id of [event.id, 'evt_unknown', '..%2F', 'x'.repeat(300)])
      expect((await api('POST', `/calendar/schedule/${id}`)).status, id).toBe(404)
  })

  test('is unscheduled by its own id or by its bot’s', async () => {
    const { api, event } = await withEvent()
    await api('POST', `/calendar/schedule/${event.id}`)
    const { status, body } = await api('DELETE', `/api/v1/calendar/schedule/${event.id}`)
    expect([status, body]).toMatchObject([
      200,
      { unscheduled: true, event_id: event.id, schedules_cancelled: 1, bots_deleted: 1, message: '1 scheduled bot cancelled' },
    ])
    const again = await api('POST', `/calendar/schedule/${event.id}`)
    expect(again.status).toBe(200)
    expect(await api('DELETE', `/calendar/schedule/${again.body.bot_id}`)).toMatchObject({
      status: 200,
      body: { bot_id: again.body.bot_id },
    })
    expect(await scheduledOf(api)).toEqual([])
    await sync(api)
    expect(await scheduledOf(api)).toEqual([])
    expect((await api('POST', `/calendar/schedule/${event.id}`)).status).toBe(200)
  })
})

describe('a scheduled event', () => {
  test('reschedules its bot when it moves, also minutes before the start', async () => {
    const { api, google, event } = await withEvent(new Date(Date.now() + 3 * MINUTE_MS))
    const { body } = await api('POST', `/calendar/schedule/${event.id}`)
    const later = inHours(8)
    google.put({ id: 'event', ...during(later) })
    await sync(api)
    expect((await scheduledOf(api)).map((it) => [it.bot_id, it.scheduled_join_time])).toEqual([[body.bot_id, minuteBefore(later)]])
  })

  test('sends its bot to the new meeting when its link changes', async () => {
    const { api, google, event } = await withEvent()
    const { body } = await api('POST', `/calendar/schedule/${event.id}`)
    google.put({ id: 'event', hangoutLink: undefined, location: 'https://zoom.us/j/1234567890?pwd=abc' })
    await sync(api)
    expect(await scheduledOf(api)).toMatchObject([
      { bot_id: body.bot_id, platform: 'Zoom', meeting_link: 'https://zoom.us/j/1234567890?pwd=abc' },
    ])
  })

  test.each([
    ['deleted', (google: Awaited<ReturnType<typeof withEvent>>['google']) => google.remove('event')],
    ['declined', (google) => google.put({ id: 'event', attendees: [{ self: true, responseStatus: 'declined' }] })],
    ['without a link', (google) => google.put({ id: 'event', hangoutLink: undefined })],
    ['moved into the past', (google) => google.put({ id: 'event', ...during(inHours(-5)) })],
  ] satisfies [string, (google: Awaited<ReturnType<typeof withEvent>>['google']) => void][])(
    'cancels its bot when it is %s',
    async (_, happen) => {
      const { api, google, event } = await withEvent()
      const { body } = await api('POST', `/calendar/schedule/${event.id}`)
      happen(google)
      await sync(api)
      expect(await scheduledOf(api)).toEqual([])
      expect((await api('GET', `/api/v1/bots/${body.bot_id}/status`)).body.status).toBe('Cancelled')
    },
  )

  test('keeps the time that its user set for the bot until the event moves', async () => {
    const { api, google, event } = await withEvent()
    const { body } = await api('POST', `/calendar/schedule/${event.id}`)
    const own = inHours(4).toISOString()
    await api('PATCH', `/calendar/scheduled_bots/${body.bot_id}`, { scheduled_join_time: own, bot_username: 'Renamed' })
    google.put({ id: 'event', summary: 'Another title' })
    await sync(api)
    expect(await scheduledOf(api)).toMatchObject([{ bot_id: body.bot_id, scheduled_join_time: own, bot_username: 'Renamed' }])
    const later = inHours(9)
    google.put({ id: 'event', ...during(later) })
    await sync(api)
    expect(await scheduledOf(api)).toMatchObject([
      { bot_id: body.bot_id, scheduled_join_time: minuteBefore(later), bot_username: 'Renamed' },
    ])
  })
})

describe('auto-scheduling', () => {
  test('schedules bots for existing and new events of own calendars only', async () => {
    const { api, google, start } = await withEvent()
    google.addCalendar('boss@example.com', { accessRole: 'reader' })
    google.put({ id: 'theirs', hangoutLink: meetLink(5), ...during(inHours(7)) }, 'boss@example.com')
    google.put({ id: 'day', hangoutLink: meetLink(6), start: { date: '2026-12-24' }, end: { date: '2026-12-25' } })
    const { body } = await api('POST', '/calendar/auto-schedule/enable', { default_bot_config: { bot_name: 'Auto' } })
    expect(body).toEqual({ message: expect.any(String), auto_schedule_enabled: true, default_bot_config: { bot_name: 'Auto' } })
    expect(await scheduledOf(api)).toMatchObject([{ bot_username: 'Auto', scheduled_join_time: minuteBefore(start) }])
    const later = inHours(6)
    google.put({ id: 'new', hangoutLink: meetLink(2), ...during(later) })
    await sync(api)
    expect(await times(api)).toEqual([minuteBefore(start), minuteBefore(later)])
    expect((await api('GET', '/calendar/auto-schedule/settings')).body).toMatchObject({
      auto_schedule_enabled: true,
      default_bot_config: { bot_name: 'Auto' },
    })
  })

  test('does not reschedule events that the user unscheduled or cancelled, in any later sync', async () => {
    const { api, google, event } = await withEvent()
    google.put({ id: 'other', hangoutLink: meetLink(2), ...during(inHours(6)) })
    await sync(api)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const other = (await scheduledOf(api))[1]
    await api('DELETE', `/calendar/schedule/${event.id}`)
    await api('DELETE', `/calendar/scheduled_bots/${other?.bot_id}`)
    await api('DELETE', `/api/v1/bots/${other?.bot_id}/delete`)
    google.put({ id: 'event', summary: 'Edited', ...during(inHours(7)) })
    google.put({ id: 'other', summary: 'Edited' })
    await sync(api)
    await api('POST', '/calendar/auto-schedule/enable', {})
    expect(await scheduledOf(api)).toEqual([])
  })

  test('keeps requested bots when it is disabled', async () => {
    const { api, google, event } = await withEvent()
    google.put({ id: 'other', hangoutLink: meetLink(2), ...during(inHours(6)) })
    await sync(api)
    await api('POST', `/calendar/schedule/${event.id}`)
    await api('POST', '/calendar/auto-schedule/enable', {})
    expect(await scheduledOf(api)).toHaveLength(2)
    expect((await api('POST', '/calendar/auto-schedule/disable')).body).toMatchObject({ auto_schedule_enabled: false })
    expect((await scheduledOf(api)).map((it) => it.custom_attributes.event_id)).toEqual([event.id])
  })
})
