import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import { claimDeliveries } from './deliveries.ts'

/** More than a claim reads one by one. */
const MANY = 700

const database = databaseForFile()
const fleet = fleetForFile(database)
beforeEach(async () => {
  await database.db.deleteFrom('deliveries').execute()
  await database.db.deleteFrom('events').execute()
})

type Queued = { readonly receiver: string; readonly bots?: number; readonly events?: number; readonly dueInSeconds?: number }

/** Queues the same number of events for each bot, for one receiver. */
async function queue({ receiver, bots = 1, events = 1, dueInSeconds = -60 }: Queued): Promise<void> {
  await sql`
    with event as (
      insert into events (id, workspace_id, name, body, created_at)
      select format('evt_%s_%s_%s', ${receiver}::text, number, bot), ${fleet.workspaceId}, 'bot.joining', '{}', now()
      from generate_series(1, ${bots}::int) as bot, generate_series(1, ${events}::int) as number
      returning id, workspace_id
    )
    insert into deliveries (event_id, workspace_id, bot_id, url, receiver, due_at, created_at)
    select id, workspace_id, split_part(id, '_', 4), 'https://receiver.example', ${receiver}, now() + make_interval(secs => ${dueInSeconds}::int), now()
    from event order by id`.execute(database.db)
}

async function claim(limit: number, free: Readonly<Record<string, number>> = {}): Promise<string[]> {
  const claimed = await claimDeliveries(database.db, { limit, free: new Map(Object.entries(free)), leaseSeconds: 60 })
  return claimed.map(({ eventId }) => eventId).toSorted()
}

test('claims the oldest event of each bot, and the next one not before its end', async () => {
  await queue({ receiver: 'a', bots: 2, events: 2 })
  expect(await claim(10, { a: 4 })).toEqual(['evt_a_1_1', 'evt_a_1_2'])
  expect(await claim(10, { a: 4 })).toEqual([])
})

test('claims nothing that is not due', async () => {
  await queue({ receiver: 'a', dueInSeconds: 60 })
  expect(await claim(10)).toEqual([])
})

test.each([20, MANY])('claims no more for a receiver than it may get, with %i due', async (bots) => {
  await queue({ receiver: 'a', bots })
  await queue({ receiver: 'b', bots, dueInSeconds: -50 })
  const claimed = await claim(100, { a: 3 })
  expect(claimed.map((id) => id.slice(0, 5)).toSorted()).toEqual(['evt_a', 'evt_a', 'evt_a', 'evt_b'])
  expect((await claim(5, { a: 50, b: 50 })).length).toBe(5)
})

test('finds the deliveries of other receivers behind many of one that may get no more', async () => {
  await queue({ receiver: 'hangs', bots: MANY, events: 2, dueInSeconds: -3_600 })
  await queue({ receiver: 'answers', bots: 3 })
  await queue({ receiver: 'new', bots: 3 })
  await queue({ receiver: 'later', dueInSeconds: 60 })
  expect(await claim(100, { hangs: 0, answers: 2 })).toEqual(['evt_answers_1_1', 'evt_answers_1_2', 'evt_new_1_1'])
})
