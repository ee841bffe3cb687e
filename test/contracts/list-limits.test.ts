// Limits on list requests, so that one caller cannot slow down others.
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { WorkspaceId } from '../../src/domain/bot.ts'
import { listBots } from '../../src/service/db/fleet/bot-list.ts'
import type { Tables } from '../../src/service/db/tables.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Client } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const TOMORROW = new Date(Date.now() + 24 * 60 * 60_000).toISOString()

const service = serviceForFile()
let api: Client
beforeAll(async () => {
  api = service.api
})

async function create(custom_attributes: object): Promise<string> {
  const { status, body } = await api('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at: TOMORROW,
    custom_attributes,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.bot_id
}

const query = (attributes: Readonly<Record<string, unknown>>) =>
  Object.entries(attributes)
    .map(([name, value]) => `custom_attr[${name}]=${value}`)
    .join('&')

async function listed(filters: string): Promise<string[]> {
  const { status, body } = await api('GET', `/api/v1/bots?${filters}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.bots.map((bot: { bot_id: string }) => bot.bot_id)
}

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`name${index}`, index]))

describe('custom_attr filters', () => {
  test('finds bots by ten attributes in any order and spelling', async () => {
    const attributes = numbered(10)
    const all = await create(attributes)
    await create({ ...attributes, name9: 'other' })
    const many = await create({ ...attributes, name0: '0', more: true })
    expect(await listed(query(attributes))).toEqual([many, all])
    expect(await listed(query({ ...attributes, name3: '3.0', name4: '%204' }))).toEqual([many, all])
    expect(await listed(`${query({ name9: 9, name0: '0.0' })}&custom_attr[name0]=0`)).toEqual([many, all])
    expect(await listed(`${query({ name9: 9, name0: 0 })}&custom_attr[name0]=1`)).toEqual([])
  })

  test('pages through bots with both of two attributes', async () => {
    const made: string[] = []
    for (let index = 0; index < 5; index++) {
      made.unshift(await create({ kind: 'pair', half: 'x' }))
      await create({ kind: 'pair', half: 'y' })
      await create({ kind: 'single', half: 'x' })
    }
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await api('GET', `/api/v1/bots?${query({ kind: 'pair', half: 'x' })}&limit=2${cursor}`)
      seen.push(...body.bots.map((bot: { bot_id: string }) => bot.bot_id))
      if (!body.hasNextPage) break
      cursor = `&cursor=${body.nextCursor}`
    }
    expect(seen).toEqual(made)
  })

  test('rejects more than ten custom_attr filters', async () => {
    expect(await api('GET', `/api/v1/bots?${query(numbered(11))}`)).toMatchObject({
      status: 400,
      body: { message: 'custom_attr must be given at most 10 times, not 11.' },
    })
    const repeated = Array.from({ length: 130 }, () => 'custom_attr[tag]=sales').join('&')
    expect((await api('GET', `/api/v1/bots?${repeated}`)).status).toBe(400)
  })

  test('sends PostgreSQL the same statement for two filters and for ten', async () => {
    const [two, ten] = await Promise.all([2, 10].map((count) => statementsFor(Object.entries(numbered(count)))))
    expect(two).toEqual(ten)
  })
})

/** The SQL statements of a list request. */
async function statementsFor(filters: readonly [string, unknown][]): Promise<string[]> {
  const seen: string[] = []
  const client = {
    query: async (text: string) => {
      seen.push(text)
      return { command: 'SELECT', rowCount: 0, rows: [] }
    },
    release: () => undefined,
  }
  const pool = { connect: async () => client, end: async () => undefined } as unknown as pg.Pool
  const attributes = filters.map(([name, value]) => [name, String(value)] as const)
  await listBots(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), 'wsp_x' as WorkspaceId, { attributes, limit: 50 })
  return seen
}

describe('custom_attributes', () => {
  const bytes = (count: number) => ({ note: 'x'.repeat(count - '{"note":""}'.length) })
  const LARGEST = 32 * 1024
  const complaint = { status: 400, body: { message: expect.stringMatching(/custom_attributes must have at most 32768 bytes as JSON/) } }

  test('accepts 32 kB and rejects one byte more on create_bot', async () => {
    await create(bytes(LARGEST))
    const ask = (custom_attributes: object) =>
      api('POST', '/api/v1/bots/create_bot', { meeting_link: 'https://meet.google.com/abc-defg-hij', custom_attributes })
    expect(await ask(bytes(LARGEST + 1))).toMatchObject(complaint)
    expect(await ask({ note: 'ü'.repeat(LARGEST / 2) })).toMatchObject(complaint)
  })

  test('rejects more than 32 kB wherever attributes can be given', async () => {
    const id = await create({})
    const custom_attributes = bytes(LARGEST + 1)
    const reschedule = { scheduled_join_time: TOMORROW, custom_attributes }
    expect(await api('PATCH', `/api/v1/calendar/scheduled_bots/${id}`, reschedule)).toMatchObject(complaint)
    expect(await api('PATCH', `/calendar/scheduled_bots/${id}`, reschedule)).toMatchObject(complaint)
    expect(await api('POST', '/api/v1/calendar/schedule/evt_x', { bot_config: { custom_attributes } })).toMatchObject(complaint)
    const defaults = { default_bot_config: { custom_attributes } }
    expect(await api('POST', '/api/v1/calendar/auto-schedule/enable', defaults)).toMatchObject(complaint)
  })

  test('accepts 64 keys and rejects one more wherever attributes can be given', async () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, index]))
    const tooMany = { status: 400, body: { message: expect.stringMatching(/custom_attributes must have at most 64 fields/) } }
    const id = await create(keys(64))
    const custom_attributes = keys(65)
    const meeting_link = 'https://meet.google.com/abc-defg-hij'
    expect(await api('POST', '/api/v1/bots/create_bot', { meeting_link, custom_attributes })).toMatchObject(tooMany)
    const reschedule = { scheduled_join_time: TOMORROW, custom_attributes }
    expect(await api('PATCH', `/api/v1/calendar/scheduled_bots/${id}`, reschedule)).toMatchObject(tooMany)
    expect(await api('POST', '/api/v1/calendar/schedule/evt_x', { bot_config: { custom_attributes } })).toMatchObject(tooMany)
    const defaults = { default_bot_config: { custom_attributes } }
    expect(await api('POST', '/api/v1/calendar/auto-schedule/enable', defaults)).toMatchObject(tooMany)
  })

  test('publishes the limit of 64 keys in the OpenAPI document', async () => {
    const { schemas } = (await api('GET', '/api/v1/openapi.json')).body.components
    for (const name of ['CreateBotRequest', 'BotConfig', 'RescheduleBotRequest'])
      expect(schemas[name].properties.custom_attributes, name).toMatchObject({ maxProperties: 64 })
  })

  test('ends a page of bots before 1 MB, and continues after its last bot', async () => {
    const stranger = await service.stranger()
    const ids: string[] = []
    for (let index = 0; index < 40; index++) {
      const { body } = await stranger('POST', '/api/v1/bots/create_bot', {
        meeting_link: 'https://meet.google.com/abc-defg-hij',
        join_at: TOMORROW,
        custom_attributes: bytes(LARGEST),
      })
      ids.unshift(body.bot_id)
    }
    const seen: string[] = []
    const pages: number[] = []
    for (let cursor = ''; ; ) {
      const { body } = await stranger('GET', `/api/v1/bots?limit=100${cursor}`)
      expect(JSON.stringify(body).length).toBeLessThan(1.1 * 1024 * 1024)
      pages.push(body.bots.length)
      seen.push(...body.bots.map((bot: { bot_id: string }) => bot.bot_id))
      if (!body.hasNextPage) break
      cursor = `&cursor=${body.nextCursor}`
    }
    expect(seen).toEqual(ids)
    expect(pages).toEqual([31, 9])
  })

  test('ends a page of events before 1 MB, and continues after its last event', async () => {
    const stranger = await service.stranger()
    const link = { meeting_link: 'https://meet.google.com/abc-defg-hij', join_at: TOMORROW, custom_attributes: bytes(LARGEST) }
    const made: string[] = []
    for (let index = 0; index < 40; index++) made.push((await stranger('POST', '/api/v1/bots/create_bot', link)).body.bot_id)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await stranger('GET', `/api/v1/events?limit=100${cursor}`)
      expect(JSON.stringify(body).length).toBeLessThan(1.1 * 1024 * 1024)
      seen.push(...body.events.map((event: { bot_id: string }) => event.bot_id))
      if (!body.hasNextPage) break
      cursor = `&cursor=${body.nextCursor}`
    }
    expect(seen).toEqual(made)
  })

  test('lists a bot that is larger than a page', async () => {
    const stranger = await service.stranger()
    const link = { meeting_link: 'https://meet.google.com/abc-defg-hij', join_at: TOMORROW }
    const { body: large } = await stranger('POST', '/api/v1/bots/create_bot', link)
    const { body: small } = await stranger('POST', '/api/v1/bots/create_bot', link)
    // Earlier versions accepted attributes of up to 1 MB.
    await service.db
      .updateTable('bots')
      .set({ custom_attributes: JSON.stringify({ note: 'x'.repeat(2 * 1024 * 1024) }) })
      .where('id', '=', large.bot_id)
      .execute()
    const { body: first } = await stranger('GET', '/api/v1/bots')
    expect(first.bots.map((bot: { bot_id: string }) => bot.bot_id)).toEqual([small.bot_id])
    const { body: second } = await stranger('GET', `/api/v1/bots?cursor=${first.nextCursor}`)
    expect(second.bots.map((bot: { bot_id: string }) => bot.bot_id)).toEqual([large.bot_id])
    expect(second.hasNextPage).toBe(false)
  })
})

test('cancels the query of a client that disconnects', async () => {
  const waiting = async () => {
    const { rows } = await sql<{ count: string }>`select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%custom_attributes%'`.execute(service.db)
    return Number(rows[0]?.count)
  }
  await service.db.transaction().execute(async (tx) => {
    await sql`lock table bots in access exclusive mode`.execute(tx)
    const going = new AbortController()
    const headers = { authorization: 'Token a-key-for-tests-0123456789' }
    const asked = fetch(`${service.url}/api/v1/bots?custom_attr[tag]=x`, { headers, signal: going.signal }).catch(() => 'gone')
    await until('the list waits for the table', async () => (await waiting()) === 1, 10_000)
    going.abort()
    expect(await asked).toBe('gone')
    await until('PostgreSQL has dropped the query', async () => (await waiting()) === 0, 20_000)
  })
  expect((await api('GET', '/api/v1/bots')).status).toBe(200)
})
