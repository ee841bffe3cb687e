// The folder in which one recording is processed: the fetched recording, and an output folder. Both survive a crash.
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../domain/bot.ts'
import { joinManifests, type Manifest, manifestsAmong } from '../../domain/recording.ts'
import { unless } from '../../kit/system-errors.ts'
import { bundlePrefix, isPiecesKey, type ObjectStore, recordingPrefix } from '../../storage/store.ts'
import type { Db } from '../db/database.ts'
import { unprocessed } from '../db/media/recordings.ts'
import { fetchBundle } from './fetched-bundle.ts'
import { retryLaterOnError } from './retry-later.ts'
import { inParallel } from './video/in-parallel.ts'

export type WorkFolder = {
  readonly recording: string
  readonly output: string
  readonly manifest: Manifest
  clear(): Promise<void>
}

type Extent = 'everything' | 'manifests'

const BUNDLES_AT_ONCE = 4

/** Null: the store has no recording of this bot. `manifests` leaves out the segments of a recording that is stored file by file. */
export async function openWorkFolder(
  store: ObjectStore,
  { folder, botId, extent }: { readonly folder: string; readonly botId: BotId; readonly extent: Extent },
  signal?: AbortSignal,
): Promise<WorkFolder | null> {
  const recording = path.join(folder, botId, 'recording')
  await mkdir(recording, { recursive: true, mode: 0o700 })
  const bundles = await retryLaterOnError(store.list(bundlePrefix(botId)))
  // A list costs as much as an upload. Work ahead needs no second one: a recording of both forms is rare, and its video is made after the call.
  const isOnlyBundles = extent === 'manifests' && bundles.length > 0
  const listed = isOnlyBundles ? [] : await retryLaterOnError(store.list(recordingPrefix(botId)))
  const files = listed.filter((key) => !isPiecesKey(key))
  await inParallel(
    bundles,
    () => BUNDLES_AT_ONCE,
    (key) => fetchBundle(store, key, recording, signal),
  )
  const wanted = extent === 'everything' ? files : files.filter((key) => manifestsAmong([path.basename(key)]).length > 0)
  for (const key of wanted) await fetchObject(store, key, path.join(recording, path.basename(key)), signal)
  const manifests = manifestsAmong(await readdir(recording))
  if (bundles.length + files.length === 0 || manifests.length === 0) return null
  return {
    recording,
    output: outputIn(folder, botId),
    manifest: joinManifests(await Promise.all(manifests.map(({ name }) => readFile(path.join(recording, name), 'utf8')))),
    clear: () => rm(path.join(folder, botId), { recursive: true, force: true }),
  }
}

export const outputIn = (folder: string, botId: BotId): string => path.join(folder, botId, 'output')

/** Removes the folders of recordings that are not to be processed any more: another node has made their files. */
export async function removeAbandoned(db: Db, folder: string): Promise<void> {
  // Missing before the first recording.
  const here = ((await readdir(folder).catch(unless('ENOENT'))) ?? []) as BotId[]
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
