// The list of calendar events: its time span, pages, filters and refresh.
import { describe, expect, test } from 'vitest'
import { calendarServiceForFile, connect, type EventAnswer, eventsOf, newUser } from '../../helpers/calendars/calendar.ts'
import { during, inHours, meetLink } from '../../helpers/calendars/event-fields.ts'

const service = calendarServiceForFile()

const newcomer = () => newUser(service)

describe('the list of events', () => {
  test('is a 404 before a calendar is connected', async () => {
    const api = await service.stranger()
    for (const query of ['', '?sync=true']) expect((await api('GET', `/calendar/events${query}`)).status).toBe(404)
    expect((await api('GET', '/calendar')).body).toMatchObject({ total: 0, calendars: [] })
  })

  test('has pages in both directions', async () => {
    const { api, google } = await newcomer()
    for (let number = 0; number < 7; number += 1)
      google.put({ id: `e${number}`, hangoutLink: meetLink(number), ...during(inHours(number + 1)) })
    await connect(api, google.credentials)
    const page = async (cursor: string | null, limit = 3) =>
      (await api('GET', `/calendar/events?limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)).body
    const names = (body: { results: EventAnswer[] }) => body.results.map(({ platform_id }) => platform_id)

    const first = await page(null)
    const second = await page(first.next)
    const third = await page(second.next)
    expect([first, second, third].map(names)).toEqual([['e0', 'e1', 'e2'], ['e3', 'e4', 'e5'], ['e6']])
    expect([first, second, third].map((it) => it.has_more)).toEqual([true, true, false])
    expect([first.previous, third.next]).toEqual([null, null])
    const back = await page(third.previous)
    expect(names(back)).toEqual(['e3', 'e4', 'e5'])
    expect(names(await page(back.next))).toEqual(['e6'])
    const start = await page(back.previous)
    expect([names(start), start.previous]).toEqual([['e0', 'e1', 'e2'], null])
  })

  test('covers a day behind and 28 days ahead by default', async () => {
    const { api, google } = await newcomer()
    const at = { old: -26, recent: -20, near: 24 * 27, far: 24 * 29 }
    for (const [id, hours] of Object.entries(at)) google.put({ id, hangoutLink: meetLink(hours + 100), ...during(inHours(hours)) })
    await connect(api, google.credentials)
    const ids = async (query = '') => (await eventsOf(api, query)).map(({ platform_id }) => platform_id)
    expect(await ids()).toEqual(['recent', 'near'])
    expect(await ids(`?time_max=${inHours(24 * 30).toISOString()}`)).toEqual(['recent', 'near', 'far'])
    expect(await ids(`?time_min=${inHours(0).toISOString()}`)).toEqual(['near'])
  })

  test('rejects an invalid time, limit or cursor', async () => {
    const { api, google } = await newcomer()
    await connect(api, google.credentials)
    const queries = ['time_min=yesterday', 'time_max=2026-02-30T00:00:00Z', 'limit=0', 'limit=101', 'cursor=made-up', 'sync=maybe']
    for (const query of [...queries, 'time_min=2027-01-02T00:00:00Z&time_max=2027-01-01T00:00:00Z'])
      expect((await api('GET', `/calendar/events?${query}`)).status, query).toBe(400)
  })

  test('is filtered by a calendar’s own id or the provider’s', async () => {
    const { api, google } = await newcomer()
    google.addCalendar('other')
    google.put({ id: 'mine', hangoutLink: meetLink(1), ...during(inHours(1)) })
    google.put({ id: 'theirs', hangoutLink: meetLink(2), ...during(inHours(2)) }, 'other')
    const { body } = await connect(api, google.credentials)
    const other = body.calendars.find(({ summary }: { summary: string }) => summary === 'other')
    for (const id of [other.id, 'other'])
      expect((await eventsOf(api, `?calendar_id=${id}`)).map((it) => it.platform_id)).toEqual(['theirs'])
    for (const path of ['/calendar/events', '/api/v1/calendar/events/list'])
      expect(await api('GET', `${path}?calendar_id=cal_unknown`)).toMatchObject({
        status: 404,
        body: { message: 'calendar_id cal_unknown is not a calendar of a connected account.' },
      })
  })

  test('lists copies of a meeting once on request', async () => {
    const { api, google } = await newcomer()
    google.addCalendar('second')
    const event = { id: 'copy', iCalUID: 'same@uid', hangoutLink: meetLink(9), ...during(inHours(1)) }
    google.put(event)
    google.put(event, 'second')
    await connect(api, google.credentials)
    expect(await eventsOf(api)).toHaveLength(2)
    expect(await eventsOf(api, '?cleanup_duplicates=true')).toHaveLength(1)
  })

  test('reads changes from the provider first on request', async () => {
    const { api, google } = await newcomer()
    google.put({ id: 'one', hangoutLink: meetLink(1), ...during(inHours(1)) })
    await connect(api, google.credentials)
    google.put({ id: 'two', hangoutLink: meetLink(2), ...during(inHours(2)) })
    google.remove('one')
    expect((await eventsOf(api)).map((it) => it.platform_id)).toEqual(['one'])
    const before = service.google.asked.length
    expect((await eventsOf(api, '?sync=true')).map((it) => it.platform_id)).toEqual(['two'])
    const reads = service.google.asked.slice(before).filter(({ path }) => path.endsWith('/events'))
    expect(reads.map(({ query }) => query.get('syncToken'))).toEqual(['token-1'])
    const deleted = await eventsOf(api, '?include_deleted=true')
    expect(deleted.map((it) => [it.platform_id, it.is_deleted])).toEqual([
      ['one', true],
      ['two', false],
    ])
  })
})
