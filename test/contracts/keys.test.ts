// Idempotency-Key and deduplication_key: one bot per key, also for concurrent requests.
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const OTHER = 'https://meet.google.com/xyz-defg-hij'

const service = serviceForFile()

const create = (body: unknown, key?: string) => service.api('POST', '/api/v1/bots/create_bot', body, key ? { 'idempotency-key': key } : {})

async function botsWith(tag: string): Promise<number> {
  const { body } = await service.api('GET', `/api/v1/bots?custom_attr[tag]=${tag}&limit=100`)
  return body.bots.length
}

test('answers 507 with the first bot for a replayed Idempotency-Key, even with an invalid body', async () => {
  const first = await create({ meeting_link: MEET }, 'replay-1')
  const again = await create('{"meeting_link":', 'replay-1')
  expect(first.status).toBe(201)
  expect(again.status).toBe(507)
  expect(again.body).toEqual({ ...first.body, transcript_id: null })
})

test('does not consume the key of a rejected request', async () => {
  expect((await create({ meeting_link: 'nonsense' }, 'replay-2')).status).toBe(400)
  expect((await create({ meeting_link: MEET }, 'replay-2')).status).toBe(201)
})

test('rejects an Idempotency-Key that is too long', async () => {
  expect(await create({ meeting_link: MEET }, 'x'.repeat(256))).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^Idempotency-Key/) },
  })
})

test('answers 200 with the existing bot for the same deduplication_key and meeting, in any form of the link', async () => {
  const first = await create({ meeting_link: MEET, deduplication_key: 'd1' })
  const again = await create({ meeting_link: 'http://meet.google.com/ABC-defg-hij?authuser=1'.toLowerCase(), deduplication_key: 'd1' })
  expect(first.status).toBe(201)
  expect(again.status).toBe(200)
  expect(again.body).toMatchObject({ bot_id: first.body.bot_id, transcript_id: first.body.transcript_id, meeting_url: MEET })
})

test('answers 409 with the existing bot for the same deduplication_key and another meeting', async () => {
  const first = await create({ meeting_link: MEET, deduplication_key: 'd2' })
  const other = await create({ meeting_link: OTHER, deduplication_key: 'd2' })
  expect(other.status).toBe(409)
  expect(other.body).toMatchObject({
    existing_bot_id: first.body.bot_id,
    existing_meeting_url: MEET,
    message: expect.stringContaining('deduplication_key'),
  })
})

test('compares a deduplication_key of 2,000 characters to its last character', async () => {
  // Random, because PostgreSQL compresses repetitive text.
  const start = Array.from({ length: 1999 }, () => String.fromCodePoint(0x4e00 + randomInt(20_000))).join('')
  const first = await create({ meeting_link: MEET, deduplication_key: `${start}a` })
  expect(first.status, JSON.stringify(first.body)).toBe(201)
  expect(await create({ meeting_link: MEET, deduplication_key: `${start}a` })).toMatchObject({
    status: 200,
    body: { bot_id: first.body.bot_id },
  })
  expect((await create({ meeting_link: MEET, deduplication_key: `${start}b` })).status).toBe(201)
  expect(await create({ meeting_link: MEET, deduplication_key: `${start}ab` })).toMatchObject({
    status: 400,
    body: { message: 'deduplication_key must have 1 to 2000 characters.' },
  })
})

test('prefers Idempotency-Key over deduplication_key', async () => {
  const first = await create({ meeting_link: MEET, deduplication_key: 'd3' }, 'replay-3')
  const again = await create({ meeting_link: OTHER, deduplication_key: 'd3' }, 'replay-3')
  expect(again.status).toBe(507)
  expect(again.body.bot_id).toBe(first.body.bot_id)
})

test('creates one bot for 50 concurrent requests with one Idempotency-Key', async () => {
  const body = { meeting_link: MEET, custom_attributes: { tag: 'race-i' } }
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(body, 'race-key')))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 507)).toHaveLength(49)
  expect(new Set(answers.map((answer) => answer.body.bot_id)).size).toBe(1)
  expect(await botsWith('race-i')).toBe(1)
})

test('creates one bot for 50 concurrent requests with one deduplication_key', async () => {
  const body = { meeting_link: MEET, deduplication_key: 'race', custom_attributes: { tag: 'race-d' } }
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(body)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
  expect(await botsWith('race-d')).toBe(1)
})
