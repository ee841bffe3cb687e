import { expect, test } from 'vitest'
import { claimAll } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import { claimDeliveries } from '../delivery/deliveries.ts'
import { readQueueFigures } from './queue-figures.ts'

const database = databaseForFile()
const crowd = fleetForFile(database)
const lone = fleetForFile(database)

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000)

test('reports empty queues as zero', async () => {
  const nothing = { count: 0, oldestSeconds: 0 }
  expect(await readQueueFigures(database.db)).toEqual({
    nodes: 0,
    bots: nothing,
    workspaces: [],
    recordings: nothing,
    transcriptions: nothing,
    deliveries: { ...nothing, overdueSeconds: 0 },
  })
})

test('counts waiting bots by workspace, oldest first, without claimed and scheduled ones', async () => {
  await lone.create({}, ago(500))
  await claimAll(database.db)
  await lone.create({ joinAt: ago(-3_600) })
  await crowd.create({}, ago(100))
  await crowd.create({}, ago(50))
  await lone.create({}, ago(30))
  const { bots, workspaces } = await readQueueFigures(database.db)
  expect(bots.count).toBe(3)
  expect(bots.oldestSeconds).toBeGreaterThanOrEqual(100)
  expect(workspaces.map(({ workspace, bots: count }) => [workspace, count])).toEqual([
    [crowd.workspaceId, 2],
    [lone.workspaceId, 1],
  ])
  expect(workspaces[1]?.oldestSeconds).toBeGreaterThanOrEqual(30)
  expect(workspaces[1]?.oldestSeconds).toBeLessThan(workspaces[0]?.oldestSeconds ?? 0)
})

test('measures deliveries by the age of their event, and by how long the next attempt is due', async () => {
  await crowd.create({ callbackUrl: 'http://127.0.0.1:9/hook' }, ago(200))
  await database.db
    .updateTable('deliveries')
    .set({ due_at: ago(20) })
    .execute()
  const { deliveries } = await readQueueFigures(database.db)
  expect(deliveries.count).toBe(1)
  expect(deliveries.oldestSeconds).toBeGreaterThanOrEqual(200)
  expect(deliveries.overdueSeconds).toBeGreaterThanOrEqual(20)
  expect(deliveries.overdueSeconds).toBeLessThan(200)
  await claimDeliveries(database.db, { limit: 10, free: new Map(), leaseSeconds: 60 })
  expect((await readQueueFigures(database.db)).deliveries).toEqual({ count: 0, oldestSeconds: 0, overdueSeconds: 0 })
})

test('counts due recordings and transcriptions', async () => {
  const botId = await crowd.create()
  const later = await crowd.create()
  const process = (id: string, at: Date) => database.db.updateTable('bots').set({ process_at: at }).where('id', '=', id).execute()
  await process(botId, ago(40))
  await process(later, ago(-40))
  await database.db
    .insertInto('transcriptions')
    .values({
      id: 'trn_1',
      bot_id: botId,
      provider: 'native',
      options: '{}',
      status: 'Processing',
      completes_bot: true,
      created_at: ago(10),
      due_at: ago(10),
    })
    .execute()
  const { recordings, transcriptions } = await readQueueFigures(database.db)
  expect([recordings.count, transcriptions.count]).toEqual([1, 1])
  expect(recordings.oldestSeconds).toBeGreaterThanOrEqual(40)
  expect(transcriptions.oldestSeconds).toBeGreaterThanOrEqual(10)
})
