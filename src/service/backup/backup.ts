// emissary backup: the rows at one moment, and then the objects of the bots among them, beside a running service.
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { copyObjects, type ObjectDigest } from '../../storage/copy-objects.ts'
import { openLocalDisk } from '../../storage/local-disk.ts'
import { listAllObjects, listObjects, type ObjectStore } from '../../storage/store.ts'
import type { Connection } from '../db/database.ts'
import type { Table } from '../db/transfer/catalogue.ts'
import { type Digest, RowDigest, through } from '../db/transfer/row-digest.ts'
import { type Snapshot, whileRead, withSnapshot } from '../db/transfer/snapshot.ts'
import {
  isOfUnfinished,
  type Manifest,
  OBJECTS,
  objectsFolder,
  rowsFile,
  rowsFolder,
  secretKeyFile,
  writeManifest,
  writeObjectList,
} from './manifest.ts'
import { Progress, type Say } from './progress.ts'

export type BackupOptions = {
  readonly connection: Connection
  /** Null: rows only. */
  readonly store: ObjectStore | null
  readonly version: string
  /** Null: it is kept elsewhere. */
  readonly secretKey: string | null
  readonly say: Say
}

/** Level 1 is a third of the CPU time of the default, for a tenth more bytes. */
const FAST = { level: 1 }
const PRIVATE_FILE = { mode: 0o600, flags: 'wx', flush: true } as const

/**
 * Rows come first. Objects are never changed, and each is stored before a row names it, so every object of the snapshot is there when its turn
 * comes. Only a deletion removes one, and raw recordings, whose removal waits for the end of the backup.
 */
export async function backUp(folder: string, { connection, store, version, secretKey, say }: BackupOptions): Promise<void> {
  await openFolder(folder, say)
  await whileRead(connection, async (expectHeld) => {
    const { bots, ...rows } = await withSnapshot(connection, (snapshot) => writeRows(folder, snapshot, say))
    const objects = store && (await writeObjects(folder, { store, bots, say }))
    await expectHeld()
    if (secretKey !== null) await writeFile(secretKeyFile(folder), `${secretKey}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await writeManifest(folder, { emissary: version, ...rows, objects })
  })
}

/** A backup that broke off has no manifest. The next one has rows of another moment, and keeps the objects that were copied. */
async function openFolder(folder: string, say: Say): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const names = await readdir(folder)
  if (!names.every((name) => isOfUnfinished(name))) throw new Error(`The folder ${folder} is not empty. Name a new one.`)
  if (names.length > 0) say(`Continues the backup that broke off in ${folder}: objects that it has are compared, and not copied again.`)
  for (const name of names) if (name !== OBJECTS) await rm(join(folder, name), { recursive: true })
  await mkdir(rowsFolder(folder), { mode: 0o700 })
}

type WrittenRows = Pick<Manifest, 'at' | 'migrations' | 'tables' | 'sequences'> & { readonly bots: ReadonlySet<string> }

async function writeRows(folder: string, snapshot: Snapshot, say: Say): Promise<WrittenRows> {
  const progress = new Progress()
  const tables: (Table & Digest)[] = []
  for (const table of snapshot.tables) {
    const digest = new RowDigest()
    const file = createWriteStream(rowsFile(folder, table), PRIVATE_FILE)
    await pipeline(snapshot.rows(table), through(digest), createGzip(FAST), file)
    tables.push({ ...table, ...digest.result() })
    progress.add(digest.result().rows)
  }
  say(`Wrote ${progress.rows(tables.length)}.`)
  const { at, migrations, bots } = snapshot
  return { at: at.toISOString(), migrations, tables, sequences: await snapshot.sequences(), bots }
}

type Objects = { readonly store: ObjectStore; readonly bots: ReadonlySet<string>; readonly say: Say }

async function writeObjects(folder: string, { store, bots, say }: Objects): Promise<Manifest['objects']> {
  const progress = new Progress()
  const copied: ObjectDigest[] = []
  const target = await openLocalDisk(objectsFolder(folder))
  await copyObjects(store, target, await listObjects(store, bots), (object) => {
    copied.push(object)
    progress.add(1, object.size)
  })
  await removeOthers(target, copied)
  say(`Wrote ${progress.objects()}.`)
  return writeObjectList(folder, copied)
}

/** Objects of an earlier try that were deleted since. */
async function removeOthers(target: ObjectStore, copied: readonly ObjectDigest[]): Promise<void> {
  const keys = new Set(copied.map(({ key }) => key))
  await target.remove((await listAllObjects(target)).filter((key) => !keys.has(key)))
}
