// Bundles of the store in a folder: an object is fetched once, and a file with its name lists the files that it brought.
import { constants } from 'node:fs'
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Part, unpackBundle } from '../../storage/bundle.ts'
import type { ObjectStore } from '../../storage/store.ts'
import { RetryLater, retryLaterOnError } from './retry-later.ts'

/** `key` was listed. If it is gone, its recording is being deleted, or the store is not consistent yet. */
export async function fetchBundle(store: ObjectStore, key: string, folder: string, signal: AbortSignal | undefined): Promise<void> {
  const list = path.join(folder, path.basename(key))
  if (await stat(list).catch(() => null)) return
  const object = await retryLaterOnError(store.get(key, signal ? { signal } : {}))
  // Without its bytes a later bundle leaves zeros in a file of the right size.
  if (!object) throw new RetryLater(`The object store listed ${key}, and does not have it.`)
  const { parts } = unpackBundle(await retryLaterOnError(buffer(object.stream)))
  for (const part of parts) await writePart(folder, part)
  await writeFile(list, listOf(parts))
}

async function writePart(folder: string, { file, from, content }: Part): Promise<void> {
  const handle = await open(path.join(folder, file), constants.O_WRONLY | constants.O_CREAT, 0o600)
  try {
    // On a full disk a write stores a part and does not fail. Writing the rest does.
    for (let done = 0; done < content.length; ) done += (await handle.write(content, done, content.length - done, from + done)).bytesWritten
  } finally {
    await handle.close()
  }
}

/** For an object that was made of files of this folder. */
export async function noteBundle(folder: string, key: string, parts: readonly Part[]): Promise<void> {
  await writeFile(path.join(folder, path.basename(key)), listOf(parts))
}

const listOf = (parts: readonly Part[]): string => parts.map(({ file }) => `${file}\n`).join('')

/** The files of this folder that are in an object. */
export async function filesInBundles(folder: string): Promise<ReadonlySet<string>> {
  const lists = (await readdir(folder)).filter((name) => name.endsWith('.bundle'))
  const files = await Promise.all(lists.map((name) => readFile(path.join(folder, name), 'utf8')))
  return new Set(files.flatMap((text) => text.split('\n')))
}
