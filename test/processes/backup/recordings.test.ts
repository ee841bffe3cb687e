// A recording that was made on one machine is played after backup and restore, and after a move to another database and a bucket.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BotId } from '../../../src/domain/bot.ts'
import { whileRead } from '../../../src/service/db/transfer/snapshot.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { listRecording } from '../../../src/storage/store.ts'
import { folderForFile, openForFile } from '../../helpers/for-file.ts'
import { madeFolders } from '../../helpers/media/media-meeting.ts'
import { bucketSettings } from '../../helpers/service/bucket.ts'
import { createTestDatabase } from '../../helpers/service/database.ts'
import { startDebianPostgres } from '../../helpers/service/debian-postgres.ts'
import { runEmissary } from '../../helpers/service/emissary-command.ts'
import { createEndedBot, makeDue } from '../../helpers/service/ended-bot.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { SWIFT_WITHIN_MS, startSwift } from '../../helpers/service/s3-server.ts'
import { API_KEY, type Client, clientOf, SECRET_KEY } from '../../helpers/service/service.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const folder = folderForFile('emissary-backups-')
const service = serviceForFile()
const debian = openForFile(startDebianPostgres)
const swift = openForFile(startSwift, SWIFT_WITHIN_MS)
const copy = join(folder, 'first')

let botId: BotId
/** Its hash: the comparison of two buffers that differ takes minutes. */
let audio: string

beforeAll(async () => {
  const store = await openLocalDisk(join(service.directory, 'objects'))
  botId = await createEndedBot({ ...service, store })
  await makeDue(service.db, botId)
  const status = async () => (await service.api('GET', `/api/v1/bots/${botId}/status`)).body.status
  await until('it is done', async () => (await status()) === 'Done', 50_000)
  audio = await audioOf(service.api)
  const made = await runEmissary(['backup', copy], { DATABASE_URL: service.databaseUrl, DATA_DIR: service.directory })
  expect(made).toMatchObject({ status: 0, err: expect.stringContaining('is complete') })
}, 90_000)
afterAll(async () => {
  for (const it of madeFolders()) await rm(it, { recursive: true, force: true })
})

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

async function audioOf(api: Client): Promise<string> {
  const { status, body } = await api('GET', `/api/v1/bots/${botId}/get_audio`)
  expect(status).toBe(200)
  return hashOf(Buffer.from(await (await fetch(body.audio_url)).arrayBuffer()))
}

/** Another machine. */
async function place(name: string, DATABASE_URL: string): Promise<Record<string, string>> {
  const DATA_DIR = join(folder, name)
  await mkdir(DATA_DIR)
  return { DATABASE_URL, DATA_DIR, SECRET_KEY, BOT_WORKERS: '0' }
}

async function audioIn(settings: Record<string, string>): Promise<string> {
  const running = await startServiceProcess(settings)
  try {
    return await audioOf(clientOf(running.url, API_KEY))
  } finally {
    expect(await running.stop()).toBe(0)
  }
}

const objectsOf = async (backup: string) => JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8')).objects

test('plays the recording after a restore into an older PostgreSQL, and after a move from there into another one and a bucket', async () => {
  const restored = await place('restored', await debian.database())
  expect(await runEmissary(['restore', copy], restored)).toMatchObject({ status: 0, err: expect.stringContaining('Start the service') })
  expect(await audioIn(restored)).toBe(audio)

  const target = await createTestDatabase({ isEmpty: true })
  try {
    const bucket = bucketSettings(await swift.bucket())
    const { S3_BUCKET = '', ...keys } = bucket
    const moved = await runEmissary(['move', '--to', target.url, '--bucket', S3_BUCKET], { ...restored, ...keys })
    expect(moved).toMatchObject({ status: 0, err: expect.stringMatching(/Copied and compared \d+ objects.*\n.*compared \d+ rows/) })
    const inBucket = { ...(await place('moved', target.url)), ...bucket }
    expect(await audioIn(inBucket)).toBe(audio)
    const second = join(folder, 'second')
    expect(await runEmissary(['backup', second], inBucket)).toMatchObject({ status: 0 })
    expect(await objectsOf(second)).toEqual(await objectsOf(copy))
    expect(await audioIn(restored)).toBe(audio)
  } finally {
    await target.drop()
  }
}, 180_000)

test('keeps the recording of a bot that is processed while a backup reads, and removes it otherwise', async () => {
  const store = await openLocalDisk(join(service.directory, 'objects'))
  expect(await listRecording(store, botId)).toEqual([])
  await whileRead({ url: service.databaseUrl }, async () => {
    const during = await createEndedBot({ ...service, store }, { recording_config: { retention: { type: 'timed', hours: 24 } } })
    await makeDue(service.db, during)
    const status = async () => (await service.api('GET', `/api/v1/bots/${during}/status`)).body.status
    await until('it is done', async () => (await status()) === 'Done', 50_000)
    expect(await listRecording(store, during)).not.toEqual([])
    expect((await service.api('DELETE', `/api/v1/bots/${during}/delete`)).status).toBe(200)
    expect(await listRecording(store, during)).toEqual([])
  })
}, 90_000)

test('exports records, people, chat, transcripts and media of a workspace without its secrets', async () => {
  const mine = join(folder, 'export')
  const done = await runEmissary(['export', 'default', mine], { DATABASE_URL: service.databaseUrl, DATA_DIR: service.directory })
  expect(done).toMatchObject({ status: 0, err: expect.stringMatching(/Exported 2 bots: \d+ objects/) })
  const read = async (name: string) => JSON.parse(await readFile(join(mine, name), 'utf8'))
  const settings = await read('workspace.json')
  expect(settings).toMatchObject({ name: 'default', users: [{ role: 'owner' }], api_keys: [{ name: expect.any(String) }], logins: [] })
  expect(JSON.stringify(settings)).not.toMatch(/secret|digest|password/)
  const own = `bots/${botId}`
  expect(await read(`${own}/bot.json`)).toMatchObject({ bot_id: botId, status: 'Done', AudioStatus: 'Success' })
  expect((await read(`${own}/participants.json`)).map(({ name }: { name: string }) => name)).toEqual(['Ann', 'Bob'])
  expect(await read(`${own}/chat.json`)).toEqual([])
  const files: readonly { readonly kind: string; readonly file: string }[] = await read(`${own}/files.json`)
  expect(hashOf(await readFile(join(mine, own, files.find(({ kind }) => kind === 'audio')?.file ?? '')))).toBe(audio)
  expect(files.filter(({ kind }) => kind === 'audio_stream')).toMatchObject([{ participantName: 'Ann' }, { participantName: 'Bob' }])
})

test.each([
  { args: ['export', 'nobody', 'x'], says: 'There is no workspace nobody.' },
  { args: ['move'], says: 'Name the new place by --to, --bucket or both.' },
  { args: ['move', '--to', 'mysql://x'], says: '--to must be a URL such as postgres://' },
  { args: ['backup', copy], says: 'is not empty. Name a new one.' },
])('says in a sentence what is wrong with emissary $args', async ({ args, says }) => {
  const ran = await runEmissary(args, { DATABASE_URL: service.databaseUrl, DATA_DIR: service.directory })
  expect(ran).toMatchObject({ status: 1, err: expect.stringContaining(says) })
})

test('refuses to move a service that runs, by its address', async () => {
  const ran = await runEmissary(['move', '--to', await debian.database()], {
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.directory,
  })
  expect(ran).toMatchObject({ status: 1, err: expect.stringContaining(`The service still runs at ${service.url}. Stop it first`) })
})

test('refuses to restore into a database that has tables', async () => {
  const ran = await runEmissary(['restore', copy], { DATABASE_URL: service.databaseUrl, DATA_DIR: service.directory, SECRET_KEY })
  expect(ran).toMatchObject({ status: 1, err: expect.stringContaining('DATABASE_URL or DATA_DIR: The database already has tables') })
})
