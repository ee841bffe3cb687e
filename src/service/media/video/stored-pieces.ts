// The pieces of a composed video in the store: another node continues the video of a lost one, and takes the pieces that were made during the
// meeting. New pieces go into one object, as the new bytes of a recording do.
import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { BotId } from '../../../domain/bot.ts'
import { newId } from '../../../kit/id.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import { createSerialQueue } from '../../../kit/serial-queue.ts'
import { type Part, packBundle } from '../../../storage/bundle.ts'
import { contentTypeOf, isPiecesKey, type ObjectStore, piecesKey, recordingPrefix } from '../../../storage/store.ts'
import type { Db } from '../../db/database.ts'
import { unprocessed } from '../../db/media/recordings.ts'
import { fetchBundle, filesInBundles, noteBundle } from '../fetched-bundle.ts'
import { retryLaterOnError } from '../retry-later.ts'

/** A lost node costs the work of this long and a piece. */
const STORE_EVERY_MS = 15_000
/** Of an object, which is in memory while it is stored. */
const MOST_BYTES = 16 * 1024 * 1024
/** An encoded piece is complete when it has a sidecar. */
const SIDECAR = /^piece-.*\.mkv\.json$/

type PiecesPlace = { readonly db: Db; readonly store: ObjectStore; readonly botId: BotId; readonly folder: string }

export type StoredPieces = ReturnType<typeof openStoredPieces>

export function openStoredPieces(place: PiecesPlace) {
  const serially = createSerialQueue()
  let storedMs = Number.NEGATIVE_INFINITY
  const store = (signal?: AbortSignal): Promise<void> => {
    storedMs = monotonicMs()
    return serially(() => storeNew(place, signal))
  }
  return {
    /** Fetches the pieces that other nodes have made. */
    fetch: (signal?: AbortSignal): Promise<void> => fetchAll(place, signal),
    /** Stores the pieces that only this node has. */
    store,
    /** The same, unless pieces were stored a moment ago. */
    async storeSometimes(signal?: AbortSignal): Promise<void> {
      if (monotonicMs() - storedMs >= STORE_EVERY_MS) await store(signal)
    },
  }
}

async function fetchAll({ store, botId, folder }: PiecesPlace, signal: AbortSignal | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const keys = await retryLaterOnError(store.list(recordingPrefix(botId)))
  for (const key of keys.filter(isPiecesKey)) await fetchBundle(store, key, folder, signal)
}

async function storeNew(place: PiecesPlace, signal: AbortSignal | undefined): Promise<void> {
  const [names, stored] = [await readdir(place.folder), await filesInBundles(place.folder)]
  const parts: Part[] = []
  for (const sidecar of names.filter((name) => SIDECAR.test(name) && !stored.has(name))) {
    // The sidecar comes last, so that a reader which is killed between both makes the piece again.
    for (const file of [path.basename(sidecar, '.json'), sidecar])
      parts.push({ file, from: 0, content: await readFile(path.join(place.folder, file)) })
    if (parts.reduce((sum, { content }) => sum + content.length, 0) >= MOST_BYTES) await putObject(place, parts.splice(0), signal)
  }
  if (parts.length > 0) await putObject(place, parts, signal)
}

async function putObject(
  { db, store, botId, folder }: PiecesPlace,
  parts: readonly Part[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const key = piecesKey(botId, newId('at', new Date()))
  const object = packBundle({ note: '', parts })
  await retryLaterOnError(store.put(key, object, { contentType: contentTypeOf(key), ...(signal && { signal }) }))
  await noteBundle(folder, key, parts)
  // The files were finished or deleted meanwhile, and their objects were listed before this one.
  if (!(await unprocessed(db, [botId])).has(botId)) await retryLaterOnError(store.remove([key]))
}
