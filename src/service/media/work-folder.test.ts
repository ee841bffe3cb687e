import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { folderForFile } from '../../../test/helpers/for-file.ts'
import type { BotId } from '../../domain/bot.ts'
import { type ManifestFact, manifestLine } from '../../domain/recording.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { contentTypeOf, listRecording, type ObjectStore, recordingKey } from '../../storage/store.ts'
import { Uploads } from '../fleet/bot/upload.ts'
import { RetryLater } from './retry-later.ts'
import { openWorkFolder } from './work-folder.ts'

const folder = folderForFile('emissary-work-folder-')
const TRACK: ManifestFact = { fact: 'track', trackId: '1-1', participantId: 'ada', kind: 'audio', codec: 'opus' }
const SHAPE = { codec: 'opus', width: 0, height: 0, continues: false } as const
const segment = (index: number, content: string): ManifestFact => {
  const extent = { startMs: index * 1_000, endMs: index * 1_000 + 1_000, bytes: content.length, frames: 50, keyFrames: 50 }
  return { fact: 'segment', trackId: '1-1', index, file: `1-1-0000${index}.mkv`, ...SHAPE, ...extent }
}

let bots = 0
let botId: BotId
let recordings: string
let store: ObjectStore
let uploads: Uploads
/** Keys of read objects. */
let read: string[]
beforeEach(async () => {
  botId = `bot_${++bots}` as BotId
  recordings = join(folder, 'recordings')
  mkdirSync(join(recordings, botId), { recursive: true })
  const disk = await openLocalDisk(join(folder, 'objects'))
  read = []
  const get: ObjectStore['get'] = (key, options) => {
    read.push(key)
    return disk.get(key, options)
  }
  store = { ...disk, get }
  uploads = new Uploads({ store, recordings, allReadBundles: async () => true })
})

/** Uploads a recording of the segments with these contents. */
async function upload(...contents: readonly string[]): Promise<void> {
  const facts = contents.map((content, index) => segment(index, content))
  for (const [index, content] of contents.entries()) writeFileSync(join(recordings, botId, `1-1-0000${index}.mkv`), content)
  writeFileSync(join(recordings, botId, 'manifest-1.jsonl'), [TRACK, ...facts].map(manifestLine).join(''))
  await uploads.upload(botId)
}

const openWork = () => openWorkFolder(store, { folder: join(folder, 'work'), botId, extent: 'everything' })
const filesIn = (of: string) =>
  Object.fromEntries(
    readdirSync(of)
      .filter((name) => !name.endsWith('.bundle'))
      .map((name) => [name, readFileSync(join(of, name), 'utf8')]),
  )

test('fetches each uploaded bundle once and restores the files of the recording', async () => {
  expect(await openWork()).toBeNull()
  await upload('abc')
  await openWork()
  await upload('abc', 'xyz')
  const work = await openWork()
  expect(work && filesIn(work.recording)).toEqual(filesIn(join(recordings, botId)))
  expect(work?.manifest.facts).toEqual([TRACK, segment(0, 'abc'), segment(1, 'xyz')])
  expect(read.toSorted()).toEqual(await listRecording(store, botId))
  expect(read).toHaveLength(2)
})

test('fetches a recording that is stored file by file, alone and beside bundles', async () => {
  await upload('abc')
  for (const [name, content] of Object.entries({ '2-1-00000.mkv': 'two', 'manifest-2.jsonl': manifestLine(TRACK) }))
    await store.put(recordingKey(botId, name), Buffer.from(content), { contentType: contentTypeOf(name) })
  const work = await openWork()
  expect(work && filesIn(work.recording)).toMatchObject({ '1-1-00000.mkv': 'abc', '2-1-00000.mkv': 'two' })
  expect(work?.manifest.facts).toEqual([TRACK, segment(0, 'abc'), TRACK])
})

test('has no recording any more once its objects are removed', async () => {
  await upload('abc')
  await openWork()
  await store.remove(await listRecording(store, botId))
  expect(await openWork()).toBeNull()
})

test('tries a recording again later if the store lists a bundle and does not have it', async () => {
  await upload('abc')
  store = { ...store, get: async () => null }
  await expect(openWork()).rejects.toThrow(RetryLater)
})
