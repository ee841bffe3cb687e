import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folderForFile } from '../../../../test/helpers/for-file.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import { until } from '../../../../test/helpers/until.ts'
import type { BotId } from '../../../domain/bot.ts'
import { newId } from '../../../kit/id.ts'
import { createLog } from '../../../kit/log.ts'
import type { Loop } from '../../../kit/loop.ts'
import { openLocalDisk } from '../../../storage/local-disk.ts'
import { keepArtefact } from '../../db/media/recordings.ts'
import { beginTranscription, claimTranscription } from '../../db/media/transcriptions.ts'
import { MOST_UNFINISHED } from '../leased-queue.ts'
import { startTranscriptionQueue, type TranscriptionQueueOptions } from './transcription-queue.ts'

const LONG_MS = 30_000
const KILLS = MOST_UNFINISHED - 1
const folder = folderForFile('emissary-runs-')

const database = databaseForFile()
const fleet = fleetForFile(database)

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

const FAILS = () => Promise.reject(new Error('The recogniser does not start'))

async function startQueue(recogniserOf: TranscriptionQueueOptions['recogniserOf'] = FAILS): Promise<Loop> {
  const log = createLog({ level: 'silent', pretty: false })
  const store = await openLocalDisk(join(folder, 'objects'))
  const queue = startTranscriptionQueue({ ...fleet.deps, log, store, folder: join(folder, 'work'), recogniserOf })
  onTestFinished(() => queue.stop())
  return queue
}

test('counts failures of a transcription, and not its claims that ended with a killed process', async () => {
  const id = await newRun()
  for (let kills = 0; kills < KILLS; kills++) {
    await change(id, { due_at: new Date(0) })
    expect(await claimTranscription(database.db, { leaseSeconds: 60, mostSeconds: null })).toMatchObject({ id, failures: 0 })
  }
  await change(id, { due_at: new Date(0) })
  await startQueue()
  await until('the first failure is counted', async () => (await rowOf(id)).failures === 1, LONG_MS)
  expect(await rowOf(id)).toMatchObject({ status: 'Processing' })

  await change(id, { due_at: new Date(0), failures: 3 })
  await until('it is given up', async () => (await rowOf(id)).status === 'Failed', LONG_MS)
})

test('gives a transcription up after five claims that ended with a killed process', async () => {
  const id = await newRun()
  for (let kills = 0; kills < MOST_UNFINISHED; kills++) {
    await change(id, { due_at: new Date(0) })
    await claimTranscription(database.db, { leaseSeconds: 60, mostSeconds: null })
  }
  await change(id, { due_at: new Date(0) })
  await startQueue()
  await until('it is given up', async () => (await rowOf(id)).status === 'Failed', LONG_MS)
  expect((await rowOf(id)).error).toBe('deepgram: the service ended 5 times while it transcribed the recording')
})

test('does not count the claim of a transcription that a planned stop interrupts', async () => {
  const id = await newRun()
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<null>()
  const queue = await startQueue(() => {
    asked.resolve()
    return answer.promise
  })
  await asked.promise
  expect(await rowOf(id)).toMatchObject({ unfinished: 1 })
  const stopped = queue.stop()
  answer.reject(new Error('Interrupted'))
  await stopped
  expect(await rowOf(id)).toMatchObject({ status: 'Processing', unfinished: 0, failures: 0 })
})
