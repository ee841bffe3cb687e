// What a move does with a service that is started meanwhile.
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { move } from '../../../src/service/backup/move.ts'
import { renewNode } from '../../../src/service/db/fleet/nodes.ts'
import { migrate } from '../../../src/service/db/migrate.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import type { ObjectStore } from '../../../src/storage/store.ts'
import { folderForFile } from '../../helpers/for-file.ts'
import { databaseForFile, fleetForFile } from '../../helpers/service/for-file.ts'
import { until } from '../../helpers/until.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)
const folder = folderForFile('emissary-move-')
let places = 0

/** Moves one object, with something that happens meanwhile. */
async function moveObject(meanwhile: () => Promise<void>): Promise<void> {
  places += 1
  const from = await openLocalDisk(join(folder, `from-${places}`))
  const target = await openLocalDisk(join(folder, `to-${places}`))
  await from.put(`bots/${await fleet.create()}/media/audio.m4a`, Buffer.from('sound'), { contentType: 'audio/mp4' })
  const put: ObjectStore['put'] = async (...object) => {
    await meanwhile()
    await target.put(...object)
  }
  const { connection } = database
  const to = { connection: null, store: { ...target, put } }
  await move({ from: { connection, store: from }, to, finish: async () => undefined, say: () => undefined })
}

test('lets a service that is started meanwhile wait', async () => {
  const order: string[] = []
  let started: Promise<unknown> = Promise.resolve()
  const waiting = sql<{ count: number }>`
    select count(*)::int as count from pg_locks
    where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
  await moveObject(async () => {
    started = migrate(database.db as never).then(() => order.push('started'))
    await until('the service waits', async () => ((await waiting.execute(database.db)).rows[0]?.count ?? 0) > 0 || order.length > 0)
    order.push('copied')
  })
  await started
  expect(order).toEqual(['copied', 'started'])
})

test('fails if a service began to run meanwhile', async () => {
  const seats = { seats: 0, freeSeats: 0, freedSeats: 0, draining: false, outageSeconds: 0 }
  const node = {
    id: 'node_1',
    roles: ['api' as const],
    address: 'http://other:4000',
    key: '',
    version: '',
    startedAt: new Date(),
    ...seats,
  }
  await expect(moveObject(() => renewNode(database.db as never, node, 600))).rejects.toThrow('The service still runs at http://other:4000')
})
