// Recurring events: masters and occurrences, single ones that move, are cancelled or edited, and bots for a whole series.
import { describe, expect, test } from 'vitest'
import { calendarServiceForFile, connect, eventsOf, newUser, scheduledOf } from '../../helpers/calendars/calendar.ts'
import { during, inHours, meetLink } from '../../helpers/calendars/event-fields.ts'
import type { Client } from '../../helpers/service/service.ts'

const service = calendarServiceForFile()

const DAY_MS = 86_400_000
const START = inHours(24)
const day = (number: number, from = START): Date => new Date(from.getTime() + number * DAY_MS)
const sync = (api: Client) => eventsOf(api, '?sync=true&limit=100')
const joinTimes = async (api: Client) => (await scheduledOf(api)).map((it) => new Date(it.scheduled_join_time).getTime() + 60_000)
const daysOf = (numbers: readonly number[]) => numbers.map((number) => day(number).getTime())

/** A connected user with a daily series of `count` meetings from tomorrow on. */
async function withSeries(count = 10, rule = `RRULE:FREQ=DAILY;COUNT=${count}`) {
  const { api, google } = await newUser(service)
  google.put({ id: 'daily', summary: 'Daily', hangoutLink: meetLink(1), recurrence: [rule], ...during(START) })
  await connect(api, google.credentials)
  const events = await eventsOf(api, '?limit=100&include_masters=true')
  const master = events.find(({ is_recurring }) => is_recurring)
  const occurrences = events.filter(({ is_expanded }) => is_expanded)
  if (!master) throw new Error('the series is not there')
  return { api, google, master, occurrences }
}

describe('a series', () => {
  test('lists a series by its occurrences, without its master', async () => {
    const { api, occurrences } = await withSeries(4)
    const listed = await eventsOf(api)
    expect(listed.map(({ id }) => id)).toEqual(occurrences.map(({ id }) => id))
    expect(new Set(listed.map(({ start_time }) => start_time)).size).toBe(4)
  })

  test('is a master with its rule and occurrences that name it', async () => {
    const { master, occurrences } = await withSeries(4)
    expect(master).toMatchObject({ platform_id: 'daily', recurrence_rule: 'FREQ=DAILY;COUNT=4', is_expanded: false, master_event_id: null })
    expect(occurrences.map((it) => it.start_time)).toEqual([0, 1, 2, 3].map((number) => day(number).toISOString()))
    for (const it of occurrences)
      expect(it).toMatchObject({ is_recurring: false, master_event_id: master.id, recurrence_rule: null, meeting_url: meetLink(1) })
    const stamp = START.toISOString().replaceAll(/[-:]|\.\d+/g, '')
    expect(occurrences[0]).toMatchObject({ platform_id: `daily_${stamp}`, raw: { recurringEventId: 'daily', id: `daily_${stamp}` } })
  })

  test('has bots for all occurrences on request, up to a limit', async () => {
    const { api, occurrences } = await withSeries(10)
    const answer = await api('POST', `/calendar/schedule/${occurrences[2]?.id}`, { schedule_all_occurrences: true, occurrence_limit: 5 })
    expect(answer).toMatchObject({ status: 200, body: { event_id: occurrences[2]?.id, is_recurring_occurrence: true } })
    expect(await joinTimes(api)).toEqual(daysOf([2, 3, 4, 5, 6]))
    expect((await api('POST', `/calendar/schedule/${occurrences[0]?.id}`, { occurrence_limit: 53 })).status).toBe(400)
  })

  test('is scheduled by the id of its master for the next or the named occurrence', async () => {
    const { api, master } = await withSeries(5)
    expect((await api('POST', `/calendar/schedule/${master.id}`)).status).toBe(200)
    expect((await api('POST', `/calendar/schedule/${master.id}`, { occurrence_date: day(3).toISOString() })).status).toBe(200)
    expect(await joinTimes(api)).toEqual(daysOf([0, 3]))
    expect((await api('POST', `/calendar/schedule/${master.id}`, { occurrence_date: day(9).toISOString() })).status).toBe(400)
  })

  test('loses its bots from a date on, and keeps those before', async () => {
    const { api, master } = await withSeries(6)
    await api('POST', `/calendar/schedule/${master.id}`, { schedule_all_occurrences: true })
    const body = { cancel_all_occurrences: true, from_date: day(3).toISOString() }
    expect((await api('DELETE', `/calendar/schedule/${master.id}`, body)).body).toMatchObject({ schedules_cancelled: 3, bots_deleted: 3 })
    expect(await joinTimes(api)).toEqual(daysOf([0, 1, 2]))
    await api('POST', '/calendar/auto-schedule/enable', {})
    expect(await joinTimes(api)).toEqual(daysOf([0, 1, 2]))
    expect((await api('DELETE', `/calendar/schedule/${master.id}`, { cancel_all_occurrences: true })).body).toMatchObject({
      schedules_cancelled: 3,
    })
  })

  test('is disabled and enabled, except for single requests', async () => {
    const { api, master, occurrences } = await withSeries(4)
    await api('POST', `/calendar/schedule/${occurrences[1]?.id}`)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const off = await api('POST', '/calendar/toggle-recurrence', { event_id: occurrences[2]?.id, recurring_enabled: false })
    expect(off.body).toMatchObject({
      event_id: occurrences[2]?.id,
      recurring_enabled: false,
      recurrence_rule: 'FREQ=DAILY;COUNT=4',
      message: expect.any(String),
    })
    expect(await joinTimes(api)).toEqual(daysOf([1]))
    await sync(api)
    expect(await joinTimes(api)).toEqual(daysOf([1]))
    await api('POST', '/calendar/toggle-recurrence', { event_id: master.id, recurring_enabled: true })
    expect(await joinTimes(api)).toEqual(daysOf([0, 1, 2, 3]))
  })

  test('is not disabled or enabled if the event has no rule', async () => {
    const { api, google } = await withSeries(2)
    google.put({ id: 'single', hangoutLink: meetLink(2), ...during(inHours(2)) })
    const single = (await sync(api)).find(({ platform_id }) => platform_id === 'single')
    const toggle = (event_id: string | undefined) => api('POST', '/calendar/toggle-recurrence', { event_id, recurring_enabled: false })
    expect((await toggle(single?.id)).status).toBe(400)
    expect((await toggle('evt_unknown')).status).toBe(404)
  })
})

describe('one occurrence', () => {
  test('changes only its own bot when it is moved, cancelled or edited', async () => {
    const { api, google, occurrences } = await withSeries(5)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const bots = await scheduledOf(api)
    const moved = new Date(day(1).getTime() + 3 * 3_600_000)
    google.except('daily', day(1).toISOString(), during(moved))
    google.except('daily', day(2).toISOString(), 'cancelled')
    google.except('daily', day(3).toISOString(), { hangoutLink: meetLink(77) })
    const after = await sync(api)
    expect((await scheduledOf(api)).map((it) => [it.bot_id, it.meeting_link])).toEqual([
      [bots[0]?.bot_id, meetLink(1)],
      [bots[1]?.bot_id, meetLink(1)],
      [bots[3]?.bot_id, meetLink(77)],
      [bots[4]?.bot_id, meetLink(1)],
    ])
    expect(await joinTimes(api)).toEqual([day(0).getTime(), moved.getTime(), day(3).getTime(), day(4).getTime()])
    // The ids of the events stay.
    expect(after.find((it) => it.id === occurrences[1]?.id)?.start_time).toBe(moved.toISOString())
  })

  test('stays after an edit when the rest of the series moves', async () => {
    const { api, google } = await withSeries(3)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const moved = new Date(day(1).getTime() + 5 * 3_600_000)
    google.except('daily', day(1).toISOString(), during(moved))
    await sync(api)
    google.put({ id: 'daily', summary: 'Renamed' })
    await sync(api)
    expect(await joinTimes(api)).toEqual([day(0).getTime(), moved.getTime(), day(2).getTime()])
  })
})

describe('the whole series', () => {
  test('moves every bot when it moves by an hour', async () => {
    const { api, google } = await withSeries(4)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const bots = (await scheduledOf(api)).map((it) => it.bot_id)
    const later = new Date(START.getTime() + 3_600_000)
    google.put({ id: 'daily', ...during(later) })
    const events = await sync(api)
    expect((await scheduledOf(api)).map((it) => it.bot_id)).toEqual(bots)
    expect((await scheduledOf(api)).map((it) => it.custom_attributes.event_id)).toEqual(
      events.filter((it) => it.is_expanded).map((it) => it.id),
    )
    expect(await joinTimes(api)).toEqual([0, 1, 2, 3].map((number) => day(number, later).getTime()))
  })

  test('has each meeting once after "this and following" splits it', async () => {
    const { api, google } = await withSeries(6)
    await api('POST', '/calendar/auto-schedule/enable', {})
    const until = new Date(day(3).getTime() - 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const later = new Date(day(3).getTime() + 3_600_000)
    google.put({ id: 'daily', recurrence: [`RRULE:FREQ=DAILY;UNTIL=${until}`] })
    google.put({ id: 'daily_R1', summary: 'Daily', hangoutLink: meetLink(1), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], ...during(later) })
    await sync(api)
    expect(await joinTimes(api)).toEqual([...daysOf([0, 1, 2]), ...[0, 1, 2].map((number) => day(number, later).getTime())])
  })

  test('cancels every bot when it is deleted, and has bots for 90 days when it is endless', async () => {
    const { api, google } = await withSeries(1, 'RRULE:FREQ=WEEKLY')
    await api('POST', '/calendar/auto-schedule/enable', {})
    expect((await scheduledOf(api)).length).toBe(13)
    google.remove('daily')
    await sync(api)
    expect(await scheduledOf(api)).toEqual([])
  })

  test('does not block the rest of the calendar with an invalid rule', async () => {
    const { api, google } = await withSeries(2, 'RRULE:FREQ=SOMETIMES')
    google.put({ id: 'single', hangoutLink: meetLink(3), ...during(inHours(3)) })
    await sync(api)
    await api('POST', '/calendar/auto-schedule/enable', {})
    expect(await scheduledOf(api)).toHaveLength(1)
  })
})
