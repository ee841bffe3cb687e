import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readBucketRecording, storedFiles } from '../../../../test/helpers/service/bucket.ts'
import type { BotId } from '../../../domain/bot.ts'
import { type ManifestFact, manifestLine, parseManifest } from '../../../domain/recording.ts'
import { openLocalDisk } from '../../../storage/local-disk.ts'
import { PART_BYTES } from '../../../storage/s3-upload.ts'
import { bundlePrefix, listRecording, recordingKey } from '../../../storage/store.ts'
import { Uploads } from './upload.ts'

const BOT = 'bot_1' as BotId
const SHAPE = { trackId: '1-1', codec: 'opus', width: 0, height: 0, continues: false, startMs: 0 } as const

const EXTENT = { endMs: 1_000, bytes: 3, frames: 50, keyFrames: 50 } as const
const TRACK: ManifestFact = { fact: 'track', trackId: '1-1', participantId: 'ada', kind: 'audio', codec: 'opus' }
const STARTED: ManifestFact = { fact: 'started', wallClock: '2026-11-16T10:00:00Z', monotonicZeroMs: 0 }
const lines = (...facts: readonly ManifestFact[]) => facts.map(manifestLine).join('')
const opened = (index: number): ManifestFact => ({ fact: 'opened', ...SHAPE, index, file: `1-1-0000${index}.mkv` })
const synced = (index: number, bytes: number, endMs = 1_000): ManifestFact => ({
  fact: 'synced',
  segments: [{ trackId: '1-1', index, ...EXTENT, bytes, endMs }],
})

async function bench({ allReadBundles = true } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-upload-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const store = await openLocalDisk(join(folder, 'objects'))
  const nodeIn = (name: string) => {
    const recordings = join(folder, name)
    const own = (file: string) => join(recordings, BOT, file)
    return { recordings, own, uploads: new Uploads({ store, recordings, allReadBundles: async () => allReadBundles }) }
  }
  const here = nodeIn('recordings')
  await mkdir(join(here.recordings, BOT), { recursive: true })
  const stored = async () => Object.fromEntries([...(await storedFiles(store, BOT))].map(([name, content]) => [name, content.toString()]))
  const objects = async () => (await listRecording(store, BOT)).length
  return { ...here, store, nodeIn, stored, objects }
}

test('uploads the new bytes of all files of a bot as one object, and none if nothing is new', async () => {
  const { uploads, own, stored, objects, store } = await bench()
  await writeFile(own('manifest-1.jsonl'), lines(TRACK, opened(0), synced(0, 3)))
  // The bytes after those that the manifest lists are not synced yet.
  await writeFile(own('1-1-00000.mkv'), 'abcde')
  await uploads.upload(BOT)
  expect([await objects(), (await stored())['1-1-00000.mkv']]).toEqual([1, 'abc'])
  await uploads.upload(BOT)
  expect(await objects()).toBe(1)

  await appendFile(own('1-1-00000.mkv'), 'f')
  await writeFile(own('1-1-00001.mkv'), 'xyz')
  await appendFile(own('manifest-1.jsonl'), `${lines(synced(0, 6), opened(1), synced(1, 3))}{"fact":"torn`)
  await uploads.upload(BOT)
  expect(await stored()).toEqual({
    '1-1-00000.mkv': 'abcdef',
    '1-1-00001.mkv': 'xyz',
    'manifest-1.jsonl': lines(TRACK, opened(0), synced(0, 3), synced(0, 6), opened(1), synced(1, 3)),
  })
  expect(await objects()).toBe(2)
  const [, newest = ''] = await store.list(bundlePrefix(BOT))
  expect((await store.stat(newest))?.size).toBeLessThan(1_000)
})

test('uploads the rest of a recording at its end and removes its folder', async () => {
  const { recordings, uploads, own, stored } = await bench()
  await writeFile(own('manifest-1.jsonl'), lines(TRACK, opened(0), synced(0, 3)))
  await writeFile(own('1-1-00000.mkv'), 'abc')
  await uploads.finish(BOT)
  expect(Object.keys(await stored())).toEqual(['1-1-00000.mkv', 'manifest-1.jsonl'])
  expect(existsSync(join(recordings, BOT))).toBe(false)
})

test('divides a large upload into objects, the manifest in the last one', async () => {
  const { uploads, own, stored, objects } = await bench()
  const large = Buffer.from(Array.from({ length: 40 }, (_, index) => 'x'.repeat(index + 1).padEnd(1024 * 1024, '.')).join(''))
  await writeFile(own('1-1-00000.mkv'), large)
  await writeFile(own('manifest-1.jsonl'), lines(TRACK, opened(0), synced(0, large.length)))
  await uploads.finish(BOT)
  expect(await objects()).toBe(3)
  expect((await stored())['1-1-00000.mkv'] === large.toString()).toBe(true)
})

test('lists a bot that is about to join, so that its upload is finished although it records nothing', async () => {
  const { uploads, nodeIn } = await bench()
  const other = nodeIn('waits')
  await other.uploads.prepare(BOT, join(other.recordings, BOT))
  expect(await other.uploads.recordedBots()).toEqual([BOT])
  await other.uploads.finish(BOT)
  expect([await other.uploads.recordedBots(), await uploads.recordedBots()]).toEqual([[], [BOT]])
})

test('uploads the first part of a recording while the database does not answer', async () => {
  const { recordings, own, store } = await bench()
  let answers = true
  const allReadBundles = async () => {
    if (!answers) throw new Error('no answer')
    return true
  }
  const uploads = new Uploads({ store, recordings, allReadBundles })
  await uploads.prepare(BOT, join(recordings, BOT))
  answers = false
  await writeFile(own('manifest-1.jsonl'), lines(TRACK, opened(0), synced(0, 3)))
  await writeFile(own('1-1-00000.mkv'), 'abc')
  await uploads.upload(BOT)
  expect(await store.list(bundlePrefix(BOT))).toHaveLength(1)
})

test('uploads four bundles at a time, so that backlogs of many bots fit into memory', async () => {
  const { recordings, store } = await bench()
  const bots = Array.from({ length: 7 }, (_, index) => `bot_many_${index}` as BotId)
  for (const bot of bots) {
    await mkdir(join(recordings, bot), { recursive: true })
    await writeFile(join(recordings, bot, 'manifest-1.jsonl'), lines(TRACK, opened(0), synced(0, 3)))
    await writeFile(join(recordings, bot, '1-1-00000.mkv'), 'abc')
  }
  const [atOnce, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let begun = 0
  const slow: typeof store = {
    ...store,
    put: async () => {
      begun += 1
      if (begun === 4) atOnce.resolve()
      await all.promise
    },
  }
  const uploads = new Uploads({ store: slow, recordings, allReadBundles: async () => true })
  const uploaded = Promise.all(bots.map((bot) => uploads.upload(bot)))
  await atOnce.promise
  // Others would have begun within these turns of the event loop.
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  expect(begun).toBe(4)
  all.resolve()
  await uploaded
  expect(begun).toBe(7)
})

test('uploads a full bundle in one request of a bucket', async () => {
  const { uploads, own, store } = await bench()
  await writeFile(own('1-1-00000.mkv'), Buffer.alloc(16 * 1024 * 1024))
  await writeFile(own('manifest-1.jsonl'), lines(TRACK, opened(0), synced(0, 16 * 1024 * 1024)))
  await uploads.upload(BOT)
  const bundles = await store.list(bundlePrefix(BOT))
  const sizes = await Promise.all(bundles.map(async (key) => (await store.stat(key))?.size ?? 0))
  expect(Math.max(...sizes)).toBeLessThan(PART_BYTES)
})

test('gives bots that start together prefixes that differ from their first characters', () => {
  const prefixes = Array.from({ length: 64 }, (_, index) => bundlePrefix(`bot_01k${index}` as BotId))
  expect(new Set(prefixes.map((prefix) => prefix.slice(0, 'recordings/00'.length))).size).toBeGreaterThan(32)
})

test('keeps a recording that cannot be read', async () => {
  const { uploads, own } = await bench()
  // Reading a folder fails as a broken disk does.
  await mkdir(own('manifest-1.jsonl'))
  await writeFile(own('1-1-00000.mkv'), 'abc')
  await expect(uploads.finish(BOT)).rejects.toThrow('EISDIR')
  expect(existsSync(own('1-1-00000.mkv'))).toBe(true)
})

test.each([true, false])('does not upload the target of a link in a bot’s folder (bundles: %s)', async (allReadBundles) => {
  const { recordings, uploads, stored, own } = await bench({ allReadBundles })
  const secret = join(recordings, 'secret.key')
  await writeFile(secret, 'secret')
  await writeFile(own('manifest-1.jsonl'), lines(TRACK, { fact: 'segment', ...SHAPE, index: 0, file: '1-1-00000.mkv', ...EXTENT }))
  await symlink(secret, own('1-1-00000.mkv'))
  await uploads.upload(BOT)
  await uploads.finish(BOT)
  expect(Object.keys(await stored())).toEqual(['manifest-1.jsonl'])
  expect(existsSync(secret)).toBe(true)
})

test('stores one recording of two nodes when one took the bot over from the other', async () => {
  const { uploads, store, own, nodeIn } = await bench()
  const successor = nodeIn('elsewhere')
  const session = (number: number) => {
    const shape = { ...SHAPE, trackId: `${number}-1`, index: 0, file: `${number}-1-00000.mkv` }
    const extents = [{ trackId: shape.trackId, index: 0, ...EXTENT }]
    return lines({ ...TRACK, trackId: shape.trackId }, { fact: 'opened', ...shape }, { fact: 'synced', segments: extents })
  }
  // The first session is cut off while its segment is open, and its node continues to upload after the takeover.
  await writeFile(own('manifest-1.jsonl'), lines(STARTED))
  await uploads.upload(BOT)
  await successor.uploads.prepare(BOT, join(successor.recordings, BOT))
  expect(await readdir(join(successor.recordings, BOT))).toEqual(['earlier-1.jsonl'])
  await writeFile(successor.own('manifest-2.jsonl'), session(2))
  await writeFile(successor.own('2-1-00000.mkv'), 'two')
  await successor.uploads.finish(BOT)
  await appendFile(own('manifest-1.jsonl'), session(1))
  await writeFile(own('1-1-00000.mkv'), 'one')
  await uploads.finish(BOT)

  const { facts, tracks } = await readBucketRecording(store, BOT)
  expect(tracks.map(({ trackId, totalSeconds }) => [trackId, totalSeconds])).toEqual([
    ['1-1', 1],
    ['2-1', 1],
  ])
  expect(facts[0]).toMatchObject({ fact: 'started' })
  expect(Object.keys(await storedFiles(store, BOT).then(Object.fromEntries)).toSorted()).toEqual([
    '1-1-00000.mkv',
    '2-1-00000.mkv',
    'manifest-1.jsonl',
    'manifest-2.jsonl',
  ])
})

test('restores the few facts that a session needs of all sessions before it', async () => {
  const { uploads, own, nodeIn } = await bench()
  const said = { fact: 'said', participantId: 'ada', name: 'Ada', text: 'Hello', start: 1, end: 2, words: [] } as const
  const paused = { fact: 'paused', atMs: 500 } as const
  const resumed = { fact: 'resumed', atMs: 700 } as const
  await writeFile(own('earlier-1.jsonl'), lines(STARTED, said))
  await writeFile(own('manifest-2.jsonl'), lines(paused, resumed, TRACK, opened(0), synced(0, 1, 3_000), synced(0, 3, 9_000)))
  await writeFile(own('1-1-00000.mkv'), 'abc')
  await uploads.upload(BOT)
  const successor = nodeIn('elsewhere')
  await successor.uploads.prepare(BOT, join(successor.recordings, BOT))
  const { facts } = parseManifest(await readFile(successor.own('earlier-2.jsonl'), 'utf8'))
  expect(facts).toEqual([STARTED, synced(0, 3, 9_000), said, resumed])
})

test('stores a recording file by file while a node of the release before lives, and until its end', async () => {
  const { uploads, own, nodeIn, store } = await bench({ allReadBundles: false })
  await writeFile(own('manifest-1.jsonl'), lines(STARTED, TRACK, opened(0), synced(0, 3)))
  await writeFile(own('1-1-00000.mkv'), 'abc')
  await uploads.upload(BOT)
  const keys = [recordingKey(BOT, '1-1-00000.mkv'), recordingKey(BOT, 'manifest-1.jsonl')]
  expect(await listRecording(store, BOT)).toEqual(keys)

  const { recordings } = nodeIn('upgraded')
  const upgraded = new Uploads({ store, recordings, allReadBundles: async () => true })
  await upgraded.prepare(BOT, join(recordings, BOT))
  await writeFile(join(recordings, BOT, 'manifest-2.jsonl'), lines({ fact: 'gap', fromMs: 1_000, toMs: 2_000 }))
  await upgraded.upload(BOT)
  expect(await listRecording(store, BOT)).toEqual([...keys, recordingKey(BOT, 'manifest-2.jsonl')])
})
