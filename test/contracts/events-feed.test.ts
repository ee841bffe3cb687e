// The event feed: complete and in order, also with late commits and concurrent readers.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../src/domain/bot.ts'
import { newId } from '../../src/kit/id.ts'
import { inTransaction } from '../../src/service/db/database.ts'
import { insertEvent } from '../../src/service/db/delivery/deliveries.ts'
import { sweepEvents } from '../../src/service/db/delivery/delivery-log.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Client, TestService } from '../helpers/service/service.ts'

const service = serviceForFile({ BOT_WORKERS: '0' })

type Bot = { readonly id: BotId; readonly workspaceId: WorkspaceId }

async function botOf(client: Client): Promise<Bot> {
  const { body } = await client('POST', '/api/v1/bots/create_bot', { meeting_link: 'https://meet.google.com/abc-defg-hij' })
  const row = await service.db.selectFrom('bots').select('workspace_id').where('id', '=', body.bot_id).executeTakeFirstOrThrow()
  return { id: body.bot_id, workspaceId: row.workspace_id as WorkspaceId }
}

async function write(db: TestService['db'], { id: botId, workspaceId }: Bot): Promise<string> {
  const id = newId('msg', new Date())
  await insertEvent(
    db,
    { id, workspaceId, botId, name: 'bot.leaving', body: JSON.stringify({ event_id: id, bot_id: botId }), at: new Date() },
    [],
  )
  return id
}

class Reader {
  readonly read: string[] = []
  readonly #client: Client
  #cursor: string | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /** Reads page by page to the end and returns the new events. */
  async goOn(limit = 7): Promise<string[]> {
    const from = this.read.length
    for (let more = true; more; ) {
      const { status, body } = await this.#client('GET', `/api/v1/events?limit=${limit}${this.#cursor ? `&cursor=${this.#cursor}` : ''}`)
      expect(status).toBe(200)
      expect(body.events.length).toBeLessThanOrEqual(limit)
      this.read.push(...body.events.map((it: { event_id: string }) => it.event_id))
      this.#cursor = body.nextCursor
      more = body.hasNextPage
    }
    return this.read.slice(from)
  }
}

test('answers the feed up to its end, from a cursor, and from the beginning', async () => {
  const client = await service.stranger()
  const reader = new Reader(client)
  expect(await reader.goOn()).toEqual([])
  const bot = await botOf(client)
  const [joining] = await reader.goOn()
  expect(joining).toMatch(/^msg_/)
  expect(await reader.goOn()).toEqual([])
  const ids: string[] = []
  for (let count = 0; count < 20; count++) ids.push(await write(service.db, bot))
  expect(await reader.goOn()).toEqual(ids)
  const other = new Reader(client)
  expect(await other.goOn(100)).toEqual([joining, ...ids])
})

test('does not skip an event that is committed late', async () => {
  const client = await service.stranger()
  const [slow, quick] = [await botOf(client), await botOf(client)]
  const reader = new Reader(client)
  await reader.goOn()
  const committed = Promise.withResolvers<void>()
  const inserted = Promise.withResolvers<string>()
  const late = inTransaction(service.db, async (tx) => {
    inserted.resolve(await write(tx, slow))
    await committed.promise
  })
  const first = await inserted.promise
  const second = await write(service.db, quick)
  expect(await reader.goOn()).toEqual([second])
  expect(await reader.goOn()).toEqual([])
  committed.resolve()
  await late
  expect(await reader.goOn()).toEqual([first])
  // A later reader sees the same order.
  const other = new Reader(client)
  expect((await other.goOn()).slice(-2)).toEqual([second, first])
})

test('gives concurrent readers every event once, in the same order, during concurrent writes', async () => {
  const client = await service.stranger()
  const bots = await Promise.all(Array.from({ length: 8 }, () => botOf(client)))
  const readers = Array.from({ length: 3 }, () => new Reader(client))
  const expected = new Map<string, string[]>()
  let isWriting = true
  const writers = bots.map(async (bot) => {
    const own: string[] = []
    expected.set(bot.id, own)
    for (let count = 0; count < 25; count++) {
      // Some transactions are rolled back, which leaves gaps in the sequence.
      if (count % 5 === 4) await inTransaction(service.db, async (tx) => Promise.reject(await write(tx, bot))).catch(() => undefined)
      own.push(await write(service.db, bot))
    }
  })
  const reading = readers.map(async (reader) => {
    while (isWriting) await reader.goOn(9)
  })
  await Promise.all(writers)
  isWriting = false
  await Promise.all(reading)
  for (const reader of readers) {
    await reader.goOn(9)
    for (const ids of expected.values()) expect(reader.read.filter((id) => ids.includes(id))).toEqual(ids)
    expect(new Set(reader.read).size).toBe(reader.read.length)
    expect(reader.read).toEqual(readers[0]?.read)
    expect(reader.read).toHaveLength(8 * 26)
  }
})

/** Runs `work` while another transaction holds the lock under which positions are given out. */
async function whileLocked<Result>({ workspaceId }: Bot, work: () => Promise<Result>): Promise<Result> {
  return inTransaction(service.db, async (tx) => {
    await sql`select from event_feeds where workspace_id = ${workspaceId} for update`.execute(tx)
    return work()
  })
}

test('answers a reader while another transaction holds the lock of the feed', async () => {
  const client = await service.stranger()
  const bot = await botOf(client)
  const events = await new Reader(client).goOn()
  expect(await whileLocked(bot, () => new Reader(client).goOn())).toEqual(events)
})

test('answers hasNextPage while another transaction gives positions to new events', async () => {
  const client = await service.stranger()
  const bot = await botOf(client)
  const reader = new Reader(client)
  await reader.goOn()
  const next = await write(service.db, bot)
  const { status, body } = await whileLocked(bot, () => client('GET', '/api/v1/events'))
  expect({ status, body }).toMatchObject({ status: 200, body: { events: [{ event: 'bot.joining' }], hasNextPage: true } })
  expect(await reader.goOn()).toEqual([next])
})

test('continues from a cursor whose events have expired', async () => {
  const client = await service.stranger()
  const bot = await botOf(client)
  const reader = new Reader(client)
  await reader.goOn()
  await service.db.deleteFrom('events').where('bot_id', '=', bot.id).execute()
  expect(await new Reader(client).goOn()).toEqual([])
  const next = await write(service.db, bot)
  expect(await reader.goOn()).toEqual([next])
})

test('keeps events and their deliveries for 30 days', async () => {
  const client = await service.stranger()
  const bot = await botOf(client)
  const days = (count: number) => new Date(Date.now() - count * 86_400_000)
  for (const age of [40, 31, 29, 0]) {
    const event = {
      id: newId('msg', days(age)),
      workspaceId: bot.workspaceId,
      botId: bot.id,
      name: 'bot.leaving',
      body: `{"age":${age}}`,
      at: days(age),
    }
    await insertEvent(service.db, event, ['http://127.0.0.1:9/'])
  }
  expect(await sweepEvents(service.db, { before: days(30), most: 1 })).toBe(1)
  expect(await sweepEvents(service.db, { before: days(30), most: 100 })).toBe(1)
  const { body } = await client('GET', '/api/v1/events')
  expect(body.events.map((it: { age?: number }) => it.age)).toEqual([undefined, 29, 0])
  expect((await client('GET', '/api/v1/webhook_deliveries')).body.deliveries).toHaveLength(2)
})

test.each(['nonsense', 'WyJhIl0', 'WyItMSJd', 'WzFd'])('rejects the cursor %s', async (cursor) => {
  const answer = await service.api('GET', `/api/v1/events?cursor=${cursor}`)
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^cursor /) } })
})
