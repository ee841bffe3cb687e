import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/database.ts'
import { createTestFleet, type TestFleet } from '../../../test/helpers/fleet.ts'
import type { BotId } from '../../domain/bot.ts'
import { renewNode } from './nodes.ts'
import { waitForRecording } from './recordings.ts'

let database: TestDatabase
let fleet: TestFleet
beforeAll(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
})
afterAll(() => database.drop())

const NODE = {
  address: 'http://one',
  key: 'key',
  seats: 4,
  freeSeats: 3,
  freedSeats: 0,
  startedAt: new Date(),
  version: '1',
  draining: false,
}
const LATER = new Date('2999-01-01T00:00:00Z')

/** True: this node has made the recording due. */
async function makesDue(nodeId: string, recordedBy: string | null): Promise<boolean> {
  const id = (await fleet.create()) as BotId
  const bots = database.db.updateTable('bots').set({ process_at: LATER, recorded_by: recordedBy })
  await bots.where('id', '=', id).execute()
  await waitForRecording(database.db, id, { seconds: 0, nodeId })
  const { process_at } = await database.db.selectFrom('bots').select('process_at').where('id', '=', id).executeTakeFirstOrThrow()
  return process_at?.getTime() !== LATER.getTime()
}

test('only the node that held the bot last makes its recording due, unless that node is gone', async () => {
  for (const [id, seconds] of [
    ['node_own', 60],
    ['node_other', 60],
    ['node_dead', -60],
  ] as const)
    await renewNode(database.db, { ...NODE, id, roles: ['fleet'] }, seconds)
  expect(await makesDue('node_own', 'node_own')).toBe(true)
  expect(await makesDue('node_own', 'node_other')).toBe(false)
  expect(await makesDue('node_own', 'node_dead')).toBe(true)
  expect(await makesDue('node_own', 'node_unknown')).toBe(true)
  expect(await makesDue('node_own', null)).toBe(true)
})
