// When the next row of a queue is due.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { claimAll, createTestFleet } from '../../../test/helpers/service/fleet.ts'
import { databaseForFile } from '../../../test/helpers/service/for-file.ts'
import { untilDue } from './until-due.ts'

const database = databaseForFile()

test('has no due time while a queue is empty', async () => {
  for (const queue of ['launches', 'recordings', 'transcriptions', 'deliveries'] as const)
    expect(await untilDue(database.db, queue), queue).toBe(Number.POSITIVE_INFINITY)
})

test('gives the time until the next bot without a holder and the next recording are due', async () => {
  const fleet = await createTestFleet(database.db)
  const joinAt = new Date(Date.now() + 3_600_000)
  await fleet.create({ joinAt })
  const untilScheduled = await untilDue(database.db, 'launches')
  expect(untilScheduled).toBeGreaterThan(3_000_000)
  expect(untilScheduled).toBeLessThanOrEqual(3_600_000)

  const id = await fleet.create()
  expect(await untilDue(database.db, 'launches')).toBeLessThanOrEqual(0)
  await claimAll(database.db)
  expect(await untilDue(database.db, 'launches')).toBeGreaterThan(3_000_000)

  await sql`update bots set process_at = now() + interval '30 s' where id = ${id}`.execute(database.db)
  const untilProcessed = await untilDue(database.db, 'recordings')
  expect(untilProcessed).toBeGreaterThan(20_000)
  expect(untilProcessed).toBeLessThanOrEqual(30_000)
})

test('gives the time until the next delivery is due', async () => {
  const fleet = await createTestFleet(database.db)
  await fleet.create({ callbackUrl: 'https://receiver.example/' })
  expect(await untilDue(database.db, 'deliveries')).toBeLessThanOrEqual(0)
})
