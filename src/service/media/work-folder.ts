// The folder in which one recording is processed: the fetched recording, and an output folder. Both survive a crash.
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../domain/bot.ts'
import { joinManifests, type Manifest, manifestsAmong } from '../../domain/recording.ts'
import { type ObjectStore, recordingPrefix } from '../../storage/store.ts'
import { retryLaterOnError } from './retry-later.ts'

export type WorkFolder = {
  readonly recording: string
  readonly output: string
  readonly manifest: Manifest
  clear(): Promise<void>
}

/** Null: the store has no recording of this bot. */
export async function openWorkFolder(store: ObjectStore, folder: string, botId: BotId, signal?: AbortSignal): Promise<WorkFolder | null> {
  const recording = path.join(folder, botId, 'recording')
  await mkdir(recording, { recursive: true, mode: 0o700 })
  const prefix = recordingPrefix(botId)
  const keys = await retryLaterOnError(store.list(prefix))
  const manifests = manifestsAmong(keys.map((key) => key.slice(prefix.length)))
  if (manifests.length === 0) return null
  for (const key of keys) await fetchObject(store, key, path.join(recording, key.slice(prefix.length)), signal)
  return {
    recording,
    output: path.join(folder, botId, 'output'),
    manifest: joinManifests(await Promise.all(manifests.map(({ name }) => readFile(path.join(recording, name), 'utf8')))),
    clear: () => rm(path.join(folder, botId), { recursive: true, force: true }),
  }
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
