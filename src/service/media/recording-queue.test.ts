import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/database.ts'
import { createTestFleet, type TestFleet } from '../../../test/helpers/fleet.ts'
import { until } from '../../../test/helpers/until.ts'
import type { BotId } from '../../domain/bot.ts'
import { createLog } from '../../kit/log.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { claimRecordings } from '../db/recordings.ts'
import { MOST_UNFINISHED } from './claim-outcome.ts'
import { MOST_FAILURES } from './finish-recording.ts'
import { startRecordingQueue } from './recording-queue.ts'
import { DEFAULT_ENCODER } from './video/encoder.ts'
import { startWorkAhead } from './work-ahead.ts'

const LONG_MS = 30_000
const folder = mkdtempSync(join(tmpdir(), 'emissary-queue-'))

let database: TestDatabase
let fleet: TestFleet
beforeAll(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
})
afterAll(async () => {
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const rowOf = (id: BotId) => database.db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const change = (id: BotId, columns: object) => database.db.updateTable('bots').set(columns).where('id', '=', id).execute()
const makeDue = (id: BotId) => change(id, { process_at: new Date(0) })

async function recordedBot(): Promise<BotId> {
  const id = (await fleet.create()) as BotId
  const entry = { status: true, timestamp: new Date(0).toISOString(), message: '' }
  await change(id, { status: 'Stopped', launch_at: null, timeline: JSON.stringify({ Recording: entry, Stopped: entry }) })
  return id
}

test('counts failures of a recording, and not its claims that ended with a killed process', async () => {
  const id = await recordedBot()
  for (let kills = 0; kills < MOST_UNFINISHED - 1; kills++) {
    await makeDue(id)
    expect(await claimRecordings(database.db, { limit: 1, leaseSeconds: 60 })).toMatchObject([{ id, claims: kills + 1, failures: 0 }])
  }
  await makeDue(id)
  // No folder can be made in a file.
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const store = await openLocalDisk(join(folder, 'objects'))
  const log = createLog({ level: 'silent', pretty: false })
  const deps = { ...fleet.deps, store, folder: file, encoder: DEFAULT_ENCODER, log }
  const ahead = startWorkAhead({ ...deps, nodeId: 'node_1' })
  onTestFinished(() => ahead.stop())
  const queue = startRecordingQueue({ ...deps, piecesAtOnce: () => 1, atOnce: 1, ahead })
  onTestFinished(() => queue.stop())
  await until('the first failure is counted', async () => (await rowOf(id)).process_failures === 1, LONG_MS)
  expect(await rowOf(id)).toMatchObject({ status: 'Stopped', process_at: expect.toSatisfy((at: Date) => at.getTime() > Date.now()) })

  await change(id, { process_failures: MOST_FAILURES - 1 })
  await makeDue(id)
  const ended = await until('it is given up', async () => [await rowOf(id)].find(({ status }) => status === 'Done'), LONG_MS)
  expect(ended).toMatchObject({ process_at: null, message: 'The recording could not be processed in 6 tries' })
})
