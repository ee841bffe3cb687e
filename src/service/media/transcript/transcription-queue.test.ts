import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/helpers/database.ts'
import { createTestFleet, type TestFleet } from '../../../../test/helpers/fleet.ts'
import { until } from '../../../../test/helpers/until.ts'
import type { BotId } from '../../../domain/bot.ts'
import { newId } from '../../../kit/id.ts'
import { createLog } from '../../../kit/log.ts'
import { openLocalDisk } from '../../../storage/local-disk.ts'
import { keepArtefact } from '../../db/recordings.ts'
import { beginTranscription, claimTranscriptions } from '../../db/transcriptions.ts'
import { startTranscriptionQueue } from './transcription-queue.ts'

const LONG_MS = 30_000
const KILLS = 10
const folder = mkdtempSync(join(tmpdir(), 'emissary-runs-'))

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

const rowOf = (id: string) => database.db.selectFrom('transcriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const change = (id: string, columns: object) => database.db.updateTable('transcriptions').set(columns).where('id', '=', id).execute()

async function newRun(): Promise<string> {
  const botId = (await fleet.create()) as BotId
  const id = newId('trn', new Date())
  const run = { id, botId, provider: 'deepgram', options: {}, callbackUrl: null, completesBot: false, createdAt: new Date() } as const
  expect(await beginTranscription(database.db, run)).toBe(true)
  const facts = { participantId: 'ann', participantName: 'Ann', recordedAt: null, startMs: 0, durationMs: 1_000 }
  await keepArtefact(database.db, botId, { kind: 'audio_stream', position: 0, key: 'missing.weba', facts }, new Date())
  return id
}

async function startQueue(): Promise<void> {
  const log = createLog({ level: 'silent', pretty: false })
  const store = await openLocalDisk(join(folder, 'objects'))
  const recogniserOf = () => Promise.reject(new Error('The recogniser does not start'))
  const queue = startTranscriptionQueue({ ...fleet.deps, log, store, folder: join(folder, 'work'), recogniserOf })
  onTestFinished(() => queue.stop())
}

test('counts failures of a transcription, and not its claims that ended with a killed process', async () => {
  const id = await newRun()
  for (let kills = 0; kills < KILLS; kills++) {
    await change(id, { due_at: new Date(0) })
    expect(await claimTranscriptions(database.db, { limit: 1, leaseSeconds: 60 })).toMatchObject([{ id, failures: 0 }])
  }
  await change(id, { due_at: new Date(0) })
  await startQueue()
  await until('the first failure is counted', async () => (await rowOf(id)).failures === 1, LONG_MS)
  expect(await rowOf(id)).toMatchObject({ status: 'Processing' })

  await change(id, { due_at: new Date(0), failures: 3 })
  await until('it is given up', async () => (await rowOf(id)).status === 'Failed', LONG_MS)
})
