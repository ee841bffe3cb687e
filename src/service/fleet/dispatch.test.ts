import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/database.ts'
import { createTestFleet } from '../../../test/helpers/fleet.ts'
import { until } from '../../../test/helpers/until.ts'
import { createLog } from '../../kit/log.ts'
import { startDispatch } from './dispatch.ts'
import { newFleetPace } from './fleet-pace.ts'
import { PendingLaunches } from './pending-launches.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('claims no more bots than the machine can take, although more seats are free', async () => {
  const fleet = await createTestFleet(database.db)
  for (let bot = 0; bot < 3; bot++) await fleet.create()
  const launched: string[] = []
  let most = 2
  const dispatch = startDispatch({
    ...{ db: database.db, nodeId: 'node_1', launching: new PendingLaunches(), mostPerWorkspace: null, pace: newFleetPace(Math.random) },
    log: createLog({ level: 'silent', pretty: false }),
    freeSeats: () => ({ open: 8, seatsPerBrowser: 1, own: new Map() }),
    affordable: () => most - launched.length,
    launch: async ({ id }) => void launched.push(id),
  })
  try {
    await until('two bots are launched', () => launched.length === 2, 20_000)
    expect((await database.db.selectFrom('bots').select('fence').where('fence', '=', 0).execute()).length).toBe(1)
    most = 3
    await until('the third bot is launched', () => launched.length === 3, 20_000)
  } finally {
    await dispatch.stop()
  }
})
