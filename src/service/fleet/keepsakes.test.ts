import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/helpers/database.ts'
import { createTestFleet, type TestFleet } from '../../../test/helpers/fleet.ts'
import type { BotId } from '../../domain/bot.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { botKey, type ObjectStore } from '../../storage/store.ts'
import { listScreenshots } from '../db/artefacts.ts'
import { type KeepsakeDeps, keepScreenshot } from './keepsakes.ts'

let database: TestDatabase
let fleet: TestFleet
let folder: string
let store: ObjectStore
let deps: KeepsakeDeps
beforeAll(async () => {
  database = await createTestDatabase()
  fleet = await createTestFleet(database.db)
  folder = await mkdtemp(join(tmpdir(), 'emissary-keepsakes-'))
  store = await openLocalDisk(join(folder, 'objects'))
  deps = { db: database.db, store }
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

const at = new Date('2026-11-15T09:31:00Z')
const newBot = async () => (await fleet.create()) as BotId

async function picture(content = 'picture'): Promise<string> {
  const file = join(folder, 'picture.jpg')
  await writeFile(file, content)
  return file
}

test('a picture goes from the bot’s folder to the store', async () => {
  const botId = await newBot()
  const file = await picture()
  const key = await keepScreenshot(deps, { botId, fence: 0, file, at })
  expect(key).toBe(botKey(botId, 'screenshots', '1794735060000.jpg'))
  expect(await listScreenshots(database.db, botId)).toEqual([{ at, key }])
  const found = await store.get(key ?? '')
  expect(found && (await text(found.stream))).toBe('picture')
  await expect(access(file)).rejects.toThrow('ENOENT')
})

test('told again, before or after the file was deleted, it is kept once', async () => {
  const botId = await newBot()
  const file = await picture()
  const key = await keepScreenshot(deps, { botId, fence: 0, file, at })
  expect(await keepScreenshot(deps, { botId, fence: 0, file, at })).toBe(key)
  expect(await keepScreenshot(deps, { botId, fence: 0, file: await picture(), at })).toBe(key)
  expect(await listScreenshots(database.db, botId)).toEqual([{ at, key }])
  await expect(access(file)).rejects.toThrow('ENOENT')
})

test('a picture that never was is none', async () => {
  const botId = await newBot()
  expect(await keepScreenshot(deps, { botId, fence: 0, file: join(folder, 'nothing.jpg'), at })).toBeNull()
  expect(await listScreenshots(database.db, botId)).toEqual([])
})

test('nothing more is kept of a bot whose data was deleted', async () => {
  const botId = await newBot()
  await database.db.updateTable('bots').set({ erased_at: at }).where('id', '=', botId).execute()
  const file = await picture()
  expect(await keepScreenshot(deps, { botId, fence: 0, file, at })).toBeNull()
  expect([await store.list(`bots/${botId}/`), await listScreenshots(database.db, botId)]).toEqual([[], []])
  await expect(access(file)).rejects.toThrow('ENOENT')
})
