// What a restore refuses, what it does with keys, older schemas and bots of the old fleet, and backups of the embedded database.
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { knownMigrations, migrate } from '../../../src/service/db/migrate.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { folderForFile } from '../../helpers/for-file.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/service/database.ts'
import { type Ran, runEmissary } from '../../helpers/service/emissary-command.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { API_KEY, clientOf, NO_DRIVER, SECRET_KEY } from '../../helpers/service/service.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'

const folder = folderForFile('emissary-restores-')
const service = serviceForFile()
const whole = join(folder, 'whole')
let places = 0

async function newPlace(): Promise<string> {
  places += 1
  const place = join(folder, `place-${places}`)
  await mkdir(place)
  return place
}

async function backUp(name: string, ...options: readonly string[]): Promise<Ran> {
  return runEmissary(['backup', name, ...options], { DATABASE_URL: service.databaseUrl, DATA_DIR: service.directory, SECRET_KEY })
}

/** A copy of the backup, changed. */
async function changed(change: (copy: string) => Promise<void>): Promise<string> {
  const copy = await newPlace()
  await cp(whole, copy, { recursive: true })
  await change(copy)
  return copy
}

type Target = { readonly database: TestDatabase; readonly ran: Ran; readonly directory: string }

/** Restores into an empty database and looks at it. */
async function restored(backup: string, settings: Record<string, string>, look: (target: Target) => Promise<void>): Promise<void> {
  const database = await createTestDatabase({ isEmpty: true })
  const directory = await newPlace()
  try {
    const ran = await runEmissary(['restore', backup], { DATABASE_URL: database.url, DATA_DIR: directory, ...settings })
    await look({ database, ran, directory })
  } finally {
    await database.drop()
  }
}

const hasTables = async ({ db }: TestDatabase) =>
  (await sql`select from information_schema.tables where table_schema = 'public'`.execute(db)).rows.length > 0

beforeAll(async () => {
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
  const store = await openLocalDisk(join(service.directory, 'objects'))
  await store.put(`bots/${body.bot_id}/media/audio.m4a`, Buffer.from('sound'), { contentType: 'audio/mp4' })
  await store.put('bots/bot_unknown/media/audio.m4a', Buffer.from('of no row'), { contentType: 'audio/mp4' })
  expect(await backUp(whole)).toMatchObject({ status: 0 })
}, 60_000)

const manifestOf = async (backup: string) => JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8'))
const objectOf = async (backup: string) => JSON.parse((await readFile(join(backup, 'objects.jsonl'), 'utf8')).split('\n')[0] ?? '').key

test('writes private files, and only objects of bots that it has', async () => {
  expect(await manifestOf(whole)).toMatchObject({ format: 1, emissary: expect.any(String), objects: { count: 1, bytes: 5 } })
  expect((await stat(whole)).mode & 0o777).toBe(0o700)
  for (const file of ['manifest.json', 'objects.jsonl', 'rows/bots.copy.gz'])
    expect((await stat(join(whole, file))).mode & 0o777).toBe(0o600)
})

test('says that a backup is whole, or which file is damaged', async () => {
  expect(await runEmissary(['restore', whole, '--check'], {})).toMatchObject({ status: 0, err: expect.stringContaining('is whole') })
  const object = await objectOf(whole)
  const damages = {
    'rows/bots.copy.gz': (path: string) => truncate(path, 40),
    'objects.jsonl': (path: string) => writeFile(path, ''),
    [`objects/${object}`]: (path: string) => writeFile(path, 'noise'),
  }
  for (const [file, damage] of Object.entries(damages)) {
    const copy = await changed((path) => damage(join(path, file)))
    const ran = await runEmissary(['restore', copy, '--check'], {})
    expect(ran).toMatchObject({ status: 1, err: expect.stringContaining(`${join(copy, file)} is damaged`) })
  }
}, 60_000)

test('continues a backup that broke off, without objects that were deleted since', async () => {
  const unfinished = await changed(async (path) => {
    await rm(join(path, 'manifest.json'))
    const objects = await openLocalDisk(join(path, 'objects'))
    await objects.put('bots/bot_deleted/media/audio.m4a', Buffer.from('deleted'), { contentType: 'audio/mp4' })
  })
  expect(await backUp(unfinished)).toMatchObject({ status: 0, err: expect.stringContaining('Continues the backup that broke off') })
  expect((await manifestOf(unfinished)).objects).toEqual((await manifestOf(whole)).objects)
  expect(existsSync(join(unfinished, 'objects/bots/bot_deleted'))).toBe(false)
  expect(await runEmissary(['restore', unfinished, '--check'], {})).toMatchObject({ status: 0 })
  expect(await backUp(unfinished)).toMatchObject({ status: 1, err: expect.stringContaining('is not empty') })
}, 60_000)

test('leaves the database empty if a table of the backup is damaged', async () => {
  const copy = await changed((path) => cp(join(path, 'rows/events.copy.gz'), join(path, 'rows/bots.copy.gz')))
  await restored(copy, {}, async ({ database, ran }) => {
    expect(ran.status).toBe(1)
    expect(await hasTables(database)).toBe(false)
  })
})

test('refuses a backup of a newer Emissary, and a folder that is no backup', async () => {
  const newer = await changed(async (path) => {
    const manifest = await manifestOf(path)
    await writeFile(join(path, 'manifest.json'), JSON.stringify({ ...manifest, emissary: '9.0.0', migrations: ['9999-later.sql'] }))
  })
  await restored(newer, {}, async ({ database, ran }) => {
    expect(ran).toMatchObject({ status: 1, err: expect.stringContaining('made by Emissary 9.0.0, which is newer') })
    expect(await hasTables(database)).toBe(false)
  })
  await restored(folder, {}, async ({ ran }) => expect(ran.err).toContain('has no manifest.json'))
})

test('refuses a key that did not seal the secrets, and says that a key is missing', async () => {
  await restored(whole, { SECRET_KEY: 'another-secret-for-tests' }, async ({ database, ran }) => {
    expect(ran).toMatchObject({ status: 1, err: expect.stringContaining('SECRET_KEY is not the key that sealed') })
    expect(await hasTables(database)).toBe(false)
  })
  await restored(whole, {}, async ({ ran }) => {
    expect(ran).toMatchObject({ status: 0, err: expect.stringContaining('The backup has no secret key') })
  })
})

test('has the secret key only with --with-secret-key, and puts it into place', async () => {
  await expect(stat(join(whole, 'secret.key'))).rejects.toThrow('ENOENT')
  const withKey = join(folder, 'with-key')
  expect((await backUp(withKey, '--with-secret-key', '--rows-only')).status).toBe(0)
  expect(await manifestOf(withKey)).toMatchObject({ objects: null })
  await restored(withKey, {}, async ({ ran, directory }) => {
    expect(ran).toMatchObject({ status: 0, err: expect.stringContaining('has no objects') })
    expect((await readFile(join(directory, 'secret.key'), 'utf8')).trim()).toBe(SECRET_KEY)
    expect((await stat(join(directory, 'secret.key'))).mode & 0o777).toBe(0o600)
  })
})

test('migrates a backup of an older Emissary to this version', async () => {
  const old = await createTestDatabase({ isEmpty: true })
  const backup = join(folder, 'old')
  const known = await knownMigrations()
  try {
    await migrate(old.db, { only: new Set(known.filter((name) => name < '0018')) })
    await sql`insert into workspaces (id, name, created_at) values ('wsp_1', 'old', now())`.execute(old.db)
    expect(await runEmissary(['backup', backup], { DATABASE_URL: old.url, DATA_DIR: await newPlace() })).toMatchObject({ status: 0 })
  } finally {
    await old.drop()
  }
  await restored(backup, {}, async ({ database, ran }) => {
    expect(ran).toMatchObject({ status: 0 })
    const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(database.db)
    expect(rows.map(({ name }) => name)).toEqual(known)
  })
})

test('backs up the embedded database beside its running service and restores it into another folder', async () => {
  const [first, second, backup] = [await newPlace(), await newPlace(), join(folder, 'embedded')]
  const settings = { BOOTSTRAP_API_KEY: API_KEY, BOT_WORKERS: '0', SECRET_KEY }
  const running = await startServiceProcess({ ...settings, DATA_DIR: first })
  const wish = { meeting_link: 'https://meet.google.com/abc-defg-hij', join_at: new Date(Date.now() + 86_400_000).toISOString() }
  const { body } = await clientOf(running.url, API_KEY)('POST', '/api/v1/bots/create_bot', wish)
  expect(await runEmissary(['backup', backup], { DATA_DIR: first })).toMatchObject({ status: 0 })
  expect(await runEmissary(['move', '--to', 'postgres://nowhere/x'], { DATA_DIR: first })).toMatchObject({ status: 1 })
  expect(await running.stop()).toBe(0)

  expect(await runEmissary(['restore', backup], { DATA_DIR: second, SECRET_KEY })).toMatchObject({ status: 0 })
  const again = await startServiceProcess({ ...settings, DATA_DIR: second })
  const { body: detail } = await clientOf(again.url, API_KEY)('GET', `/api/v1/bots/${body.bot_id}/detail`)
  expect(detail.bot_details).toMatchObject({ Status: 'Scheduled', ScheduledJoinTime: wish.join_at })
  expect(await again.stop()).toBe(0)
}, 120_000)
