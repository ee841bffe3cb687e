// kill -9 during a transcription: the next start repeats it, and its event is sent once.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, type SpeechSim } from '../../../sims/speech/vendor.ts'
import { startDeepgram } from '../../../sims/speech/vendors.ts'
import type { BotId } from '../../../src/domain/bot.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { madeFolders } from '../../helpers/media/media-meeting.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/service/database.ts'
import { createEndedBot, makeDue } from '../../helpers/service/ended-bot.ts'
import { API_KEY, clientOf } from '../../helpers/service/service.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 60_000
const folder = mkdtempSync(join(tmpdir(), 'emissary-words-'))

let database: TestDatabase
let vendor: SpeechSim
beforeAll(async () => {
  database = await createTestDatabase()
  vendor = await startDeepgram()
})
afterAll(async () => {
  await vendor?.close()
  await database?.drop()
  for (const it of [folder, ...madeFolders()]) rmSync(it, { recursive: true, force: true })
})

const rowOf = (id: BotId) => database.db.selectFrom('bots').select('process_at').where('id', '=', id).executeTakeFirstOrThrow()

test('repeats one provider request after a kill, and sends no event twice', async () => {
  const settings = {
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: API_KEY,
    BOT_WORKERS: '0',
    LOG_LEVEL: 'silent',
    DEEPGRAM_API_KEY: KEY,
    DEEPGRAM_URL: vendor.baseUrl,
  }
  const first = await startServiceProcess(settings)
  const store = await openLocalDisk(join(folder, 'objects'))
  const wish = { video_required: false, recording_config: { transcript: { provider: 'deepgram' } } }
  const botId = await createEndedBot({ api: clientOf(first.url, API_KEY), db: database.db, store }, wish)
  vendor.misfortunes.push('hang')
  await makeDue(database.db, botId)
  await until('the provider listens', () => vendor.asked.length === 1, LONG_MS)
  await until('the files are made', async () => (await rowOf(botId)).process_at === null, LONG_MS)
  await first.kill()

  // Lets the lease lapse.
  await database.db
    .updateTable('transcriptions')
    .set({ due_at: new Date(0) })
    .where('bot_id', '=', botId)
    .execute()
  const second = await startServiceProcess(settings)
  const api = clientOf(second.url, API_KEY)
  const detail = async () => (await api('GET', `/api/v1/bots/${botId}/detail`)).body.bot_details
  await until('it is done', async () => (await detail()).Status === 'Done', LONG_MS)
  const { transcript_id, delivered } = await detail()
  expect(delivered.words).toBe(2)
  expect((await api('GET', `/api/v1/transcript/${transcript_id}/get_transcript`)).body).toHaveLength(2)
  const announced = await database.db.selectFrom('events').select('name').where('bot_id', '=', botId).orderBy('seq').execute()
  const names = announced.map(({ name }) => name).filter((name) => !/scheduled|participant/.test(name))
  expect(names).toEqual([
    'bot.mediaprocessing',
    'bot.uploading',
    'audio.processed',
    'transcription.processed',
    'bot.transcriptionready',
    'bot.done',
  ])
  expect(vendor.asked.length).toBe(3)
  await second.stop()
}, 120_000)
