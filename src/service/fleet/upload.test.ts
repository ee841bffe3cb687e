import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { BotId } from '../../domain/bot.ts'
import { joinManifests, manifestLine, manifestsAmong, tracksOf } from '../../domain/recording.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { recordingKey, recordingPrefix } from '../../storage/store.ts'
import { Uploads } from './upload.ts'

const BOT = 'bot_1' as BotId
const SHAPE = { trackId: '1-1', codec: 'opus', width: 0, height: 0, continues: false, startMs: 0 } as const

async function bench() {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-upload-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const recordings = join(folder, 'recordings')
  const store = await openLocalDisk(join(folder, 'objects'))
  await mkdir(join(recordings, BOT), { recursive: true })
  const names = async () => (await store.list(recordingPrefix(BOT))).map((key) => key.slice(recordingPrefix(BOT).length))
  return { recordings, store, uploads: new Uploads({ store, recordings }), names, own: (file: string) => join(recordings, BOT, file) }
}

test('uploads closed segments during the recording and the rest at its end, and then removes the folder', async () => {
  const { recordings, uploads, names, own } = await bench()
  const extent = { endMs: 1_000, bytes: 3, frames: 50, keyFrames: 50 }
  const facts = [
    manifestLine({ fact: 'track', trackId: '1-1', participantId: 'ada', kind: 'audio', codec: 'opus' }),
    manifestLine({ fact: 'segment', ...SHAPE, index: 0, file: '1-1-00000.mkv', ...extent }),
    manifestLine({ fact: 'opened', ...SHAPE, index: 1, file: '1-1-00001.mkv' }),
    manifestLine({ fact: 'synced', segments: [{ trackId: '1-1', index: 1, ...extent }] }),
  ]
  await writeFile(own('manifest-1.jsonl'), facts.join(''))
  for (const file of ['1-1-00000.mkv', '1-1-00001.mkv']) await writeFile(own(file), 'abc')
  await uploads.upload(BOT, 'closed segments')
  expect(await names()).toEqual(['1-1-00000.mkv', 'manifest-1.jsonl'])
  await uploads.finish(BOT)
  expect(await names()).toEqual(['1-1-00000.mkv', '1-1-00001.mkv', 'manifest-1.jsonl'])
  expect(existsSync(join(recordings, BOT))).toBe(false)
})

test('keeps a recording that cannot be read', async () => {
  const { uploads, own } = await bench()
  // Reading a folder fails as a broken disk does.
  await mkdir(own('manifest-1.jsonl'))
  await writeFile(own('1-1-00000.mkv'), 'abc')
  await expect(uploads.finish(BOT)).rejects.toThrow('EISDIR')
  expect(existsSync(own('1-1-00000.mkv'))).toBe(true)
})

test('does not upload the target of a link in a bot’s folder', async () => {
  const { recordings, uploads, names, own } = await bench()
  const secret = join(recordings, 'secret.key')
  await writeFile(secret, 'secret')
  const extent = { endMs: 1_000, bytes: 3, frames: 50, keyFrames: 50 }
  const track = manifestLine({ fact: 'track', trackId: '1-1', participantId: 'ada', kind: 'audio', codec: 'opus' })
  const segment = manifestLine({ fact: 'segment', ...SHAPE, index: 0, file: '1-1-00000.mkv', ...extent })
  await writeFile(own('manifest-1.jsonl'), track + segment)
  await symlink(secret, own('1-1-00000.mkv'))
  await uploads.upload(BOT, 'closed segments')
  await uploads.finish(BOT)
  expect(await names()).toEqual(['manifest-1.jsonl'])
  expect(existsSync(secret)).toBe(true)
})

test('stores one recording of two nodes when one took the bot over from the other', async () => {
  const { recordings: here, uploads, store, names, own } = await bench()
  const elsewhere = `${here}-elsewhere`
  const successor = new Uploads({ store, recordings: elsewhere })
  const started = manifestLine({ fact: 'started', wallClock: '2026-11-16T10:00:00Z', monotonicZeroMs: 0 })
  const segmentOf = (session: number, fact: 'segment' | 'opened') => {
    const trackId = `${session}-1`
    const shape = { ...SHAPE, trackId, index: 0, file: `${trackId}-00000.mkv` }
    const extent = { endMs: 1_000, bytes: 3, frames: 50, keyFrames: 50 }
    const track = manifestLine({ fact: 'track', trackId, participantId: 'ada', kind: 'audio', codec: 'opus' })
    if (fact === 'segment') return track + manifestLine({ fact, ...shape, ...extent })
    return track + manifestLine({ fact, ...shape }) + manifestLine({ fact: 'synced', segments: [{ trackId, index: 0, ...extent }] })
  }
  // The first session is cut off while its segment is open.
  await writeFile(own('manifest-1.jsonl'), started)
  await uploads.upload(BOT, 'closed segments')
  await successor.restoreManifests(BOT, join(elsewhere, BOT))
  expect(await readdir(join(elsewhere, BOT))).toEqual(['earlier-1.jsonl'])
  await writeFile(join(elsewhere, BOT, 'manifest-2.jsonl'), segmentOf(2, 'segment'))
  await writeFile(join(elsewhere, BOT, '2-1-00000.mkv'), 'two')
  await successor.finish(BOT)
  await writeFile(own('manifest-1.jsonl'), started + segmentOf(1, 'opened'))
  await writeFile(own('1-1-00000.mkv'), 'one')
  await uploads.finish(BOT)

  const texts = await Promise.all(
    manifestsAmong(await names()).map(async ({ name }) => text((await store.get(recordingKey(BOT, name)))?.stream ?? Readable.from([]))),
  )
  const manifest = joinManifests(texts)
  expect(tracksOf(manifest).map(({ trackId, totalSeconds }) => [trackId, totalSeconds])).toEqual([
    ['1-1', 1],
    ['2-1', 1],
  ])
  expect(manifest.facts[0]).toMatchObject({ fact: 'started' })
  expect(await names()).toEqual(['1-1-00000.mkv', '2-1-00000.mkv', 'manifest-1.jsonl', 'manifest-2.jsonl'])
})
