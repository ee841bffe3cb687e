// Scheduled bots: list, reschedule and cancel, on every alias path.
import { beforeAll, describe, expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Client } from '../helpers/service/service.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

const service = serviceForFile()
let api: Client
beforeAll(async () => {
  api = service.api
})

async function schedule(join_at: string, body: object = {}): Promise<string> {
  const answer = await api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET, join_at, ...body })
  expect(answer.status).toBe(201)
  return answer.body.bot_id
}

describe('the list of scheduled bots', () => {
  test('shows future bots, soonest first, on every alias path', async () => {
    const later = await schedule(inHours(5), { deduplication_key: 'listed', custom_attributes: { source: 'test' } })
    const sooner = await schedule(inHours(4))
    for (const path of ['/calendar/scheduled', '/calendar/schedule', '/calendar/scheduled_bots']) {
      for (const prefix of ['', '/api/v1']) {
        const { status, body } = await api('GET', prefix + path)
        expect([status, body.scheduled_bots.map((bot: { bot_id: string }) => bot.bot_id)], prefix + path).toEqual([200, [sooner, later]])
      }
    }
    const { body } = await api('GET', '/calendar/scheduled')
    expect(body.scheduled_bots[1]).toMatchObject({
      bot_id: later,
      platform: 'GMeet',
      status: 'Scheduled',
      bot_username: 'Emissary',
      is_scheduled: true,
      custom_attributes: { source: 'test', deduplication_key: 'listed' },
    })
  })

  test('lists every bot with source, event_id and deduplication_key as strings', async () => {
    const plain = await schedule(inHours(3), { custom_attributes: { team: 'sales' } })
    const keyed = await schedule(inHours(3), { deduplication_key: 'strings', custom_attributes: { source: 'crm', event_id: 'e1' } })
    const { body } = await api('GET', '/calendar/scheduled')
    const attributesOf = (id: string) => body.scheduled_bots.find(({ bot_id }: { bot_id: string }) => bot_id === id).custom_attributes
    expect(attributesOf(plain)).toEqual({ team: 'sales', source: 'api', event_id: '', deduplication_key: '' })
    expect(attributesOf(keyed)).toEqual({ source: 'crm', event_id: 'e1', deduplication_key: 'strings' })
    expect((await api('GET', `/api/v1/bots/${plain}/status`)).body.custom_attributes).toEqual({ team: 'sales' })
  })

  test('accepts a limit from 1 to 100', async () => {
    expect((await api('GET', '/api/v1/calendar/scheduled?limit=1')).body.scheduled_bots).toHaveLength(1)
    for (const limit of ['0', '101', 'x']) expect((await api('GET', `/api/v1/calendar/scheduled?limit=${limit}`)).status).toBe(400)
  })
})

describe('rescheduling', () => {
  const move = (id: string, body: unknown) => api('PATCH', `/api/v1/calendar/scheduled_bots/${id}`, body)

  test('changes the time and the other given fields', async () => {
    const id = await schedule(inHours(1))
    const body = {
      scheduled_join_time: '2026-12-24T18:00:00+01:00',
      bot_username: 'Santa',
      custom_attributes: { red: true },
      automatic_leave: { everyone_left_timeout: 60 },
    }
    const answer = await move(id, body)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        bot_id: id,
        scheduled_join_time: '2026-12-24T17:00:00.000Z',
        updated_fields: Object.keys(body),
        schedule_updated: true,
      },
    })
    const { bot_details } = (await api('GET', `/api/v1/bots/${id}/detail`)).body
    expect(bot_details).toMatchObject({ BotUsername: 'Santa', StartTime: '2026-12-24T17:00:00.000Z', custom_attributes: { red: true } })
    expect((await api('GET', '/api/v1/bots?custom_attr[red]=true')).body.bots).toHaveLength(1)
    const { spec } = await service.db.selectFrom('bots').select('spec').where('id', '=', id).executeTakeFirstOrThrow()
    expect(spec.leave).toMatchObject({ everyoneLeftSeconds: 60, waitingRoomSeconds: 600 })
  })

  test('changes the name without a time', async () => {
    const join_at = inHours(1)
    const id = await schedule(join_at)
    expect(await move(id, { bot_username: 'Renamed' })).toMatchObject({
      status: 200,
      body: { success: true, scheduled_join_time: join_at, updated_fields: ['bot_username'], schedule_updated: false },
    })
    const { bot_details } = (await api('GET', `/api/v1/bots/${id}/detail`)).body
    expect(bot_details).toMatchObject({ BotUsername: 'Renamed', StartTime: join_at, ScheduledJoinTime: join_at })
  })

  test('answers errors as {error, status_code}', async () => {
    const id = await schedule(inHours(1))
    const refusals: [string, unknown, number, RegExp][] = [
      ['bot_unknown', { scheduled_join_time: inHours(2) }, 404, /Bot not found/],
      [id, {}, 400, /^scheduled_join_time is required/],
      [id, { scheduled_join_time: 'soon' }, 400, /timezone offset/],
      [id, { scheduled_join_time: '2026-12-24T18:00:00' }, 400, /timezone offset/],
      [id, { scheduled_join_time: '2020-12-24T18:00:00Z' }, 400, /in the future/],
      [id, { scheduled_join_time: inHours(24 * 91) }, 400, /90 days/],
      [id, { scheduled_join_time: inHours(2), automatic_leave: { waiting_room_timeout: 700 } }, 400, /waiting_room_timeout/],
    ]
    for (const [bot, body, status, message] of refusals) {
      const answer = await move(bot, body)
      expect(answer, JSON.stringify(body)).toMatchObject({ status, body: { error: expect.stringMatching(message), status_code: status } })
    }
    const { body: immediate } = await api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET })
    expect(await move(immediate.bot_id, { scheduled_join_time: inHours(2) })).toMatchObject({ status: 400, body: { status_code: 400 } })
  })

  test('is rejected once the bot is cancelled', async () => {
    const id = await schedule(inHours(1))
    await api('DELETE', `/api/v1/calendar/scheduled_bots/${id}`)
    expect(await move(id, { scheduled_join_time: inHours(2) })).toMatchObject({
      status: 400,
      body: { error: 'The bot is cancelled; it cannot be rescheduled. Create another one.' },
    })
  })
})

describe('cancelling', () => {
  test.each(['/calendar/scheduled_bots', '/calendar/scheduled', '/calendar/schedule'])(
    'works at DELETE %s/{bot_id}, with and without the prefix',
    async (path) => {
      for (const prefix of ['', '/api/v1']) {
        const id = await schedule(inHours(1))
        const answer = await api('DELETE', `${prefix}${path}/${id}`, '', { 'content-type': 'application/json' })
        expect(answer).toMatchObject({ status: 200, body: { bot_id: id, message: expect.any(String) } })
        expect((await api('GET', `/api/v1/bots/${id}/status`)).body.status).toBe('Cancelled')
        expect((await api('DELETE', `${prefix}${path}/${id}`)).status).toBe(409)
      }
    },
  )

  test('answers 404 for an unknown bot, an immediate bot and an unknown event', async () => {
    const { body: immediate } = await api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET })
    for (const id of ['bot_unknown', immediate.bot_id, 'evt_unknown'])
      expect((await api('DELETE', `/calendar/schedule/${id}`)).status).toBe(404)
  })
})
