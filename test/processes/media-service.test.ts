// After the call, in the real service: killed in every step, with a full disk, with a store that hangs. Every file is right in the end.
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import { openLocalDisk } from '../../src/storage/local-disk.ts'
import { openS3 } from '../../src/storage/s3.ts'
import type { ObjectStore } from '../../src/storage/store.ts'
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts'
import { fetchDelivery } from '../helpers/delivered.ts'
import { botThatLeft, LENGTH_MS, nowDue, TONES } from '../helpers/left-bot.ts'
import { probeFile } from '../helpers/media-look.ts'
import { madeFolders } from '../helpers/media-meeting.ts'
import { complaints, sound } from '../helpers/recorded-media.ts'
import { API_KEY, clientOf } from '../helpers/service.ts'
import { type ServiceProcess, startServiceProcess } from '../helpers/service-process.ts'
import { startOnSmallDisk } from '../helpers/small-disk.ts'
import { SWIFT_WITHIN_MS, type Swift, startSwift } from '../helpers/swift.ts'
import { until } from '../helpers/until.ts'

let database: TestDatabase
let swift: Swift
const folders: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  swift = await startSwift()
}, SWIFT_WITHIN_MS)
afterAll(async () => {
  await swift?.stop()
  await database?.drop()
  for (const folder of [...folders, ...madeFolders()]) rmSync(folder, { recursive: true, force: true })
})

function newDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emissary-data-'))
  folders.push(folder)
  return folder
}

const settingsFor = (folder: string) => ({
  ...{ DATA_DIR: folder, DATABASE_URL: database.url, BOOTSTRAP_API_KEY: API_KEY, BOT_HOSTS: '0', LOG_LEVEL: 'silent' },
})

/** A bot of its own, made by a service that is gone again when it is there. */
async function leftBot(settings: Record<string, string>, store: ObjectStore): Promise<BotId> {
  const service = await startServiceProcess(settings)
  const botId = await botThatLeft({ api: clientOf(service.url, API_KEY), db: database.db, store })
  await service.stop()
  return botId
}

async function statusOf(botId: BotId): Promise<string> {
  const { status } = await database.db.selectFrom('bots').select('status').where('id', '=', botId).executeTakeFirstOrThrow()
  return status
}

/** Everything is there, sounds right, and was told once. */
async function judge({ url }: Pick<ServiceProcess, 'url'>, botId: BotId): Promise<void> {
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
  const told = await database.db.selectFrom('events').select('name').where('bot_id', '=', botId).execute()
  const names = told.map(({ name }) => name).filter((name) => !/scheduled|participant/.test(name))
  expect(names.sort()).toEqual([
    ...[
      'audio.processed',
      'bot.done',
      'bot.mediaprocessing',
      'bot.transcriptionready',
      'bot.uploading',
      'transcription.processed',
      'video.processed',
    ],
  ])
}

test('killed in every step, the service makes everything once and right', async () => {
  const folder = newDataFolder()
  const store = await openLocalDisk(join(folder, 'objects'))
  const botId = await leftBot(settingsFor(folder), store)
  const output = join(folder, 'work', botId, 'output')
  const media = join(folder, 'objects', 'bots', botId, 'media')
  const count = (where: string, pattern: RegExp) => (existsSync(where) ? readdirSync(where).filter((name) => pattern.test(name)).length : 0)
  const moments: readonly (readonly [string, () => boolean])[] = [
    ['the recording is fetched', () => count(join(folder, 'work', botId, 'recording'), /./) > 0],
    ['the audio is being mixed', () => count(output, /^\.mixed\.m4a/) > 0],
    ['the video is being composed', () => count(join(output, '.pieces-grid_view'), /./) > 0],
    ['the video is there', () => count(output, /^grid_view\.mp4$/) > 0],
    ['the first file is stored', () => count(media, /./) > 0],
    ['most files are stored', () => count(media, /./) > 3],
  ]
  for (const [what, isReached] of moments) {
    await nowDue(database.db, botId)
    const service = await startServiceProcess(settingsFor(folder))
    await until(what, async () => isReached() || (await statusOf(botId)) === 'Done', 60_000)
    await service.kill()
    expect(await statusOf(botId), what).not.toBe('Done')
  }
  await nowDue(database.db, botId)
  const service = await startServiceProcess(settingsFor(folder))
  await until('it is done', async () => (await statusOf(botId)) === 'Done', 60_000)
  await judge(service, botId)
  expect(await store.list(`bots/${botId}/recording/`)).toEqual([])
  expect(existsSync(join(folder, 'work', botId))).toBe(false)
  await service.stop()
}, 240_000)

test('a full disk delays, and loses nothing', async () => {
  const folder = newDataFolder()
  const store = await openLocalDisk(join(folder, 'objects'))
  const botId = await leftBot(settingsFor(folder), store)
  await nowDue(database.db, botId)
  const work = join(folder, 'work')
  mkdirSync(work)
  const service = await startOnSmallDisk(settingsFor(folder), work, '120k')
  const isDelayed = async () => {
    const row = await database.db
      .selectFrom('bots')
      .select(['process_at', 'process_tries'])
      .where('id', '=', botId)
      .executeTakeFirstOrThrow()
    return service.said().includes('waits until it can be processed') && row.process_tries === 0
  }
  await until('it waits for room', isDelayed, 60_000)
  service.grow('200m')
  await nowDue(database.db, botId)
  await until('it is done', async () => (await statusOf(botId)) === 'Done', 60_000)
  await judge(service, botId)
  await service.stop()
}, 180_000)

test('a store that hangs, or is gone, delays, and loses nothing', async () => {
  const bucket = await swift.bucket()
  const line = await startLine(Number(new URL(swift.endpoint).port))
  const settings = {
    ...settingsFor(newDataFolder()),
    ...{ S3_BUCKET: bucket.bucket, S3_ENDPOINT: line.url, S3_REGION: bucket.region, S3_TIMEOUT_SECONDS: '1', LOG_LEVEL: 'warn' },
    ...{ S3_ACCESS_KEY_ID: bucket.credentials?.accessKeyId ?? '', S3_SECRET_ACCESS_KEY: bucket.credentials?.secretAccessKey ?? '' },
  }
  const store = openS3(bucket)
  const botId = await leftBot(settings, store)
  const service = await startServiceProcess(settings)
  const delays = () => service.said().split('waits until it can be processed').length - 1

  line.state = 'hangs'
  await nowDue(database.db, botId)
  await until('a hanging store is given up for now', () => delays() === 1, 60_000)
  line.state = 'refuses'
  await nowDue(database.db, botId)
  await until('an absent store is given up for now', () => delays() === 2, 60_000)
  line.state = 'works'
  await nowDue(database.db, botId)
  await until('the first file is stored', async () => (await store.list(`bots/${botId}/media/`)).length > 0, 60_000)
  line.state = 'hangs'
  await until('it hangs again, in the middle', () => delays() === 3, 60_000)
  line.state = 'works'
  await nowDue(database.db, botId)
  await until('it is done', async () => (await statusOf(botId)) === 'Done', 60_000)
  await judge(service, botId)
  await service.stop()
  line.close()
}, 240_000)

type Line = { state: 'works' | 'hangs' | 'refuses'; readonly url: string; close(): void }

/** A line to the store that can be cut, or go dead with everything that is under way. */
async function startLine(port: number): Promise<Line> {
  const open = new Set<Socket>()
  let state: Line['state'] = 'works'
  const server: Server = createServer((caller) => {
    open.add(caller)
    caller.on('error', () => undefined).on('close', () => open.delete(caller))
    if (state === 'refuses') caller.destroy()
    if (state !== 'works') return
    const store = connect(port, '127.0.0.1').on('error', () => caller.destroy())
    caller
      .on('close', () => store.destroy())
      .pipe(store)
      .pipe(caller)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    get state() {
      return state
    },
    set state(next) {
      state = next
      for (const caller of open) next === 'hangs' ? caller.unpipe() : caller.destroy()
    },
    close: () => void server.close(),
  }
}
