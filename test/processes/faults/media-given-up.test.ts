// A recording whose work ends the whole service, each time: it is given up, and an operator lets it be processed again.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { BotId } from '../../../src/domain/bot.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MediaBacklog } from '../../helpers/media/media-backlog.ts'
import { API_KEY, clientOf, SECRET_KEY } from '../../helpers/service/service.ts'
import { type ServiceProcess, startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const KILLS = 5
const GIVEN_UP = 'The service ended 5 times while it processed the recording'

const bench = openForFile(() => MediaBacklog.start())

test('gives a recording up after five kills during its work, and processes it again by emissary recordings retry', async () => {
  const folder = bench.newDataFolder()
  const settings = bench.settingsFor(folder)
  const store = await openLocalDisk(join(folder, 'objects'))
  const botId = await bench.endedBot(settings, store)
  const segments = await store.list(`bots/${botId}/recording/`)
  const isFetching = () => {
    const fetched = join(folder, 'work', botId, 'recording')
    return existsSync(fetched) && readdirSync(fetched).length > 0
  }
  const startInTheWork = async (): Promise<ServiceProcess> => {
    await bench.makeDue(botId)
    const service = await startServiceProcess(settings)
    await until('the work has begun', async () => isFetching() && (await unfinished(botId)) > 0, 60_000)
    return service
  }

  expect(await (await startInTheWork()).stop()).toBe(0)
  expect(await unfinished(botId), 'a planned stop gives the claim back').toBe(0)
  for (let kill = 1; kill <= KILLS; kill++) {
    await (await startInTheWork()).kill()
    expect(await bench.statusOf(botId), `after ${kill} kills`).not.toBe('Done')
    expect(await unfinished(botId)).toBe(kill)
  }

  await bench.makeDue(botId)
  const service = await startServiceProcess(settings)
  const detail = async () => (await clientOf(service.url, API_KEY)('GET', `/api/v1/bots/${botId}/detail`)).body.bot_details
  await until('it is given up', async () => (await bench.statusOf(botId)) === 'Done', 60_000)
  expect(await detail()).toMatchObject({
    Status: 'Done',
    Message: GIVEN_UP,
    AudioStatus: 'Failed',
    VideoStatus: 'Failed',
    TranscriptStatus: 'Failed',
    Evidence: [{ step: 'process', code: 'processing_crashed', message: GIVEN_UP }],
  })
  const events = await bench.db.selectFrom('events').select('name').where('bot_id', '=', botId).execute()
  const names = events.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['audio.processed', 'video.processed', 'transcription.failed', 'bot.done']))
  expect(await store.list(`bots/${botId}/recording/`)).toEqual(segments)

  const env = { PATH: process.env.PATH, SECRET_KEY, ...settings }
  const retry = () => promisify(execFile)('node', ['src/cli.ts', 'recordings', 'retry', botId], { env })
  expect((await retry()).stderr).toContain(`The recording of ${botId} is processed again.`)
  await until('it is processed again', async () => (await bench.statusOf(botId)) === 'Done' && (await unfinished(botId)) === 0, 60_000)
  await bench.hasFiles(service, botId)
  const done = await detail()
  expect(done).toMatchObject({ Status: 'Done', AudioStatus: 'Success', VideoStatus: 'Success', TranscriptStatus: 'Success' })
  expect([done.Message, done.StatusTimeline.Done.message]).toEqual(Array(2).fill(expect.stringMatching(/^Delivered/)))
  await expect(retry()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no recording that was given up') })
  await service.stop()
}, 240_000)

async function unfinished(botId: BotId): Promise<number> {
  const row = await bench.db.selectFrom('bots').select('process_unfinished').where('id', '=', botId).executeTakeFirstOrThrow()
  return row.process_unfinished
}
