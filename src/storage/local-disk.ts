// Stores objects in a folder, with keys as paths. Unfinished writes are drafts whose name contains the writing process.
import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newId } from '../kit/id.ts'
import { isAlive, unless } from '../kit/system-errors.ts'
import type { ByteRange } from './byte-range.ts'
import {
  checkedKey,
  checkedPrefix,
  checkType,
  contentTypeOf,
  type ObjectInfo,
  type ObjectStore,
  type StoredObject,
  streamOf,
} from './store.ts'

/** Cannot collide with a key, because no key begins with a dot. */
const WORKSHOP = '.writing'
const ABANDONED_AFTER_MS = 24 * 60 * 60_000

export async function openLocalDisk(folder: string): Promise<ObjectStore> {
  const workshop = join(folder, WORKSHOP)
  await mkdir(workshop, { recursive: true, mode: 0o700 })
  await sweep(workshop)
  const pathOf = (key: string) => join(folder, checkedKey(key))
  return {
    async put(key, source, { contentType, signal }) {
      const path = pathOf(key)
      checkType(key, contentType)
      const draft = join(workshop, OWNER + newId('put', new Date()))
      try {
        const target = createWriteStream(draft, { flush: true, flags: 'wx', mode: 0o600 })
        await pipeline(streamOf(source), target, signal ? { signal } : {})
        await putInPlace(draft, path)
      } finally {
        await rm(draft, { force: true })
      }
    },
    async get(key, { range, signal } = {}) {
      const file = await openIfThere(pathOf(key))
      if (!file) return null
      return read(file, key, range).then(
        (it) => it && { ...it, stream: signal ? addAbortSignal(signal, it.stream) : it.stream },
        (error: unknown) => file.close().then(() => Promise.reject(error)),
      )
    },
    async stat(key) {
      const file = await openIfThere(pathOf(key))
      return file ? infoOf(file, key).finally(() => file.close()) : null
    },
    async remove(keys) {
      const paths = keys.map(pathOf)
      let removed = 0
      for (const path of paths) if (await isDone(unlink(path), ...ABSENT)) removed += 1
      for (const path of new Set(paths.map(dirname))) await removeEmpty(path, folder)
      return removed
    },
    async list(prefix) {
      const found = readdir(join(folder, checkedPrefix(prefix)), { recursive: true, withFileTypes: true })
      const files = ((await found.catch(unless(...ABSENT))) ?? []).filter((entry) => entry.isFile())
      return files.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')).sort()
    },
    directLink: async () => null,
  }
}

/** Reads the opened file, even if the key is replaced meanwhile. */
async function read(file: FileHandle, key: string, range: ByteRange | undefined): Promise<StoredObject | null> {
  const info = await infoOf(file, key)
  if (!info) return file.close().then(() => null)
  if (!range) return { ...info, range: null, stream: file.createReadStream() }
  if (range.first >= info.size) throw new RangeError(`storage: ${key} has no byte ${range.first}: it has ${info.size} bytes`)
  const wanted = { first: range.first, last: Math.min(range.last, info.size - 1) }
  return { ...info, range: wanted, stream: file.createReadStream({ start: wanted.first, end: wanted.last }) }
}

const MOST_TRIES = 20

async function putInPlace(draft: string, path: string): Promise<void> {
  const folder = dirname(path)
  const place = () => mkdir(folder, { recursive: true, mode: 0o700 }).then(() => rename(draft, path))
  // A concurrent removal of the folder's last object may remove the folder at any moment.
  for (let tries = 1; !(await isDone(place(), ...(tries < MOST_TRIES ? ['ENOENT'] : []))); ) tries += 1
  const changed = await openIfThere(folder)
  await changed?.sync().finally(() => changed.close())
}

const ABSENT = ['ENOENT', 'ENOTDIR']

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path).catch(unless(...ABSENT))
}

async function infoOf(file: FileHandle, key: string): Promise<ObjectInfo | null> {
  const it = await file.stat({ bigint: true })
  if (!it.isFile()) return null
  const etag = `"${[it.ino, it.size, it.mtimeNs].map((part) => part.toString(36)).join('-')}"`
  return { size: Number(it.size), contentType: contentTypeOf(key), etag }
}

/** Removes the folder and its parents as long as they are empty. */
async function removeEmpty(path: string, top: string): Promise<void> {
  for (let folder = path; folder !== top; folder = dirname(folder)) {
    if (!(await isDone(rmdir(folder), ...ABSENT, 'ENOTEMPTY', 'EEXIST'))) return
  }
}

const OWNER = `${hostname().replaceAll('~', '-')}~${process.pid}~`

/** Removes the drafts of killed processes. Drafts of running processes stay. */
async function sweep(workshop: string): Promise<void> {
  for (const name of await readdir(workshop)) {
    const path = join(workshop, name)
    if (isOfEndedProcess(name) || (await isOld(path))) await rm(path, { force: true })
  }
}

/** True: the process ran on this machine and is gone. A draft with our own process id is from an earlier run. */
function isOfEndedProcess(name: string): boolean {
  const [host, pid] = name.split('~')
  if (`${host}~` !== OWNER.slice(0, OWNER.indexOf('~') + 1)) return false
  return Number(pid) === process.pid || !isAlive(Number(pid))
}

async function isOld(path: string): Promise<boolean> {
  const it = await stat(path).catch(unless(...ABSENT))
  return it !== undefined && Date.now() - it.mtimeMs > ABANDONED_AFTER_MS
}

/** False: it failed with one of these codes. */
async function isDone(work: Promise<unknown>, ...expected: readonly string[]): Promise<boolean> {
  return (await work.then(() => true).catch(unless(...expected))) ?? false
}
