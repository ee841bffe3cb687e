import { access, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import { folderForFile } from '../../../../test/helpers/for-file.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId } from '../../../domain/bot.ts'
import { openLocalDisk } from '../../../storage/local-disk.ts'
import { botKey, type ObjectStore } from '../../../storage/store.ts'
import { listScreenshots } from '../../db/fleet/screenshots.ts'
import { type ScreenshotDeps, storeScreenshot } from './screenshots.ts'

const folder = folderForFile('emissary-keepsakes-')
const database = databaseForFile()
const fleet = fleetForFile(database)
let store: ObjectStore
let deps: ScreenshotDeps
beforeAll(async () => {
  store = await openLocalDisk(join(folder, 'objects'))
  deps = { db: database.db, store }
})

const at = new Date('2026-11-15T09:31:00Z')
const newBot = async () => (await fleet.create()) as BotId

const fileOf = (botId: BotId, name = `${at.getTime()}.jpg`) => join(folder, botId, 'screenshots', name)

async function picture(botId: BotId): Promise<string> {
  const file = fileOf(botId)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, 'picture')
  return file
}

test('moves a screenshot from the bot’s folder to the store', async () => {
  const botId = await newBot()
  const file = await picture(botId)
  const key = await storeScreenshot(deps, { botId, fence: 0, file, at })
  expect(key).toBe(botKey(botId, 'screenshots', '1794735060000.jpg'))
  expect(await listScreenshots(database.db, botId)).toEqual([{ at, key }])
  const found = await store.get(key ?? '')
  expect(found && (await text(found.stream))).toBe('picture')
  await expect(access(file)).rejects.toThrow('ENOENT')
})

test('stores a screenshot once when it is reported again, before or after its file was deleted', async () => {
  const botId = await newBot()
  const file = await picture(botId)
  const key = await storeScreenshot(deps, { botId, fence: 0, file, at })
  expect(await storeScreenshot(deps, { botId, fence: 0, file, at })).toBe(key)
  expect(await storeScreenshot(deps, { botId, fence: 0, file: await picture(botId), at })).toBe(key)
  expect(await listScreenshots(database.db, botId)).toEqual([{ at, key }])
  await expect(access(file)).rejects.toThrow('ENOENT')
})

test('stores nothing when the file does not exist', async () => {
  const botId = await newBot()
  expect(await storeScreenshot(deps, { botId, fence: 0, file: fileOf(botId), at })).toBeNull()
  expect(await listScreenshots(database.db, botId)).toEqual([])
})

test('stores nothing for a bot whose data was deleted', async () => {
  const botId = await newBot()
  await database.db.updateTable('bots').set({ erased_at: at }).where('id', '=', botId).execute()
  const file = await picture(botId)
  expect(await storeScreenshot(deps, { botId, fence: 0, file, at })).toBeNull()
  expect([await store.list(`bots/${botId}/`), await listScreenshots(database.db, botId)]).toEqual([[], []])
  await expect(access(file)).rejects.toThrow('ENOENT')
})

test('does not read a file of the service that a worker reports as its screenshot', async () => {
  const botId = await newBot()
  const secret = join(folder, 'secret.key')
  await writeFile(secret, 'secret')
  await mkdir(join(folder, botId, 'screenshots'), { recursive: true })
  await symlink(secret, fileOf(botId, '1.jpg'))
  for (const file of [secret, fileOf(botId, '1.jpg'), fileOf(botId, '../../secret.key')])
    expect(await storeScreenshot(deps, { botId, fence: 0, file, at })).toBeNull()
  const elsewhere = await newBot()
  await mkdir(join(folder, elsewhere))
  await writeFile(join(folder, '2.jpg'), 'another')
  await symlink(folder, join(folder, elsewhere, 'screenshots'))
  expect(await storeScreenshot(deps, { botId: elsewhere, fence: 0, file: fileOf(elsewhere, '2.jpg'), at })).toBeNull()
  await access(secret)
})
