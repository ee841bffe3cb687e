// The order in which transcriptions are claimed.
import { expect, test } from 'vitest'
import { createTestFleet, type TestFleet } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId } from '../../../domain/bot.ts'
import { newId } from '../../../kit/id.ts'
import { beginTranscription, claimTranscription } from './transcriptions.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)
const MINUTE_MS = 60_000

/** A run of a meeting of so many minutes, which was requested so many minutes ago. */
async function dueRun({ minutes, agoMinutes, of = fleet }: { minutes: number; agoMinutes: number; of?: TestFleet }): Promise<string> {
  const botId = (await of.create()) as BotId
  const columns = { in_meeting_at: new Date(0), ended_at: new Date(minutes * MINUTE_MS) }
  await database.db.updateTable('bots').set(columns).where('id', '=', botId).execute()
  const [id, createdAt] = [newId('trn', new Date()), new Date(Date.now() - agoMinutes * MINUTE_MS)]
  await beginTranscription(database.db, { id, botId, provider: 'native', options: {}, callbackUrl: null, completesBot: false, createdAt })
  return id
}

async function claimed(mostSeconds: number | null = null): Promise<readonly string[]> {
  const run = await claimTranscription(database.db, { leaseSeconds: 60, mostSeconds })
  return run ? [run.id, ...(await claimed(mostSeconds))] : []
}

test('claims transcriptions of workspaces in turn', async () => {
  const own = [
    await dueRun({ minutes: 10, agoMinutes: 9 }),
    await dueRun({ minutes: 10, agoMinutes: 8 }),
    await dueRun({ minutes: 10, agoMinutes: 7 }),
  ]
  const other = await dueRun({ minutes: 10, agoMinutes: 1, of: await createTestFleet(database.db) })
  const ids = await claimed()
  expect(ids.filter((id) => own.includes(id))).toEqual(own)
  expect(ids.indexOf(other)).toBeLessThan(2)
})

test('claims short transcriptions of a workspace before long ones, unless the long one has waited much longer', async () => {
  const [long, short, old] = [
    await dueRun({ minutes: 60, agoMinutes: 2 }),
    await dueRun({ minutes: 1, agoMinutes: 1 }),
    await dueRun({ minutes: 60, agoMinutes: 300 }),
  ]
  expect(await claimed()).toEqual([old, short, long])
})

test('claims only transcriptions within the limit of work', async () => {
  const [long, short] = [await dueRun({ minutes: 60, agoMinutes: 2 }), await dueRun({ minutes: 1, agoMinutes: 1 })]
  expect([await claimed(60), await claimed()]).toEqual([[short], [long]])
})
