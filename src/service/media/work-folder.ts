// The folder in which one recording is processed: the fetched recording, and an output folder. Both survive a crash.
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../domain/bot.ts'
import { joinManifests, type Manifest, manifestsAmong } from '../../domain/recording.ts'
import { type ObjectStore, recordingPrefix } from '../../storage/store.ts'
import type { Db } from '../db/database.ts'
import { unprocessed } from '../db/recordings.ts'
import { retryLaterOnError } from './retry-later.ts'

export type WorkFolder = {
  readonly recording: string
  readonly output: string
  readonly manifest: Manifest
  clear(): Promise<void>
}

type Extent = 'everything' | 'manifests'

/** Null: the store has no recording of this bot. */
export async function openWorkFolder(
  store: ObjectStore,
  { folder, botId, extent }: { readonly folder: string; readonly botId: BotId; readonly extent: Extent },
  signal?: AbortSignal,
): Promise<WorkFolder | null> {
  const recording = path.join(folder, botId, 'recording')
  await mkdir(recording, { recursive: true, mode: 0o700 })
  const prefix = recordingPrefix(botId)
  const names = (await retryLaterOnError(store.list(prefix))).map((key) => key.slice(prefix.length))
  const manifests = manifestsAmong(names)
  if (manifests.length === 0) return null
  const wanted = extent === 'everything' ? names : manifests.map(({ name }) => name)
  for (const name of wanted) await fetchObject(store, prefix + name, path.join(recording, name), signal)
  return {
    recording,
    output: path.join(folder, botId, 'output'),
    manifest: joinManifests(await Promise.all(manifests.map(({ name }) => readFile(path.join(recording, name), 'utf8')))),
    clear: () => rm(path.join(folder, botId), { recursive: true, force: true }),
  }
}

/** Removes the folders of recordings that are not to be processed any more: another node has made their files. */
export async function removeAbandoned(db: Db, folder: string): Promise<void> {
  // Missing before the first recording.
  const here = (await readdir(folder).catch(() => [])) as BotId[]
  const wanted = await unprocessed(db, here)
  for (const botId of here) if (!wanted.has(botId)) await rm(path.join(folder, botId), { recursive: true, force: true })
}

/** Skips an object that was fetched with the same size: segments never change, and a manifest only grows. */
export async function fetchObject(store: ObjectStore, key: string, file: string, signal: AbortSignal | undefined): Promise<void> {
  // A missing local file has not been fetched yet.
  const [local, stored] = await Promise.all([stat(file).catch(() => null), retryLaterOnError(store.stat(key))])
  if (!stored || local?.size === stored.size) return
  const object = await retryLaterOnError(store.get(key, signal ? { signal } : {}))
  if (!object) return
  await retryLaterOnError(pipeline(object.stream, createWriteStream(`${file}.part`), ...(signal ? [{ signal }] : [])))
  await rename(`${file}.part`, file)
}
