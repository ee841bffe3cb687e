// Ended bots with unprocessed recordings, and a check of the files that the service makes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { BotId } from '../../../src/domain/bot.ts'
import type { ManifestFact } from '../../../src/domain/recording.ts'
import type { ObjectStore } from '../../../src/storage/store.ts'
import { createTestDatabase, type TestDatabase } from '../service/database.ts'
import { createEndedBot, LENGTH_MS, makeDue, TONES } from '../service/ended-bot.ts'
import { API_KEY, clientOf } from '../service/service.ts'
import { type ServiceProcess, startServiceProcess } from '../service/service-process.ts'
import { until } from '../until.ts'
import { fetchDelivery } from './delivered.ts'
import { probeFile } from './media-inspection.ts'
import { madeFolders } from './media-meeting.ts'
import { complaints, sound } from './recorded-media.ts'

export class MediaBacklog {
  readonly #database: TestDatabase
  readonly #folders: string[] = []

  static async start(): Promise<MediaBacklog> {
    return new MediaBacklog(await createTestDatabase())
  }

  private constructor(database: TestDatabase) {
    this.#database = database
  }

  get db(): TestDatabase['db'] {
    return this.#database.db
  }

  newDataFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'emissary-data-'))
    this.#folders.push(folder)
    return folder
  }

  settingsFor = (folder: string) => ({
    DATA_DIR: folder,
    DATABASE_URL: this.#database.url,
    BOOTSTRAP_API_KEY: API_KEY,
    BOT_WORKERS: '0',
    LOG_LEVEL: 'silent',
  })

  /** Creates a bot with a service that is stopped afterwards, with additional facts of its recording. */
  async endedBot(settings: Record<string, string>, store: ObjectStore, facts: readonly ManifestFact[] = []): Promise<BotId> {
    const service = await startServiceProcess(settings)
    const botId = await createEndedBot({ api: clientOf(service.url, API_KEY), db: this.db, store }, {}, facts)
    await service.stop()
    return botId
  }

  /** Also ends the lease of a transcription that a killed service had claimed. */
  async makeDue(botId: BotId): Promise<void> {
    await makeDue(this.db, botId)
    const due = this.db.updateTable('transcriptions').set({ due_at: new Date(0) })
    await due.where('bot_id', '=', botId).where('due_at', 'is not', null).execute()
  }

  async statusOf(botId: BotId): Promise<string> {
    const { status } = await this.db.selectFrom('bots').select('status').where('id', '=', botId).executeTakeFirstOrThrow()
    return status
  }

  /** Waits until the bot is Done, and checks every file and that each event was sent once. */
  async isDone(service: Pick<ServiceProcess, 'url'>, botId: BotId): Promise<void> {
    await until('it is done', async () => (await this.statusOf(botId)) === 'Done', 60_000)
    await this.hasFiles(service, botId)
    const events = await this.db.selectFrom('events').select('name').where('bot_id', '=', botId).execute()
    expect(
      events
        .map(({ name }) => name)
        .filter((name) => !/scheduled|participant/.test(name))
        .sort(),
    ).toEqual(EXPECTED_EVENTS)
  }

  /** Checks every file of a bot that is Done. */
  async hasFiles(service: Pick<ServiceProcess, 'url'>, botId: BotId): Promise<void> {
    await checkFiles(service, botId)
  }

  /** As if the service had not been killed during the work on the recording and its transcript. */
  async forgetKills(botId: BotId): Promise<void> {
    await this.db.updateTable('bots').set({ process_unfinished: 0 }).where('id', '=', botId).execute()
    await this.db.updateTable('transcriptions').set({ unfinished: 0 }).where('bot_id', '=', botId).execute()
  }

  async stop(): Promise<void> {
    await this.#database.drop()
    for (const folder of [...this.#folders, ...madeFolders()]) rmSync(folder, { recursive: true, force: true })
  }
}

const EXPECTED_EVENTS = [
  ...['audio.processed', 'bot.done', 'bot.mediaprocessing', 'bot.transcriptionready', 'bot.uploading'],
  ...['transcription.processed', 'video.processed'],
]

async function checkFiles({ url }: Pick<ServiceProcess, 'url'>, botId: BotId): Promise<void> {
  const api = clientOf(url, API_KEY)
  const delivery = await fetchDelivery({ api }, botId)
  try {
    expect(delivery.streams.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
      'Ann audio',
      'Ann camera',
      'Bob audio',
      'Bob camera',
    ])
    const mixed = sound(delivery.audio)
    for (const { name, toneHz, fromMs } of TONES) {
      expect(Math.abs((mixed.firstMs(toneHz) ?? 0) - fromMs), `${name} in the mix`).toBeLessThan(100)
      const own = sound(delivery.of(name, 'audio')[0]?.file ?? '')
      for (const other of TONES) expect(own.firstMs(other.toneHz) !== null, `${other.name} in ${name}’s`).toBe(other.name === name)
    }
    for (const file of [delivery.audio, delivery.video]) {
      expect(Math.abs(Number(probeFile(file).format.duration) * 1000 - LENGTH_MS)).toBeLessThan(150)
      expect(complaints(file)).toBe('')
    }
  } finally {
    await delivery.discard()
  }
}
