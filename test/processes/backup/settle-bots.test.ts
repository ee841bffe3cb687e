// Bots of a copied database, which the fleet that held them has lost.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { BotId } from '../../../src/domain/bot.ts'
import { settleBots } from '../../../src/service/backup/settle-bots.ts'
import { inTransaction } from '../../../src/service/db/database.ts'
import { transition } from '../../../src/service/fleet/bot/transition.ts'
import { claimAll } from '../../helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../helpers/service/for-file.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)

/** A bot that a node of the old fleet holds in its meeting. */
async function createBotInMeeting(secondsAgo: number): Promise<string> {
  const at = new Date(Date.now() - secondsAgo * 1000)
  const id = await fleet.create({}, at)
  await claimAll(database.db)
  for (const by of ['join_requested', 'admitted'] as const) await transition(fleet.deps, { bot: id as BotId, by, at })
  return id
}

async function settle(secondsLater: number): Promise<void> {
  const [now, copiedAt] = [new Date(), new Date(Date.now() - secondsLater * 1000)]
  await inTransaction(database.db as never, (tx) => settleBots(tx, { tariff: fleet.deps.tariff, copiedAt, now, seatWaitSeconds: 600 }))
}

async function rowOf(id: string) {
  const { rows } = await sql<Record<string, unknown>>`
    select status, node_id, message, launch_at is not null as waits, process_at is not null as processes from bots
    where id = ${id}`.execute(database.db)
  return rows[0]
}

test('lets a bot in a meeting rejoin if the copy is minutes old', async () => {
  const id = await createBotInMeeting(120)
  await settle(60)
  expect(await rowOf(id)).toMatchObject({ status: 'InMeeting', node_id: null, waits: true })
  expect((await rowOf(id))?.message).toContain('the bot rejoins')
})

test('ends a bot in a meeting if the copy is older than a bot waits for a seat, and processes its recording', async () => {
  const id = await createBotInMeeting(7_200)
  await settle(3_600)
  const row = await rowOf(id)
  expect(row).toMatchObject({ status: 'Stopped', node_id: null, waits: false, processes: true })
  expect(row?.message).toContain('too late to send the bot again')
})

test('ends a bot that was not admitted yet as Error', async () => {
  const id = await fleet.create({}, new Date(Date.now() - 7_200_000))
  await claimAll(database.db)
  await settle(3_600)
  expect(await rowOf(id)).toMatchObject({ status: 'Error', waits: false })
})

test('ends a scheduled bot whose time has passed, and keeps one whose time will come', async () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
  const [passed, coming] = [await fleet.create({ joinAt: inHours(1) }), await fleet.create({ joinAt: inHours(2) })]
  await sql`update bots set join_at = ${inHours(-1)}, launch_at = ${inHours(-1)} where id = ${passed}`.execute(database.db)
  await settle(7_200)
  expect((await rowOf(passed))?.message).toContain('within 20 minutes after its join time')
  expect(await rowOf(coming)).toMatchObject({ status: 'Scheduled', waits: true })
})

test('forgets the nodes of the old fleet', async () => {
  await sql`insert into nodes (id, address, key, seats, free_seats, started_at, alive_until)
    values ('node_1', 'http://10.0.0.1', 'k', 1, 1, now(), now())`.execute(database.db)
  await settle(0)
  expect((await sql`select from nodes`.execute(database.db)).rows).toEqual([])
})

test('fails on a bot that cannot be ended, instead of finding it again for ever', async () => {
  const id = await createBotInMeeting(7_200)
  await settle(3_600)
  await sql`update bots set launch_at = now() where id = ${id}`.execute(database.db)
  await expect(settle(3_600)).rejects.toThrow(`The bot ${id} of the copy is Stopped, which could not be ended`)
})
