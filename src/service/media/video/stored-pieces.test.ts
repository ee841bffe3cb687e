import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderForFile } from '../../../../test/helpers/for-file.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId } from '../../../domain/bot.ts'
import { openLocalDisk } from '../../../storage/local-disk.ts'
import { recordingPrefix } from '../../../storage/store.ts'
import { openStoredPieces } from './stored-pieces.ts'

const folder = folderForFile('emissary-pieces-')
const database = databaseForFile()
const fleet = fleetForFile(database)

/** A bot whose recording is to be processed, or is done or deleted. Its folder on a node has these files. */
async function openPieces(files: Readonly<Record<string, string>>, { isDue = true } = {}) {
  const botId = (await fleet.create()) as BotId
  const columns = { launch_at: null, process_at: isDue ? new Date() : null }
  await database.db.updateTable('bots').set(columns).where('id', '=', botId).execute()
  const store = await openLocalDisk(join(folder, 'objects'))
  const on = (node: string) => {
    const pieces = join(folder, node, botId)
    mkdirSync(pieces, { recursive: true })
    return { folder: pieces, ...openStoredPieces({ db: database.db, store, botId, folder: pieces }) }
  }
  const first = on('first')
  for (const [name, content] of Object.entries(files)) writeFileSync(join(first.folder, name), content)
  return { first, second: on('second'), objects: () => store.list(recordingPrefix(botId)) }
}

const PIECE = { 'piece-1.mkv': 'red', 'piece-1.mkv.json': '{}' }

test('stores the new pieces of a folder as one object, which another node fetches', async () => {
  const { first, second, objects } = await openPieces({ ...PIECE, 'piece-2.mkv': 'blue', 'piece-2.mkv.json': '{}' })
  await first.store()
  expect(await objects()).toHaveLength(1)
  await second.fetch()
  expect(['piece-1.mkv', 'piece-2.mkv'].map((name) => readFileSync(join(second.folder, name), 'utf8'))).toEqual(['red', 'blue'])
})

test('stores each piece once, on all nodes together', async () => {
  const { first, second, objects } = await openPieces(PIECE)
  await first.store()
  await first.store()
  await second.fetch()
  await second.store()
  expect(await objects()).toHaveLength(1)
})

test('stores no incomplete piece and no copied one', async () => {
  const { first, objects } = await openPieces({ 'piece-1.mkv': 'red', 'copy-1.mkv': 'red', 'copy-1.mkv.json': '{}' })
  await first.store()
  expect(await objects()).toEqual([])
})

test('removes a stored piece if the recording was processed or deleted meanwhile', async () => {
  const { first, objects } = await openPieces(PIECE, { isDue: false })
  await first.store()
  expect(await objects()).toEqual([])
})
