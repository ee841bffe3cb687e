import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folderForFile } from '../../../test/helpers/for-file.ts'
import { databaseForFile, fleetForFile } from '../../../test/helpers/service/for-file.ts'
import { until } from '../../../test/helpers/until.ts'
import type { BotId } from '../../domain/bot.ts'
import { createLog } from '../../kit/log.ts'
import { createSemaphore } from '../../kit/semaphore.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import type { ObjectStore } from '../../storage/store.ts'
import { claimRecording } from '../db/media/recordings.ts'
import { MOST_FAILURES } from './finish-recording.ts'
import { MOST_UNFINISHED } from './leased-queue.ts'
import type { RecordingDeps } from './recording-job.ts'
import { startRecordingQueue } from './recording-queue.ts'
import { DEFAULT_ENCODER } from './video/encoder.ts'
import { startWorkAhead, type WorkAheadOptions } from './work-ahead.ts'

const LONG_MS = 30_000
const folder = folderForFile('emissary-queue-')

const database = databaseForFile()
const fleet = fleetForFile(database)

const rowOf = (id: BotId) => database.db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const change = (id: BotId, columns: object) => database.db.updateTable('bots').set(columns).where('id', '=', id).execute()
const makeDue = (id: BotId) => change(id, { process_at: new Date(0) })

const depsWith = (store: ObjectStore) => {
  const log = createLog({ level: 'silent', pretty: false })
  return {
    ...fleet.deps,
    store,
    folder,
    encoder: DEFAULT_ENCODER,
    log,
    piecesAtOnce: () => 1,
    inTurn: createSemaphore(() => 1),
    nodeId: 'node_1',
    disk: { problem: () => null },
  }
}

function startQueue(deps: WorkAheadOptions & RecordingDeps): void {
  const ahead = startWorkAhead(deps)
  onTestFinished(() => ahead.stop())
  const queue = startRecordingQueue({ ...deps, atOnce: 1, ahead })
  onTestFinished(() => queue.stop())
}

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
    expect(await claimRecording(database.db, { leaseSeconds: 60, mostSeconds: null })).toMatchObject({ id, claims: kills + 1, failures: 0 })
  }
  await makeDue(id)
  // No folder can be made in a file.
  const file = join(folder, 'file')
  writeFileSync(file, '')
  startQueue({ ...depsWith(await openLocalDisk(join(folder, 'objects'))), folder: file })
  await until('the first failure is counted', async () => (await rowOf(id)).process_failures === 1, LONG_MS)
  expect(await rowOf(id)).toMatchObject({ status: 'Stopped', process_at: expect.toSatisfy((at: Date) => at.getTime() > Date.now()) })

  await change(id, { process_failures: MOST_FAILURES - 1 })
  await makeDue(id)
  const ended = await until('it is given up', async () => [await rowOf(id)].find(({ status }) => status === 'Done'), LONG_MS)
  expect(ended).toMatchObject({ process_at: null, message: 'The recording could not be processed in 6 tries' })
})

test('processes short recordings while a long one is in work, and only one long one at a time', async () => {
  const ended = new Date()
  const long = [await recordedBot(), await recordedBot(), await recordedBot()]
  const short = [await recordedBot(), await recordedBot()]
  for (const id of long) await change(id, { in_meeting_at: new Date(ended.getTime() - 3_600_000), ended_at: ended })
  // Nothing was recorded, so their work ends at once.
  for (const id of short) await change(id, { timeline: '{}' })
  const store = await openLocalDisk(join(folder, 'objects'))
  const begun = new Set<BotId>()
  const release = Promise.withResolvers<readonly string[]>()
  const list = (prefix: string) => {
    const id = long.find((it) => prefix.includes(it))
    if (!id) return store.list(prefix)
    begun.add(id)
    return release.promise
  }
  startQueue(depsWith({ ...store, list }))
  for (const id of long) await makeDue(id)
  await until('a long one is in work', () => begun.size > 0, LONG_MS)
  for (const id of short) await makeDue(id)
  await until(
    'both short ones are done',
    async () => (await Promise.all(short.map(rowOf))).every(({ status }) => status === 'Done'),
    LONG_MS,
  )
  expect(begun.size).toBe(1)
  release.resolve([])
})
