// Work folders of recordings that are not to be processed here any more.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folderForFile } from '../../../test/helpers/for-file.ts'
import { databaseForFile, fleetForFile } from '../../../test/helpers/service/for-file.ts'
import { removeAbandoned } from './work-folder.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)
const folder = folderForFile('emissary-abandoned-')

async function bot(columns: { readonly launch_at: Date | null; readonly process_at: Date | null }): Promise<string> {
  const id = await fleet.create()
  await database.db.updateTable('bots').set(columns).where('id', '=', id).execute()
  return id
}

test('removes work folders of bots whose files are made, and no others', async () => {
  const work = path.join(folder, 'work')
  const running = await bot({ launch_at: new Date(Date.now() + 600_000), process_at: null })
  const due = await bot({ launch_at: null, process_at: new Date() })
  const done = await bot({ launch_at: null, process_at: null })
  for (const id of [running, due, done]) mkdirSync(path.join(work, id), { recursive: true })
  await removeAbandoned(database.db, work)
  expect(readdirSync(work).toSorted()).toEqual([running, due].toSorted())
})

test('removes nothing before the first recording', async () => {
  await removeAbandoned(database.db, path.join(folder, 'missing'))
})

test('throws where the work folder cannot be read', async () => {
  const file = path.join(folder, 'a-file')
  writeFileSync(file, '')
  await expect(removeAbandoned(database.db, file)).rejects.toThrow('ENOTDIR')
})
