import { expect, test } from 'vitest'
import { createTestFleet } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile } from '../../../../test/helpers/service/for-file.ts'
import { until } from '../../../../test/helpers/until.ts'
import { createLog } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import { type DispatchDeps, startDispatch } from './dispatch.ts'
import { newFleetPace, notePeak } from './fleet-pace.ts'
import { PendingLaunches } from './pending-launches.ts'

const database = databaseForFile()

const node = (launched: string[]): DispatchDeps => ({
  db: database.db,
  nodeId: 'node_1',
  launching: new PendingLaunches(),
  mostPerWorkspace: null,
  pace: newFleetPace(Math.random),
  log: createLog({ level: 'silent', pretty: false }),
  freeSeats: () => ({ open: 8, seatsPerBrowser: 1, own: new Map() }),
  affordable: () => 8,
  launch: async ({ id }) => void launched.push(id),
})

test('claims no more bots than the machine can take, although more seats are free', async () => {
  const fleet = await createTestFleet(database.db)
  for (let bot = 0; bot < 3; bot++) await fleet.create()
  const launched: string[] = []
  let most = 2
  const dispatch = startDispatch({ ...node(launched), affordable: () => most - launched.length })
  try {
    await until('two bots are launched', () => launched.length === 2, 20_000)
    expect((await database.db.selectFrom('bots').select('fence').where('fence', '=', 0).execute()).length).toBe(1)
    most = 3
    await until('the third bot is launched', () => launched.length === 3, 20_000)
  } finally {
    await dispatch.stop()
  }
})

test('launches a scheduled bot ahead of its time when more bots are due than can join at once', async () => {
  const fleet = await createTestFleet(database.db)
  const id = await fleet.create({ joinAt: new Date(Date.now() + 40_000) })
  const launched: string[] = []
  const deps = node(launched)
  const dispatch = startDispatch(deps)
  try {
    notePeak(deps.pace, { beginsInMs: 500, dueInMs: 30_000 }, monotonicMs())
    await until('the bot is launched', () => launched.includes(id), 20_000)
  } finally {
    await dispatch.stop()
  }
})
